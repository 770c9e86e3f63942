package workloads

import "github.com/leasekeeper/lkactor/actors/lease"

// waiting is where the clients of a workload of exclusive locks stand: by lock,
// the holder first, then the queue.
type waiting [][]int

// handOver has the holder of a lock release it and gives who that was.
func (w waiting) handOver(s *source, lock int) (client int) {
	client = w[lock][0]
	w[lock] = append(w[lock][:0], w[lock][1:]...)
	s.release(client, lock)
	return client
}

// join has a client acquire a lock.
func (w waiting) join(s *source, client, lock int) {
	w[lock] = append(w[lock], client)
	s.acquire(client, lock, lease.Exclusive, longTTL)
}

// Queued is 100 locks with a holder and nine waiters each, all exclusive, 1,000
// clients. In random order the holders release and each then queues for the lock
// that was released just before. Half of the operations are releases, each of
// which hands the lock on; half are acquires, each of which queues.
func Queued() Workload {
	const locks, clients = 100, 1_000
	return Workload{
		Name:  "queued-100",
		Mix:   "1/2 release that hands on, 1/2 acquire that queues; 100 locks, 9 waiters on each, 1,000 clients",
		Locks: locks,
		open: func(s *source) func() {
			w := make(waiting, locks)
			for c := range clients {
				w.join(s, c, c%locks)
			}
			// One client is always between two locks.
			short := s.rng.IntN(locks)
			free := w.handOver(s, short)
			return func() {
				s.tick(1_000)
				next := s.rng.IntN(locks - 1)
				if next >= short {
					next++ // any but the short one, so that nobody comes back at once
				}
				released := w.handOver(s, next)
				w.join(s, free, short)
				free, short = released, next
			}
		},
	}
}

// Hot is one lock with that many waiters behind its holder, all exclusive. The
// holder releases, then queues again at the end: half releases that hand on, half
// acquires that queue.
func Hot(name string, waiters int) Workload {
	return Workload{
		Name:  name,
		Mix:   "1/2 release that hands on, 1/2 acquire that queues; one lock",
		Locks: 1,
		open: func(s *source) func() {
			for c := range waiters + 1 {
				s.acquire(c, 0, lease.Exclusive, longTTL)
			}
			holder := 0
			return func() {
				s.tick(1_000)
				s.release(holder, 0)
				s.acquire(holder, 0, lease.Exclusive, longTTL)
				holder = (holder + 1) % (waiters + 1)
			}
		},
	}
}
