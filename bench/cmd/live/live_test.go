package main

import (
	"testing"
	"time"
)

// Everything that is measured can be measured.
func TestLittleOfEverything(t *testing.T) {
	p := plan{length: 10 * time.Millisecond, rounds: 1, handOvers: 5, leases: 200}
	if err := p.run(""); err != nil {
		t.Fatal(err)
	}
}
