package workloads

import (
	"math/rand/v2"

	"github.com/leasekeeper/lkactor/actors/lease"
)

// Callers gives each of that many concurrent callers a stream of its own, of
// operations each: it acquires a random lock of that many, releases it, acquires
// another. A caller is one client, so each of its operations is in order whatever
// the others do: it releases what it holds, or withdraws where it still waits.
// No instant passes, so no lease ever lapses.
func Callers(callers, locks, operations int) [][]lease.Operation {
	s := newSource(locks)
	streams := make([][]lease.Operation, callers)
	for c := range streams {
		s.rng = rand.New(rand.NewPCG(seed, uint64(c)))
		s.ops = make([]lease.Operation, 0, operations+1)
		for len(s.ops) < operations {
			lock := s.rng.IntN(locks)
			s.acquire(c, lock, lease.Exclusive, longTTL)
			s.release(c, lock)
		}
		s.ops = s.ops[:operations]
		pack(s.ops)
		streams[c] = s.ops
	}
	return streams
}

// Warm gives the operations after which that many locks and the clients of that
// many callers have all been used once, and nobody holds anything.
func Warm(callers, locks int) []lease.Operation {
	s := newSource(locks)
	for i := range max(callers, locks) {
		s.acquire(i%callers, i%locks, lease.Exclusive, longTTL)
		s.release(i%callers, i%locks)
	}
	pack(s.ops)
	return s.ops
}
