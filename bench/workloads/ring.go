package workloads

import "github.com/leasekeeper/lkactor/actors/lease"

// Ring is a deadlock in the making: clients of which each holds a lock and waits
// for the next one's.
type Ring struct {
	Setup   []lease.Operation // everything up to the acquire that closes the ring
	Closing lease.Operation   // that acquire
	Clear   []lease.Operation // gives everything back, whatever has become of it
}

// NewRing gives a ring of that many clients, two at least. The client that
// closes it is the oldest, the one that is aborted is behind it: it holds what
// nobody but its neighbour wants, who gets it. Closer and victim meet in a ring
// of two only. After Clear the ring can be made again with the same operations
// and breaks at the same place, since the victim comes back as the youngest.
func NewRing(clients int) Ring {
	s := newSource(clients)
	for c := range clients {
		s.acquire(c, c, lease.Exclusive, longTTL)
	}
	for c := 1; c < clients; c++ {
		s.acquire(c, (c+1)%clients, lease.Exclusive, longTTL)
	}
	s.acquire(0, 1, lease.Exclusive, longTTL)
	closing := len(s.ops) - 1
	for c := range clients {
		s.release(c, (c+1)%clients) // held by now, still waited for, or neither
	}
	for c := range clients {
		s.release(c, c)
	}
	pack(s.ops)
	return Ring{Setup: s.ops[:closing:closing], Closing: s.ops[closing], Clear: s.ops[closing+1:]}
}
