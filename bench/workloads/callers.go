package workloads

import (
	"math/rand/v2"

	"github.com/leasekeeper/lkactor/actors/lease"
)

// Callers gives each of that many concurrent callers a stream of its own: it
// acquires a random lock of that many, releases it, acquires another. A caller is
// one client, so each of its operations is in order whatever the others do: it
// releases what it holds, or withdraws where it still waits. No instant passes, so
// no lease ever lapses.
//
// All streams together have that many operations, one more if it is an odd number:
// each is of whole pairs, so that nobody holds or awaits anything at its end, and
// the same streams can be run again on the same service. They are as long as each
// other but for one pair; where there are fewer pairs than callers some are empty.
func Callers(callers, locks, operations int) [][]lease.Operation {
	s := newSource(locks)
	streams := make([][]lease.Operation, callers)
	for c, pairs := range shares(callers, (operations+1)/2) {
		s.rng = rand.New(rand.NewPCG(seed, uint64(c)))
		s.ops = make([]lease.Operation, 0, 2*pairs)
		for range pairs {
			lock := s.rng.IntN(locks)
			s.acquire(c, lock, lease.Exclusive, longTTL)
			s.release(c, lock)
		}
		pack(s.ops)
		streams[c] = s.ops
	}
	return streams
}

// shares spreads so many things over so many callers, the first of whom get one more
// where it does not come out even.
func shares(callers, things int) []int {
	each := make([]int, callers)
	for c := range each {
		each[c] = things / callers
		if c < things%callers {
			each[c]++
		}
	}
	return each
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
