// Command durable measures an engine with a journal: operations that are on disk before
// they are answered, beside the bare disk, and what a restart and a snapshot take. Run it
// from the root of the repository, on a machine that has nothing else to do:
//
//	go run ./bench/cmd/durable -dir /a/directory/on/the/disk
//
// It prints tables in Markdown. -short is for seeing that it works.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"time"

	"github.com/leasekeeper/lkactor/bench/internal/arguments"
	"github.com/leasekeeper/lkactor/bench/internal/report"
	"github.com/leasekeeper/lkactor/bench/internal/rounds"
)

// plan is how much is measured, and where.
type plan struct {
	dir    string
	length time.Duration // of a round
	rounds int
	ops    int // in the journal that is recovered
	locks  int // in the snapshot that is started from
}

func main() {
	p := plan{}
	flag.StringVar(&p.dir, "dir", os.TempDir(), "where to make files: a directory on the disk that is to be measured")
	flag.DurationVar(&p.length, "length", 2*time.Second, "how long a round of operations is")
	flag.IntVar(&p.rounds, "rounds", 7, "how many rounds there are of each")
	flag.IntVar(&p.ops, "ops", 3_000_000, "how many operations are recovered")
	flag.IntVar(&p.locks, "locks", 1_000_000, "how many locks are started with")
	only := flag.String("only", "", "commit, recovery or snapshot: that part alone")
	short := flag.Bool("short", false, "little of everything, for no figures")
	flag.Parse()
	arguments.Exit("durable", p.check(*only, *short, arguments.Given(), flag.Args()))
	if *short {
		p = p.short()
	}
	if err := p.run(*only); err != nil {
		fmt.Fprintln(os.Stderr, "durable:", err)
		os.Exit(1)
	}
}

// shortest is how short a round may be: something should be on disk at its end.
const shortest = 10 * time.Millisecond

// check refuses a command line that would measure nothing, or not what it says.
func (p plan) check(only string, short bool, given map[string]bool, rest []string) error {
	errs := []error{
		arguments.NoMore(rest),
		arguments.OneOf("only", only, "commit", "recovery", "snapshot"),
		arguments.AtLeast("length", p.length, shortest), arguments.AtLeast("rounds", p.rounds, 1),
		arguments.AtLeast("ops", p.ops, 1), arguments.AtLeast("locks", p.locks, 1),
	}
	if short {
		errs = append(errs, arguments.Idle(given, "with -short", "length", "rounds", "ops", "locks"))
	}
	switch only {
	case "commit":
		errs = append(errs, arguments.Idle(given, "with -only commit", "ops", "locks"))
	case "recovery":
		errs = append(errs, arguments.Idle(given, "with -only recovery", "length", "locks"))
	case "snapshot":
		errs = append(errs, arguments.Idle(given, "with -only snapshot", "ops"))
	}
	return errors.Join(errs...)
}

// short is little of everything.
func (p plan) short() plan {
	p.length, p.rounds, p.ops, p.locks = 100*time.Millisecond, 1, 20_000, 10_000
	return p
}

func (p plan) run(only string) (err error) {
	if p.dir, err = os.MkdirTemp(p.dir, "lkactor-durable-"); err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(p.dir) }()
	before := report.Surroundings(time.Now())
	fmt.Printf("# A durable engine\n\n%s UTC, commit %s, %s, %d cores, %s %s\n\n", before.Date, before.Commit, before.CPU, before.Cores, before.Go, before.System)
	meter := report.NewMeter(rounds.CPUTime)
	for _, part := range []struct {
		name string
		run  func() error
	}{{"commit", p.commits}, {"recovery", p.recovery}, {"snapshot", p.snapshots}} {
		if only != "" && only != part.name {
			continue
		}
		if err := part.run(); err != nil {
			return fmt.Errorf("%s: %w", part.name, err)
		}
	}
	fmt.Println(meter.Load())
	return nil
}
