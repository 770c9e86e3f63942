//go:build !race

package chance_test

// slowdown is explained in race_test.go.
const slowdown = 1
