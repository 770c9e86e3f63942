package rounds

import (
	"fmt"
	"sync"

	"github.com/leasekeeper/lkactor/actors/lease"
	"github.com/leasekeeper/lkactor/bench/internal/level"
	"github.com/leasekeeper/lkactor/bench/workloads"
)

// Shared is what one level took in each round for single operations by many
// callers at once: time as a whole, by the number of operations.
type Shared struct {
	Level string  `json:"level"`
	Wall  Times   `json:"wall_ns_per_op"`
	CPU   Times   `json:"cpu_ns_per_op"`
	Batch float64 `json:"ops_per_batch"` // of the last round; zero where the level does not count
}

// Callers measures that many callers who acquire and release random locks of
// that many, p.Ops operations together, but a pair each at least. The levels must be for concurrent use.
// Which operations queue depends on chance, but none may be refused: then a
// level has lost or invented something, and this fails.
func (p Plan) Callers(callers, locks int, levels []level.Level) ([]Shared, error) {
	streams := workloads.Callers(callers, locks, max(p.Ops, 2*callers))
	warm := workloads.Warm(callers, locks)
	samples, of := byLevel(levels, func(name string) Shared { return Shared{Level: name} })

	err := p.turns(levels, func(l level.Level, warmUp bool) error {
		sample := of[l.Name]
		if warmUp {
			sample = new(Shared)
		}
		s := l.Open()
		defer s.Close()
		s.Run(warm, make([]lease.Result, len(warm)))
		before := s.Work()
		n := 0.0
		for _, ops := range streams {
			n += float64(len(ops))
		}

		w := begin()
		refused := Together(s, streams)
		cost := w.end()
		if refused > 0 {
			return fmt.Errorf("%d callers on %d locks: %s refuses %d operations", callers, locks, l.Name, refused)
		}
		sample.Wall = append(sample.Wall, cost.wall/n)
		sample.CPU = append(sample.CPU, cost.cpu/n)
		var work level.Work
		if work.Add(s.Work(), before); work.Batches > 0 {
			sample.Batch = n / float64(work.Batches)
		}
		return nil
	})
	return samples, err
}

// Together has a caller for each stream do its operations one after the other,
// all callers at once, and gives how many operations were refused.
func Together(s level.Service, streams [][]lease.Operation) (refused int) {
	var (
		ready, done sync.WaitGroup
		start       = make(chan struct{})
		failures    = make([]int, len(streams))
	)
	ready.Add(len(streams))
	for c, ops := range streams {
		done.Go(func() {
			ready.Done()
			<-start
			failed := 0
			for i := range ops {
				if s.Do(&ops[i]).Outcome == lease.Failed {
					failed++
				}
			}
			failures[c] = failed
		})
	}
	ready.Wait()
	close(start)
	done.Wait()
	for _, n := range failures {
		refused += n
	}
	return refused
}
