package report

import (
	"fmt"
	"io"

	"github.com/leasekeeper/lkactor/bench/internal/rounds"
)

// Table writes the report as Markdown.
func (r *Report) Table(out io.Writer) {
	fmt.Fprintf(out, "# What the levels cost\n\n%s\n\n", r.caption())
	fmt.Fprintf(out, "Nanoseconds per operation are medians of %d rounds of %d operations; the levels take turns "+
		"within each round. A ratio is the median of the ratios within the rounds. Processor time is that of all "+
		"threads, and does not see what else the machine was busy with.\n", r.Rounds, r.Ops)
	r.ratios(out, "wall clock", func(s *rounds.Sample) rounds.Times { return s.Wall })
	r.ratios(out, "processor time", func(s *rounds.Sample) rounds.Times { return s.CPU })

	fmt.Fprint(out, "\n| workload | level | allocs/op | B/op | messages/op | ops/batch | graph steps/op |\n"+
		"|---|---|---:|---:|---:|---:|---:|\n")
	for _, w := range r.Workloads {
		for _, s := range w.Samples {
			fmt.Fprintf(out, "| %s | %s | %.2f | %.0f |", w.Name, s.Level, s.Allocs, s.Bytes)
			if s.Batch == 0 {
				fmt.Fprint(out, " | | |\n")
				continue
			}
			fmt.Fprintf(out, " %.2f | %.1f | %.2f |\n", s.Messages, s.Batch, s.GraphSteps)
		}
	}
	fmt.Fprint(out, "\nThe engine does not count graph steps; they are the model's.\n\n")
	for _, w := range r.Workloads {
		fmt.Fprintf(out, "- **%s**: %s.\n", w.Name, w.Mix)
	}
}

// ratios writes the table of one kind of times.
func (r *Report) ratios(out io.Writer, title string, of func(*rounds.Sample) rounds.Times) {
	fmt.Fprintf(out, "\n| %s | plain ns | model ns | inline ns | own ns | model/plain | inline/model | own/model |\n", title)
	fmt.Fprintln(out, "|---|---:|---:|---:|---:|---:|---:|---:|")
	for i := range r.Workloads {
		w := &r.Workloads[i]
		fmt.Fprintf(out, "| %s |", w.Name)
		for _, l := range []string{"plain", "model", "inline", "own"} {
			fmt.Fprintf(out, " %.0f |", of(w.sample(l)).Median())
		}
		for _, pair := range [][2]string{{"model", "plain"}, {"inline", "model"}, {"own", "model"}} {
			fmt.Fprintf(out, " %.2f |", of(w.sample(pair[0])).Ratio(of(w.sample(pair[1]))))
		}
		fmt.Fprintln(out)
	}
}

func (r *Report) caption() string {
	return fmt.Sprintf("%s UTC, commit %s, %s, %d cores, %s %s", r.Date, r.Commit, r.CPU, r.Cores, r.Go, r.System)
}
