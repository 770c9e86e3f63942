package workloads

import "github.com/leasekeeper/lkactor/actors/lease"

// Uniform spreads acquires and releases evenly over that many locks. A tenth as
// many clients each take a random lock, give it back, take another; which client
// is next is random. So half of the operations are acquires, exclusive ones, and
// half releases; at any time about a twentieth of the locks is held, and that
// share of the acquires has to queue. The setup uses every lock once.
func Uniform(name string, locks int) Workload {
	clients := locks / 10
	return Workload{
		Name:  name,
		Mix:   "1/2 acquire, 1/2 release of random locks; clients a tenth of the locks; 5% of acquires queue",
		Locks: locks,
		open: func(s *source) func() {
			const nothing = -1
			asked := make([]int, clients) // the lock each client has or waits for
			for i := range locks {
				s.acquire(i%clients, i, lease.Exclusive, longTTL)
				s.release(i%clients, i)
			}
			for c := range asked {
				asked[c] = nothing
			}
			return func() {
				s.tick(1_000 + clients) // each client acts about once in a second
				c := s.rng.IntN(clients)
				if l := asked[c]; l != nothing {
					s.release(c, l)
					asked[c] = nothing
					return
				}
				asked[c] = s.rng.IntN(locks)
				s.acquire(c, asked[c], lease.Exclusive, longTTL)
			}
		},
	}
}

// Renewals has 10,000 clients hold a lock each, and only renews, each time a
// random one, by 60 to 3,659 seconds.
func Renewals() Workload {
	const locks = 10_000
	return Workload{
		Name:  "renewals-10k",
		Mix:   "renew only; 10,000 locks held by 10,000 clients",
		Locks: locks,
		open: func(s *source) func() {
			for i := range locks {
				s.acquire(i, i, lease.Exclusive, longTTL)
			}
			return func() {
				// Slow enough for each to be renewed long before its end.
				s.tick(10 * locks)
				i := s.rng.IntN(locks)
				s.renew(i, i, lease.Duration(60+s.rng.IntN(longTTL)))
			}
		},
	}
}

// Trio is one client that takes three free locks in a row and then releases
// them, over and over, of 300 locks that nobody else uses.
func Trio() Workload {
	const locks = 300
	return Workload{
		Name:  "trio",
		Mix:   "one client takes three free locks of 300 in a row, then releases them",
		Locks: locks,
		open: func(s *source) func() {
			first := 0
			return func() {
				s.tick(1_000)
				for i := range 3 {
					s.acquire(0, first+i, lease.Exclusive, longTTL)
				}
				for i := range 3 {
					s.release(0, first+i)
				}
				first = (first + 3) % locks
			}
		},
	}
}
