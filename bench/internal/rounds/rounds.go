// Package rounds runs one workload at several levels in turns, A B C A B C, in
// one process, so that whatever else the machine is busy with falls on all of
// them. It owns how a measurement is made and how measurements become medians,
// not what is measured nor how it is shown.
package rounds

import (
	"fmt"
	"runtime"
	"slices"
	"time"

	"github.com/leasekeeper/lkactor/actors/lease"
	"github.com/leasekeeper/lkactor/bench/internal/answer"
	"github.com/leasekeeper/lkactor/bench/internal/level"
	"github.com/leasekeeper/lkactor/bench/workloads"
)

// Plan says how much is measured.
type Plan struct {
	Ops    int // operations of each run
	Rounds int // runs of each level, not counting one to warm up
}

// Sample is what one level took in each round.
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

// Times are nanoseconds per operation, one figure per round. On a machine that
// does other things too, the wall clock counts those as well and the processor's
// time does not; but only the wall clock shows what a second core is good for.
type Times []float64

// Median is the median of the rounds.
func (t Times) Median() float64 { return median(t) }

// Ratio is the median, over the rounds, of how many times as long as the base
// this took in the same round; zero where the base was not measured.
func (t Times) Ratio(base Times) float64 {
	ratios := make([]float64, len(t))
	for i := range ratios {
		if base[i] > 0 {
			ratios[i] = t[i] / base[i]
		}
	}
	return median(ratios)
}

func median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	n := len(sorted)
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}

// Run measures the workload at all levels. It fails if a level gives a result
// that the first does not: then there is nothing to compare.
func (p Plan) Run(w workloads.Workload, levels []level.Level) ([]Sample, error) {
	trace := w.Cut(p.Ops)
	room := max(len(trace.Setup), len(trace.Ops))
	want, got := make([]lease.Result, room), make([]lease.Result, room)
	samples := make([]Sample, len(levels))

	for i, l := range levels {
		samples[i].Level = l.Name
		results := got
		if i == 0 {
			results = want
		}
		run(trace, results, l, new(Sample))
		if at := answer.FirstDifference(want[:p.Ops], results[:p.Ops]); at >= 0 {
			return nil, fmt.Errorf("%s: %s and %s differ at operation %d", w.Name, levels[0].Name, l.Name, at)
		}
	}
	for round := range p.Rounds {
		for i := range levels {
			turn := (i + round) % len(levels) // nobody always runs after the same one
			run(trace, got, levels[turn], &samples[turn])
		}
	}
	return samples, nil
}

// run measures one run of a fresh service.
func run(trace workloads.Trace, results []lease.Result, l level.Level, sample *Sample) {
	s := l.Open()
	defer s.Close()
	s.Run(trace.Setup, results[:len(trace.Setup)])
	work := s.Work()
	n := float64(len(trace.Ops))

	runtime.GC()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	cpu, start := cpuTime(), time.Now()
	s.Run(trace.Ops, results[:len(trace.Ops)])
	took, busy := time.Since(start), cpuTime()-cpu
	runtime.ReadMemStats(&after)

	sample.Wall = append(sample.Wall, float64(took.Nanoseconds())/n)
	sample.CPU = append(sample.CPU, float64(busy.Nanoseconds())/n)
	sample.Allocs = float64(after.Mallocs-before.Mallocs) / n
	sample.Bytes = float64(after.TotalAlloc-before.TotalAlloc) / n
	done := s.Work()
	if batches := done.Batches - work.Batches; batches > 0 {
		sample.Messages = float64(done.Messages()-work.Messages()) / n
		sample.Batch = n / float64(batches)
		sample.GraphSteps = float64(done.GraphSteps-work.GraphSteps) / n
	}
}
