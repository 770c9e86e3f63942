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

func TestBadCommandLines(t *testing.T) {
	good := plan{length: time.Second, rounds: 1, handOvers: 1, leases: 2, waiters: 2}
	change := func(f func(*plan)) plan { p := good; f(&p); return p }
	given := func(names ...string) map[string]bool {
		all := make(map[string]bool)
		for _, n := range names {
			all[n] = true
		}
		return all
	}
	for name, err := range map[string]error{
		"an argument":       good.check("", false, nil, []string{"storm"}),
		"an unknown part":   good.check("storms", false, nil, nil),
		"no length":         change(func(p *plan) { p.length = 0 }).check("", false, nil, nil),
		"no rounds":         change(func(p *plan) { p.rounds = 0 }).check("", false, nil, nil),
		"hand-overs":        change(func(p *plan) { p.handOvers = -1 }).check("", false, nil, nil),
		"no leases":         change(func(p *plan) { p.leases, p.waiters = 0, 0 }).check("", false, nil, nil),
		"too many waiters":  change(func(p *plan) { p.waiters = 3 }).check("", false, nil, nil),
		"short and a count": good.check("", true, given("rounds"), nil),
		"another part's":    good.check("storm", false, given("handovers"), nil),
	} {
		if err == nil {
			t.Errorf("%s is accepted", name)
		}
	}
	if err := good.check("storm", false, given("leases", "waiters", "only", "out"), nil); err != nil {
		t.Error(err)
	}
}
