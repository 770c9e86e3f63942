package main

import (
	"os"
	"strings"
	"testing"
	"time"

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
		s := &suite{change: short}
		steps, err := s.choose(false, chosen, "")
		if err != nil {
			t.Fatal(err)
		}
		out := dir
		if want == 0 {
			out = ""
		}
		if err := s.run(steps, out, false); err != nil {
			t.Fatal(err)
		}
		files, err := os.ReadDir(dir)
		if err != nil || len(files) != want {
			t.Errorf("sections %q leave %d files, want %d: %v", chosen, len(files), want, err)
		}
		for _, f := range files {
			if !strings.Contains(f.Name(), "-trial.") {
				t.Errorf("a short run is called %s", f.Name())
			}
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
	check := func(s suite, all bool, chosen, only string, rest []string, given ...string) error {
		flags := make(map[string]bool)
		for _, name := range given {
			flags[name] = true
		}
		_, err := s.check(all, chosen, only, flags, rest)
		return err
	}
	for name, err := range map[string]error{
		"an argument":       check(suite{}, false, "", "", []string{"x", "-all"}),
		"negative ops":      check(suite{change: rounds.Plan{Ops: -1}}, false, "", "", nil, "ops"),
		"no rounds":         check(suite{}, false, "", "", nil, "rounds"),
		"few names":         check(suite{names: idleNames}, true, "", "", nil, "names"),
		"all and sections":  check(suite{}, true, "rings", "", nil),
		"all and only":      check(suite{}, true, "", "hot", nil),
		"an unknown one":    check(suite{}, false, "none", "", nil),
		"names, no memory":  check(suite{names: idleNames + 1}, false, "", "", nil, "names"),
		"rounds of memory":  check(suite{change: rounds.Plan{Rounds: 3}}, false, "memory", "", nil, "rounds"),
		"files of sections": check(suite{}, false, "rings", "", nil, "out"),
	} {
		if err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
	for name, err := range map[string]error{
		"ops":   check(suite{change: rounds.Plan{Ops: 5}}, false, "targets", "hot", nil, "ops"),
		"names": check(suite{names: idleNames + 1}, true, "", "", nil, "names", "out"),
	} {
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A run of everything, one of the targets and trials of both replace each other's files
// nowhere.
func TestFileNames(t *testing.T) {
	day := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	trial := suite{change: rounds.Plan{Rounds: 1}}
	for want, got := range map[string]string{
		"2026-01-02": new(suite).fileName(day, false), "2026-01-02-all": new(suite).fileName(day, true),
		"2026-01-02-trial": trial.fileName(day, false), "2026-01-02-all-trial": trial.fileName(day, true),
	} {
		if got != want {
			t.Errorf("%s is called %s", want, got)
		}
	}
}
