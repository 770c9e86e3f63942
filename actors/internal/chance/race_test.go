//go:build race

package chance_test

// slowdown divides the number of logs where the race detector slows everything
// down; there is no concurrency here for it to look at.
const slowdown = 5
