package rounds

import (
	"fmt"
	"slices"
	"time"

	"github.com/leasekeeper/lkactor/actors/lease"
	"github.com/leasekeeper/lkactor/bench/internal/level"
	"github.com/leasekeeper/lkactor/bench/workloads"
)

// Broken is how long, in each round, one level took for the acquire that closes
// a deadlock: to find it, to abort a client and to hand on what that one had.
type Broken struct {
	Level string `json:"level"`
	P50   Times  `json:"p50_ns"` // each includes one reading of the clock
	P99   Times  `json:"p99_ns"`
}

// ringOps is how many operations a round of rings is worth at most.
const ringOps = 20_000

// Rings measures a ring of that many clients, made and broken again and again on
// one service. It fails if a ring does not cost exactly one client.
func (p Plan) Rings(clients int, levels []level.Level) ([]Broken, error) {
	ring := workloads.NewRing(clients)
	times := min(p.Ops, ringOps)/(len(ring.Setup)+1+len(ring.Clear)) + 1
	samples, of := byLevel(levels, func(name string) Broken { return Broken{Level: name} })

	err := p.turns(levels, func(l level.Level, warmUp bool) error {
		sample := of[l.Name]
		if warmUp {
			sample = new(Broken)
		}
		s := l.Open()
		defer s.Close()
		took, err := Break(s, ring, times)
		if err != nil {
			return fmt.Errorf("%s: ring of %d: %w", l.Name, clients, err)
		}
		sample.P50 = append(sample.P50, Quantile(took, 0.50))
		sample.P99 = append(sample.P99, Quantile(took, 0.99))
		return nil
	})
	return samples, err
}

// Break makes and closes the ring that many times and gives how long the closing
// acquires took in nanoseconds, sorted.
func Break(s level.Service, ring workloads.Ring, times int) ([]int64, error) {
	results := make([]lease.Result, max(len(ring.Setup), len(ring.Clear)))
	took := make([]int64, times)
	for i := range took {
		s.Run(ring.Setup, results[:len(ring.Setup)])
		start := time.Now()
		result := s.Do(&ring.Closing)
		took[i] = time.Since(start).Nanoseconds()
		if n := len(result.Victims()); n != 1 {
			return nil, fmt.Errorf("%d victims", n)
		}
		s.Run(ring.Clear, results[:len(ring.Clear)])
	}
	slices.Sort(took)
	return took, nil
}
