package report

import (
	"fmt"
	"io"

	"github.com/leasekeeper/lkactor/bench/internal/rounds"
)

// Table writes the report as Markdown.
func (r *Report) Table(out io.Writer) {
	fmt.Fprintf(out, "# What the levels cost\n\n%s\n\n%s The run took %.0f s; one reading of the clock takes %.0f ns.\n\n",
		r.caption(), r.Load, r.Took, r.ClockNs)
	fmt.Fprint(out, "Figures are medians of rounds; the levels take turns within each round. A ratio is the median of "+
		"the ratios within the rounds. Processor time is that of all threads of the process, and does not see what else "+
		"the machine was busy with.\n")
	r.Targets.ratios(out, "In bulk: the workloads with targets")
	r.Targets.counts(out)
	r.Others.ratios(out, "In bulk: other workloads")
	r.Others.counts(out)
	r.Proto.proto(out)
	r.Growth.steps(out, "In bulk: more and more locks")
	r.Waiters.steps(out, "In bulk: one hot lock with more and more waiters")
	r.Singles.table(out)
	r.Callers.table(out)
	r.Rings.table(out)
	r.memory(out)
}

// kinds are the kinds of time, each with a table of its own.
var kinds = []struct {
	name string
	of   func(*rounds.Sample) rounds.Times
}{
	{"wall clock", func(s *rounds.Sample) rounds.Times { return s.Wall }},
	{"processor time", func(s *rounds.Sample) rounds.Times { return s.CPU }},
}

// heading begins a section of workloads in bulk; ok is false where there is none.
func (b *Bulk) heading(out io.Writer, title string) (ok bool) {
	if len(b.Workloads) == 0 {
		return false
	}
	fmt.Fprintf(out, "\n## %s\n\nNanoseconds per operation, %d rounds of %d operations.\n", title, b.Rounds, b.Ops)
	return true
}

// ratios writes both kinds of time of all levels, side by side with what the
// level below takes.
func (b *Bulk) ratios(out io.Writer, title string) {
	if !b.heading(out, title) {
		return
	}
	for _, kind := range kinds {
		t := table(out, 1, kind.name, "plain ns", "model ns", "inline ns", "own ns", "model/plain", "inline/model", "own/model")
		for i := range b.Workloads {
			w := &b.Workloads[i]
			t.add("%s", w.Name)
			for _, l := range []string{"plain", "model", "inline", "own"} {
				t.add("%.0f", kind.of(w.sample(l)).Median())
			}
			for _, pair := range [][2]string{{"model", "plain"}, {"inline", "model"}, {"own", "model"}} {
				t.add("%.2f", kind.of(w.sample(pair[0])).Ratio(kind.of(w.sample(pair[1]))))
			}
			t.end()
		}
	}
}

// counts writes what was counted, and what the workloads are.
func (b *Bulk) counts(out io.Writer) {
	if len(b.Workloads) == 0 {
		return
	}
	t := table(out, 2, "workload", "level", "allocs/op", "B/op", "messages/op", "ops/batch", "graph steps/op")
	for _, w := range b.Workloads {
		for _, s := range w.Samples {
			t.add("%s", w.Name)
			t.add("%s", s.Level)
			t.add("%.2f", s.Allocs)
			t.add("%.0f", s.Bytes)
			t.some("%.2f", s.Messages)
			t.some("%.1f", s.Batch)
			t.some("%.2f", s.GraphSteps)
			t.end()
		}
	}
	fmt.Fprint(out, "\nWhat is zero is left out. The plain service counts nothing; the model has neither messages nor "+
		"batches. Graph steps are edges of the wait-for graph that were looked at.\n\n")
	for _, w := range b.Workloads {
		fmt.Fprintf(out, "- **%s**: %s.\n", w.Name, w.Mix)
	}
}

// proto writes what Proto.Actor's own dispatcher takes.
func (b *Bulk) proto(out io.Writer) {
	if !b.heading(out, "In bulk: under Proto.Actor's own dispatcher, which only tests choose") {
		return
	}
	t := table(out, 1, "workload", "model ns", "proto ns", "proto processor ns", "proto/model")
	for i := range b.Workloads {
		w := &b.Workloads[i]
		model, proto := w.sample("model"), w.sample("proto")
		t.add("%s", w.Name)
		t.add("%.0f", model.Wall.Median())
		t.add("%.0f", proto.Wall.Median())
		t.add("%.0f", proto.CPU.Median())
		t.add("%.2f", proto.Wall.Ratio(model.Wall))
		t.end()
	}
}

// steps writes how the cost changes from one workload to the next.
func (b *Bulk) steps(out io.Writer, title string) {
	if !b.heading(out, title) {
		return
	}
	fmt.Fprint(out, "Growth is how many times as long as in the first row an operation takes; behind it, how many "+
		"times the growth of the first level that is.\n")
	first := &b.Workloads[0]
	for _, kind := range kinds {
		columns := []string{kind.name}
		for i, s := range first.Samples {
			columns = append(columns, s.Level+" ns", "growth")
			if i > 0 {
				columns = append(columns, "by "+first.Samples[0].Level+"'s")
			}
		}
		t := table(out, 1, columns...)
		for i := range b.Workloads {
			w := &b.Workloads[i]
			t.add("%s", w.Name)
			base := 0.0
			for k := range w.Samples {
				s := &w.Samples[k]
				growth := kind.of(s).Median() / kind.of(first.sample(s.Level)).Median()
				t.add("%.0f", kind.of(s).Median())
				t.add("%.2f", growth)
				if k == 0 {
					base = growth
				} else {
					t.add("%.2f", growth/base)
				}
			}
			t.end()
		}
	}
}

func (r *Report) caption() string {
	return fmt.Sprintf("%s UTC, commit %s, %s, %d cores, %s %s", r.Date, r.Commit, r.CPU, r.Cores, r.Go, r.System)
}
