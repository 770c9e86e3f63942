package main

import (
	"os"
	"strings"
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
		{chosen: "targets,growth", only: "uniform", want: 2},
		{chosen: "rings,rings", want: -1},
		{chosen: "targets,waiters", only: "uniform", want: -1},
		{chosen: "rings", only: "uniform", want: -1},
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

// With both, only workloads of the chosen sections are run.
func TestOnlyWithinSections(t *testing.T) {
	for i := range bulks {
		b := &bulks[i]
		s := &suite{change: rounds.Plan{Ops: 200, Rounds: 1}}
		stderr := os.Stderr
		os.Stderr = nil
		steps, err := s.choose(false, b.name, b.workloads()[0].Name)
		if err == nil {
			err = steps[0].measure(s)
		}
		os.Stderr = stderr
		if err != nil {
			t.Fatal(err)
		}
		own := map[string]bool{}
		for _, w := range b.workloads() {
			own[w.Name] = true
		}
		ran := b.into(&s.report).Workloads
		for _, w := range ran {
			if !own[w.Name] || !strings.Contains(w.Name, b.workloads()[0].Name) {
				t.Errorf("the section %s has run %s", b.name, w.Name)
			}
		}
		if len(ran) == 0 {
			t.Errorf("the section %s has run nothing", b.name)
		}
	}
}

func TestBadCommandLines(t *testing.T) {
	for name, err := range map[string]error{
		"an argument":      checkFlags(&suite{}, false, "", "", []string{"x", "-all"}),
		"negative ops":     checkFlags(&suite{change: rounds.Plan{Ops: -1}}, false, "", "", nil),
		"negative rounds":  checkFlags(&suite{change: rounds.Plan{Rounds: -5}}, false, "", "", nil),
		"negative names":   checkFlags(&suite{names: -1}, false, "", "", nil),
		"all and sections": checkFlags(&suite{}, true, "rings", "", nil),
		"all and only":     checkFlags(&suite{}, true, "", "hot", nil),
	} {
		if err == nil {
			t.Errorf("%s is accepted", name)
		}
	}
	if err := checkFlags(&suite{change: rounds.Plan{Ops: 5}}, false, "targets", "hot", nil); err != nil {
		t.Error(err)
	}
}
