package rounds

import (
	"fmt"

	"github.com/leasekeeper/lkactor/actors/lease"
	"github.com/leasekeeper/lkactor/bench/internal/answer"
	"github.com/leasekeeper/lkactor/bench/internal/level"
	"github.com/leasekeeper/lkactor/bench/workloads"
)

// Sample is what one level took for operations in bulk in each round.
type Sample struct {
	Level  string  `json:"level"`
	Wall   Times   `json:"wall_ns_per_op"`
	CPU    Times   `json:"cpu_ns_per_op"` // of all threads; zero where the system does not tell
	Allocs float64 `json:"allocs_per_op"`
	Bytes  float64 `json:"bytes_per_op"`

	// Counted in the last round; zero where the level does not count.
	Messages   float64 `json:"messages_per_op"`
	Batch      float64 `json:"ops_per_batch"`
	GraphSteps float64 `json:"graph_steps_per_op"`
}

// Bulk measures the workload at all levels, every run on a fresh service. It
// fails if a level gives a result that the first does not: then there is nothing
// to compare.
func (p Plan) Bulk(w workloads.Workload, levels []level.Level) ([]Sample, error) {
	trace := w.Cut(p.Ops)
	room := max(len(trace.Setup), len(trace.Ops))
	want, got := make([]lease.Result, room), make([]lease.Result, room)
	samples, of := byLevel(levels, func(name string) Sample { return Sample{Level: name} })

	err := p.turns(levels, func(l level.Level, warmUp bool) error {
		switch {
		case !warmUp:
			bulk(trace, got, l, of[l.Name])
		case l.Name == levels[0].Name:
			bulk(trace, want, l, new(Sample))
		default:
			bulk(trace, got, l, new(Sample))
			if at := answer.FirstDifference(want[:p.Ops], got[:p.Ops]); at >= 0 {
				return fmt.Errorf("%s: %s and %s differ at operation %d", w.Name, levels[0].Name, l.Name, at)
			}
		}
		return nil
	})
	return samples, err
}

// bulk measures one run of a fresh service.
func bulk(trace workloads.Trace, results []lease.Result, l level.Level, sample *Sample) {
	s := l.Open()
	defer s.Close()
	s.Run(trace.Setup, results[:len(trace.Setup)])
	before := s.Work()
	n := float64(len(trace.Ops))

	w := begin()
	s.Run(trace.Ops, results[:len(trace.Ops)])
	cost := w.end()

	sample.Wall = append(sample.Wall, cost.wall/n)
	sample.CPU = append(sample.CPU, cost.cpu/n)
	sample.Allocs, sample.Bytes = cost.allocs/n, cost.bytes/n
	var work level.Work
	work.Add(s.Work(), before)
	sample.GraphSteps = float64(work.Steps) / n
	sample.Messages = float64(work.Messages()) / n
	if work.Batches > 0 {
		sample.Batch = n / float64(work.Batches)
	}
}
