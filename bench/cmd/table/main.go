// Command table measures what each level of the engine costs on each workload
// and writes it down as JSON, table and chart. Run it from the root of the
// repository:
//
//	go run ./bench/cmd/table
package main

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/leasekeeper/lkactor/bench/internal/level"
	"github.com/leasekeeper/lkactor/bench/internal/report"
	"github.com/leasekeeper/lkactor/bench/internal/rounds"
	"github.com/leasekeeper/lkactor/bench/workloads"
)

func main() {
	var plan rounds.Plan
	flag.IntVar(&plan.Ops, "ops", 100_000, "operations of each run")
	flag.IntVar(&plan.Rounds, "rounds", 21, "runs of each level")
	all := flag.Bool("all", false, "all workloads, not only those of the table of targets")
	only := flag.String("only", "", "only workloads whose name contains this `text`, of all there are")
	out := flag.String("out", "bench/results", "the `directory` for the files; empty: write none")
	flag.Parse()
	if err := run(plan, pick(*all, *only), *out); err != nil {
		fmt.Fprintln(os.Stderr, "table:", err)
		os.Exit(1)
	}
}

func pick(all bool, only string) []workloads.Workload {
	if !all && only == "" {
		return workloads.Table()
	}
	var picked []workloads.Workload
	for _, w := range workloads.All() {
		if strings.Contains(w.Name, only) {
			picked = append(picked, w)
		}
	}
	return picked
}

func run(plan rounds.Plan, picked []workloads.Workload, out string) error {
	if plan.Ops < 1 || plan.Rounds < 1 || len(picked) == 0 {
		return fmt.Errorf("nothing to measure")
	}
	now := time.Now()
	r := report.Report{Environment: report.Surroundings(now), Ops: plan.Ops, Rounds: plan.Rounds}
	for _, w := range picked {
		fmt.Fprintln(os.Stderr, "measuring", w.Name)
		samples, err := plan.Run(w, level.All())
		if err != nil {
			return err
		}
		r.Workloads = append(r.Workloads, report.Workload{Name: w.Name, Mix: w.Mix, Samples: samples})
	}
	r.Table(os.Stdout)
	if out == "" {
		return nil
	}
	return r.Write(out, now.UTC().Format(time.DateOnly))
}
