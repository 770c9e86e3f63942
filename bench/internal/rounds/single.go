package rounds

import (
	"fmt"
	"slices"
	"time"

	"github.com/leasekeeper/lkactor/actors/lease"
	"github.com/leasekeeper/lkactor/bench/internal/answer"
	"github.com/leasekeeper/lkactor/bench/internal/level"
	"github.com/leasekeeper/lkactor/bench/workloads"
)

// Single is what one level took, in each round, for operations of which each
// waits for the answer of the one before.
type Single struct {
	Level string `json:"level"`
	Wall  Times  `json:"wall_ns_per_op"` // without a look at the clock in between
	CPU   Times  `json:"cpu_ns_per_op"`
	// The quantiles of single operations; each includes one reading of the clock.
	P50 Times `json:"p50_ns"`
	P99 Times `json:"p99_ns"`

	Allocs float64 `json:"allocs_per_op"` // of the last round
}

// Single measures the workload at all levels, one operation at a time: the first
// half of the operations as a whole, the second each for itself. It fails if a
// level gives a result that the first does not.
func (p Plan) Single(w workloads.Workload, levels []level.Level) ([]Single, error) {
	trace := w.Cut(p.Ops)
	want, got := make([]lease.Result, p.Ops), make([]lease.Result, p.Ops)
	samples, of := byLevel(levels, func(name string) Single { return Single{Level: name} })

	err := p.turns(levels, func(l level.Level, warmUp bool) error {
		switch {
		case !warmUp:
			single(trace, got, l, of[l.Name])
		case l.Name == levels[0].Name:
			single(trace, want, l, new(Single))
		default:
			single(trace, got, l, new(Single))
			if at := answer.FirstDifference(want, got); at >= 0 {
				return fmt.Errorf("%s: %s and %s differ at single operation %d", w.Name, levels[0].Name, l.Name, at)
			}
		}
		return nil
	})
	return samples, err
}

func single(trace workloads.Trace, results []lease.Result, l level.Level, sample *Single) {
	s := l.Open()
	defer s.Close()
	s.Run(trace.Setup, make([]lease.Result, len(trace.Setup)))
	half := len(trace.Ops) / 2
	n := float64(max(half, 1))

	w := begin()
	for i := range half {
		results[i] = s.Do(&trace.Ops[i])
	}
	cost := w.end()
	sample.Wall = append(sample.Wall, cost.wall/n)
	sample.CPU = append(sample.CPU, cost.cpu/n)
	sample.Allocs = cost.allocs / n

	took := Each(s, trace.Ops[half:], results[half:])
	sample.P50 = append(sample.P50, Quantile(took, 0.50))
	sample.P99 = append(sample.P99, Quantile(took, 0.99))
}

// Each does the operations one after the other and gives how long each of them
// took in nanoseconds, sorted. A time includes one reading of the clock.
func Each(s level.Service, ops []lease.Operation, results []lease.Result) []int64 {
	took := make([]int64, len(ops))
	start := time.Now()
	last := time.Duration(0)
	for i := range ops {
		results[i] = s.Do(&ops[i])
		now := time.Since(start)
		took[i] = int64(now - last)
		last = now
	}
	slices.Sort(took)
	return took
}

// ClockNs is how many nanoseconds one reading of the clock takes here, when
// nobody interferes.
func ClockNs() float64 {
	var each Times
	for range 11 {
		const readings = 10_000
		start := time.Now()
		for range readings {
			_ = time.Since(start)
		}
		each = append(each, float64(time.Since(start).Nanoseconds())/readings)
	}
	return slices.Min(each)
}
