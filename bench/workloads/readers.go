package workloads

import "github.com/leasekeeper/lkactor/actors/lease"

// Readers is one lock with 2,000 shared holders. Of 100 operations 80 are a
// random reader releasing and acquiring again, 18 a random reader renewing, one a
// writer acquiring, which has to queue, and one the writer withdrawing, 20
// operations later. Readers that come back in that time queue behind it and are
// let in together when it goes.
func Readers() Workload {
	const (
		readers = 2_000
		writer  = readers // the client after the last reader
	)
	return Workload{
		Name:  "readers-2k",
		Mix:   "2,000 shared holders of one lock: 40% release, 40% acquire, 18% renew, 2% a writer that queues and withdraws",
		Locks: 1,
		open: func(s *source) func() {
			for c := range readers {
				s.acquire(c, 0, lease.Shared, longTTL)
			}
			behind := make(map[int]bool) // readers that queue behind the writer
			waits := false               // the writer
			busy := func(operations int) {
				for i := range operations / 2 {
					s.tick(1_000)
					if i%5 == 4 { // with 78 and 20 operations in turn, 18 of 98
						for range 2 {
							s.renew(s.otherReader(readers, behind), 0, lease.Duration(longTTL-s.rng.IntN(600)))
						}
						continue
					}
					c := s.otherReader(readers, behind)
					s.release(c, 0)
					s.acquire(c, 0, lease.Shared, longTTL)
					if waits {
						behind[c] = true
					}
				}
			}
			return func() {
				busy(78)
				s.acquire(writer, 0, lease.Exclusive, longTTL)
				waits = true
				busy(20)
				s.release(writer, 0)
				waits = false
				clear(behind)
			}
		},
	}
}

// otherReader gives a random reader that surely holds.
func (s *source) otherReader(readers int, behind map[int]bool) int {
	for {
		if c := s.rng.IntN(readers); !behind[c] {
			return c
		}
	}
}
