package workloads

import (
	"github.com/leasekeeper/lkactor/actors/lease"
	"github.com/leasekeeper/lkactor/bench/internal/plain"
)

// Chains is 100 locks and 1,000 clients of which nobody ever releases: leases of
// one to four seconds run out, and pass from waiter to waiter. Every 400
// operations the clock jumps by ten seconds, so that whoever looks at a lock next
// finds a chain of about four leases to hand on. All operations are acquires by
// clients that do not wait; some hold the lock already and are told busy.
func Chains() Workload {
	const locks, clients, burst, jump = 100, 1_000, 400, 10
	return Workload{
		Name:  "lapse-chains",
		Mix:   "acquire only, leases of 1-4 s on 100 locks, nobody releases; the clock jumps 10 s every 400 operations",
		Locks: locks,
		open: func(s *source) func() {
			service := plain.New()
			done := 0
			step := func() {
				if done%burst == 0 {
					s.now += jump
				}
				done++
				c := s.rng.IntN(clients)
				for tries := 0; service.Waiting(s.client(c)); tries++ {
					if tries > 10*clients {
						s.now++ // all of them wait
					}
					c = s.rng.IntN(clients)
				}
				op := s.acquire(c, s.rng.IntN(locks), lease.Exclusive, lease.Duration(1+s.rng.IntN(4)))
				service.Do(op)
			}
			for range 4 * burst {
				step()
			}
			return step
		},
	}
}

// Storm is 100,000 locks, each taken by a client of its own until one and the
// same instant, every tenth with a second client in its queue. Then the clock
// jumps to where all of it has lapsed, and the same begins again: the first
// operation of the stream comes just after such a jump. All are acquires.
func Storm() Workload {
	const locks, ttl, short = 100_000, 600, 1
	return Workload{
		Name:  "storm-100k",
		Mix:   "acquire only; 100,000 leases on as many locks end together, again and again",
		Locks: locks,
		open: func(s *source) func() {
			shift, next := 0, 0
			step := func() {
				if next == locks {
					next = 0
					shift++
					s.now += ttl + short
				}
				l := next
				next++
				s.acquire((l+shift)%locks, l, lease.Exclusive, ttl)
				if l%10 == 0 {
					s.acquire(locks+l/10, l, lease.Exclusive, short)
				}
			}
			for range locks {
				step()
			}
			return step
		},
	}
}

// Crowd is one lock with 100,000 shared holders whose leases end at one and the
// same instant, and which come again just after. All are acquires.
func Crowd() Workload {
	const clients, ttl = 100_000, 600
	return Workload{
		Name:  "crowd-100k",
		Mix:   "acquire only; 100,000 shared leases on one lock end together, again and again",
		Locks: 1,
		open: func(s *source) func() {
			next := 0
			step := func() {
				if next == clients {
					next = 0
					s.now += ttl
				}
				s.acquire(next, 0, lease.Shared, ttl)
				next++
			}
			for range clients {
				step()
			}
			return step
		},
	}
}
