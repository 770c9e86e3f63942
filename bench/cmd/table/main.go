// Command table measures what each level of the engine costs and writes it down
// as JSON, tables and charts. Run it from the root of the repository:
//
//	go run ./bench/cmd/table        # the workloads with targets: a minute
//	go run ./bench/cmd/table -all   # everything: ten minutes
//
// With -sections or -only it prints what was asked for and writes no files.
package main

import (
	"flag"
	"fmt"
	"os"
	"time"

	"github.com/leasekeeper/lkactor/bench/internal/report"
	"github.com/leasekeeper/lkactor/bench/internal/rounds"
)

func main() {
	var s suite
	flag.IntVar(&s.change.Ops, "ops", 0, "operations of each run, if not those that each section has of its own")
	flag.IntVar(&s.change.Rounds, "rounds", 0, "runs of each level, if not those that each section has of its own")
	flag.IntVar(&s.names, "names", 0, "if more than a million: so many idle names too, inline, in the section memory")
	all := flag.Bool("all", false, "all sections, not only the workloads that have targets")
	chosen := flag.String("sections", "", "only these sections, as a comma-separated `list` of: "+sectionNames())
	only := flag.String("only", "", "only the workloads in bulk whose names contain this `text`, of the sections chosen or else of all there are")
	out := flag.String("out", "bench/results", "the `directory` for the files of a whole run")
	flag.Parse()
	if err := checkFlags(&s, *all, *chosen, *only, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "table:", err)
		os.Exit(2)
	}
	if err := run(&s, *all, *chosen, *only, *out); err != nil {
		fmt.Fprintln(os.Stderr, "table:", err)
		os.Exit(1)
	}
}

// checkFlags refuses a command line that would measure something else than it seems to say.
func checkFlags(s *suite, all bool, chosen, only string, rest []string) error {
	switch {
	case len(rest) > 0:
		return fmt.Errorf("there is no argument to be %q: this command takes flags only, and reads none behind an argument", rest[0])
	case s.change.Ops < 0 || s.change.Rounds < 0 || s.names < 0:
		return fmt.Errorf("-ops, -rounds and -names are counts and not negative")
	case all && (chosen != "" || only != ""):
		return fmt.Errorf("-all does not go with -sections or -only, which choose some")
	}
	return nil
}

// run measures, prints, and writes if the run is a whole one.
func run(s *suite, all bool, chosen, only, out string) error {
	steps, err := s.choose(all, chosen, only)
	if err != nil {
		return err
	}
	start := time.Now()
	s.report.Environment = report.Surroundings(start)
	s.report.ClockNs = rounds.ClockNs()
	meter := report.NewMeter(rounds.CPUTime)
	for _, step := range steps {
		if err := step.measure(s); err != nil {
			return err
		}
	}
	s.report.Load = meter.Load()
	s.report.Took = time.Since(start).Seconds()
	s.report.Table(os.Stdout)
	if chosen != "" || only != "" {
		return nil
	}
	return s.report.Write(out, start.UTC().Format(time.DateOnly))
}
