// Command live measures an engine with a clock: callers at once, how long a
// hand-over takes on an idle machine, and a storm of leases that end in the same
// second. Run it from the root of the repository, on a machine that has nothing else
// to do:
//
//	go run ./bench/cmd/live
//
// It prints tables in Markdown. -short is for seeing that it works.
package main

import (
	"flag"
	"fmt"
	"os"
	"time"
)

// plan is how much is measured.
type plan struct {
	length    time.Duration // of a round of callers
	rounds    int
	handOvers int // one after the other
	leases    int // in a storm
}

func main() {
	var p plan
	flag.DurationVar(&p.length, "length", time.Second, "how long a round of callers is")
	flag.IntVar(&p.rounds, "rounds", 5, "how many rounds there are of each")
	flag.IntVar(&p.handOvers, "handovers", 2_000, "how many hand-overs there are, one after the other")
	flag.IntVar(&p.leases, "leases", 100_000, "how many leases end in the same second")
	only := flag.String("only", "", "callers, handover or storm: that part alone")
	short := flag.Bool("short", false, "little of everything, for no figures")
	flag.Parse()
	if *short {
		p = plan{length: 50 * time.Millisecond, rounds: 1, handOvers: 50, leases: 2_000}
	}
	if err := p.run(*only); err != nil {
		fmt.Fprintln(os.Stderr, "live:", err)
		os.Exit(1)
	}
}

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
