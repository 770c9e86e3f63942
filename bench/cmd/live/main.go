// Command live measures an engine with a clock: callers at once, how long a
// hand-over takes on an idle machine, and a storm of leases that end in the same
// second. Run it from the root of the repository, on a machine that has nothing else
// to do:
//
//	go run ./bench/cmd/live
//
// It prints tables in Markdown, and writes them with what they were measured on to a file
// of the day's under bench/results. -short is for seeing that it works.
package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/leasekeeper/lkactor/bench/internal/arguments"
	"github.com/leasekeeper/lkactor/bench/internal/report"
	"github.com/leasekeeper/lkactor/bench/internal/rounds"
)

// plan is how much is measured.
type plan struct {
	length    time.Duration // of a round of callers
	rounds    int
	handOvers int // one after the other
	leases    int // in a storm
	waiters   int // for the locks of a storm, spread over them
	out       io.Writer
}

func main() {
	var p plan
	flag.DurationVar(&p.length, "length", time.Second, "how long a round of callers is")
	flag.IntVar(&p.rounds, "rounds", 5, "how many rounds there are of each")
	flag.IntVar(&p.handOvers, "handovers", 2_000, "how many hand-overs there are, one after the other")
	flag.IntVar(&p.leases, "leases", 100_000, "how many leases end in the same second")
	flag.IntVar(&p.waiters, "waiters", 1_000, "for how many of them somebody waits, beside the storm in which somebody does for each")
	only := flag.String("only", "", "callers, handover or storm: that part alone")
	dir := flag.String("out", "bench/results", "the `directory` for the file; nothing for none")
	short := flag.Bool("short", false, "little of everything, for no figures")
	flag.Parse()
	arguments.Exit("live", p.check(*only, *short, arguments.Given(), flag.Args()))
	if *short {
		p = plan{length: 50 * time.Millisecond, rounds: 1, handOvers: 50, leases: 2_000, waiters: 100}
		*dir = ""
	}
	if err := p.save(*only, *dir); err != nil {
		fmt.Fprintln(os.Stderr, "live:", err)
		os.Exit(1)
	}
}

// shortest is how short a round may be: something should be answered in it.
const shortest = time.Millisecond

// effects says of which part alone a flag changes something.
var effects = map[string][]string{
	"callers": {"length", "rounds"}, "handover": {"handovers"}, "storm": {"leases", "waiters"},
}

// check refuses a command line that would measure nothing, or not what it says.
func (p plan) check(only string, short bool, given map[string]bool, rest []string) error {
	errs := []error{
		arguments.NoMore(rest),
		arguments.OneOf("only", only, "callers", "handover", "storm"),
		arguments.AtLeast("length", p.length, shortest), arguments.AtLeast("rounds", p.rounds, 1),
		arguments.AtLeast("handovers", p.handOvers, 1),
		arguments.AtLeast("leases", p.leases, 1), arguments.AtLeast("waiters", p.waiters, 1),
	}
	if p.waiters > p.leases {
		errs = append(errs, fmt.Errorf("-waiters is %d, and there are only %d -leases to be waited for", p.waiters, p.leases))
	}
	if short {
		errs = append(errs, arguments.Idle(given, "with -short", "length", "rounds", "handovers", "leases", "waiters", "out"))
	}
	for _, part := range []string{"callers", "handover", "storm"} {
		if effects[only] != nil && only != part {
			errs = append(errs, arguments.Idle(given, "with -only "+only, effects[part]...))
		}
	}
	return errors.Join(errs...)
}

// save runs, and writes what was measured to a file in dir, if that is not empty, beside
// the standard output.
func (p plan) save(only, dir string) error {
	if dir != "" { // before minutes are spent
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return err
		}
	}
	var text bytes.Buffer
	p.out = io.MultiWriter(os.Stdout, &text)
	begun := time.Now()
	e, meter := report.Surroundings(begun), report.NewMeter(rounds.CPUTime)
	fmt.Fprintf(p.out, "# A live engine\n\n%s UTC, commit %s, %s, %d cores, %s %s\n", e.Date, e.Commit, e.CPU, e.Cores, e.Go, e.System)
	if err := p.run(only); err != nil {
		return err
	}
	fmt.Fprintf(p.out, "\n%v\n", meter.Load())
	if dir == "" {
		return nil
	}
	name := "live-"
	if only != "" {
		name += only + "-"
	}
	return os.WriteFile(filepath.Join(dir, name+begun.UTC().Format(time.DateOnly)+".md"), text.Bytes(), 0o644)
}

// run measures the named part, or all.
func (p plan) run(only string) error {
	for _, part := range []struct {
		name string
		run  func() error
	}{{"callers", p.callers}, {"handover", p.handOver}, {"storm", p.storm}} {
		if only != "" && only != part.name {
			continue
		}
		if err := part.run(); err != nil {
			return fmt.Errorf("%s: %w", part.name, err)
		}
	}
	return nil
}
