package main

import (
	"os"
	"testing"

	"github.com/leasekeeper/lkactor/bench/internal/rounds"
)

func TestChoose(t *testing.T) {
	for _, c := range []struct {
		all          bool
		chosen, only string
		want         int // sections; -1 for an error
	}{
		{want: 1},
		{all: true, want: len(sections)},
		{chosen: "rings,singles", want: 2},
		{chosen: "rings,none", want: -1},
		{only: "hot", want: 1},
		{only: "none", want: -1},
	} {
		steps, err := new(suite).choose(c.all, c.chosen, c.only)
		if got := len(steps); err == nil && got != c.want || err != nil && c.want != -1 {
			t.Errorf("%+v: %d sections, %v", c, got, err)
		}
	}
}

// TestRunPrintsAndWrites does a short run of chosen sections, which leaves no
// file, and one of the workloads with targets, which leaves three.
func TestRunPrintsAndWrites(t *testing.T) {
	stdout, stderr := os.Stdout, os.Stderr
	os.Stdout, os.Stderr = nil, nil
	defer func() { os.Stdout, os.Stderr = stdout, stderr }()
	short := rounds.Plan{Ops: 300, Rounds: 1}
	for chosen, want := range map[string]int{"rings,singles": 0, "": 3} {
		dir := t.TempDir()
		if err := run(&suite{change: short}, false, chosen, "", dir); err != nil {
			t.Fatal(err)
		}
		files, err := os.ReadDir(dir)
		if err != nil || len(files) != want {
			t.Errorf("sections %q leave %d files, want %d: %v", chosen, len(files), want, err)
		}
	}
}
