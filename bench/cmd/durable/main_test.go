package main

import (
	"testing"
	"time"
)

// Everything can be measured; what comes of it here is no figure.
func TestItRuns(t *testing.T) {
	if err := (plan{dir: t.TempDir()}).short().run(""); err != nil {
		t.Fatal(err)
	}
}

func TestBadCommandLines(t *testing.T) {
	good := plan{length: time.Second, rounds: 1, ops: 1, locks: 1}
	change := func(f func(*plan)) plan { p := good; f(&p); return p }
	for name, err := range map[string]error{
		"an argument":       good.check("", false, nil, []string{"commit"}),
		"an unknown part":   good.check("commits", false, nil, nil),
		"no length":         change(func(p *plan) { p.length = 0 }).check("", false, nil, nil),
		"no rounds":         change(func(p *plan) { p.rounds = 0 }).check("", false, nil, nil),
		"negative ops":      change(func(p *plan) { p.ops = -1 }).check("", false, nil, nil),
		"no locks":          change(func(p *plan) { p.locks = 0 }).check("", false, nil, nil),
		"short and a count": good.check("", true, map[string]bool{"ops": true}, nil),
		"another part's":    good.check("commit", false, map[string]bool{"locks": true}, nil),
	} {
		if err == nil {
			t.Errorf("%s is accepted", name)
		}
	}
	if err := good.check("recovery", false, map[string]bool{"ops": true, "rounds": true}, nil); err != nil {
		t.Error(err)
	}
}
