//go:build race

package journal_test

// underRace says whether the race detector slows everything down.
const underRace = true
