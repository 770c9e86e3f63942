//go:build !race

package client_test

// raced tells that the race detector watches, which makes everything slow.
const raced = false
