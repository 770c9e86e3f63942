package main

import (
	"io"
	"testing"
	"time"
)

// Everything that is measured can be measured.
func TestLittleOfEverything(t *testing.T) {
	p := plan{length: 10 * time.Millisecond, rounds: 1, handOvers: 5, leases: 200, waiters: 10, out: io.Discard}
	if err := p.run(""); err != nil {
		t.Fatal(err)
	}
}
