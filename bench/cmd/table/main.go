// Command table measures what each level of the engine costs and writes it down
// as JSON, tables and charts. Run it from the root of the repository:
//
//	go run ./bench/cmd/table        # the workloads with targets: a minute
//	go run ./bench/cmd/table -all   # everything: ten minutes
//
// The files are called by the day: DATE, DATE-all with -all, and DATE-trial or
// DATE-all-trial where -ops or -rounds change what a run is. With -sections or -only it
// prints what was asked for and writes no files.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"slices"
	"time"

	"github.com/leasekeeper/lkactor/bench/internal/arguments"
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
	steps, err := s.check(*all, *chosen, *only, arguments.Given(), flag.Args())
	arguments.Exit("table", err)
	if *chosen != "" || *only != "" {
		*out = ""
	}
	if err := s.run(steps, *out, *all); err != nil {
		fmt.Fprintln(os.Stderr, "table:", err)
		os.Exit(1)
	}
}

// check refuses a command line that would measure something else than it seems to say,
// and gives the sections that it asks for.
func (s *suite) check(all bool, chosen, only string, given map[string]bool, rest []string) ([]section, error) {
	errs := []error{arguments.NoMore(rest)}
	for name, count := range map[string]struct{ value, least int }{
		"ops": {s.change.Ops, 1}, "rounds": {s.change.Rounds, 1}, "names": {s.names, idleNames + 1},
	} {
		if given[name] {
			errs = append(errs, arguments.AtLeast(name, count.value, count.least))
		}
	}
	if all && (chosen != "" || only != "") {
		errs = append(errs, fmt.Errorf("-all does not go with -sections or -only, which choose some"))
	}
	if chosen != "" || only != "" {
		errs = append(errs, arguments.Idle(given, "with -sections or -only, which write no files", "out"))
	}
	steps, err := s.choose(all, chosen, only)
	if err != nil {
		return nil, errors.Join(append(errs, err)...)
	}
	memory := slices.ContainsFunc(steps, func(x section) bool { return x.name == "memory" })
	if !memory {
		errs = append(errs, arguments.Idle(given, "without the section memory", "names"))
	}
	if memory && len(steps) == 1 {
		errs = append(errs, arguments.Idle(given, "on the section memory", "ops", "rounds"))
	}
	return steps, errors.Join(errs...)
}

// run measures, prints, and writes to files in out if that is not empty.
func (s *suite) run(steps []section, out string, all bool) error {
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
	if out == "" {
		return nil
	}
	return s.report.Write(out, s.fileName(start, all))
}

// fileName is the day, with a mark for a run of everything, so that one of the workloads
// with targets does not replace it, and one for a run with counts of its own, which
// replaces no other kind.
func (s *suite) fileName(start time.Time, all bool) string {
	name := start.UTC().Format(time.DateOnly)
	if all {
		name += "-all"
	}
	if s.change != (rounds.Plan{}) {
		name += "-trial"
	}
	return name
}
