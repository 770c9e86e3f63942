package workloads

import (
	"github.com/leasekeeper/lkactor/actors/lease"
	"github.com/leasekeeper/lkactor/bench/internal/plain"
)

// LightTransactions is 100 clients that each take two or three of 300 locks, all
// different, exclusive and in random order, and then release them one by one. A
// client that has to wait does nothing meanwhile; one that is aborted starts
// anew. Which client is next is random. Half of the operations are acquires;
// three in ten of those queue, and one client is aborted in some 340 operations.
func LightTransactions() Workload {
	return transactions("transactions-light",
		"100 clients take 2-3 of 300 locks in random order, then release them; one is aborted in 340 operations",
		mixture{clients: 100, locks: 300, least: 2, most: 3})
}

// HeavyTransactions is as [LightTransactions] with 32 clients that take four to
// eight of 64 locks, a quarter of them shared: half of the acquires queue, and
// one client is aborted in some eight operations.
func HeavyTransactions() Workload {
	return transactions("transactions-heavy",
		"32 clients take 4-8 of 64 locks in random order, a quarter shared, then release them; one is aborted in 8 operations",
		mixture{clients: 32, locks: 64, least: 4, most: 8, shared: 0.25})
}

// mixture is what kinds of transactions differ in.
type mixture struct {
	clients, locks int
	least, most    int     // locks of one transaction
	shared         float64 // chance of an acquire to be shared
}

// transaction is what one client is about.
type transaction struct {
	want []int // locks still to be asked for
	took []int // locks asked for so far
}

func transactions(name, mix string, m mixture) Workload {
	return Workload{
		Name:  name,
		Mix:   mix,
		Locks: m.locks,
		open: func(s *source) func() {
			t := traffic{
				mixture: m, s: s,
				service: plain.New(),
				open:    make([]transaction, m.clients),
				number:  make(map[string]int),
			}
			for c := range m.clients {
				t.number[s.client(c)] = c
			}
			for range 20 * m.clients {
				t.step()
			}
			return t.step
		},
	}
}

// traffic is all clients of a workload of transactions, and the service that
// tells them how they fare.
type traffic struct {
	mixture
	s       *source
	service *plain.Service
	open    []transaction
	number  map[string]int
}

// step lets a random client that is not waiting do its next operation.
func (t *traffic) step() {
	t.s.tick(1_000)
	c := t.s.rng.IntN(t.clients)
	for t.service.Waiting(t.s.client(c)) {
		c = t.s.rng.IntN(t.clients)
	}
	x := &t.open[c]
	if len(x.want) == 0 && len(x.took) == 0 {
		count := t.least + t.s.rng.IntN(t.most-t.least+1)
		x.want = t.s.rng.Perm(t.locks)[:count]
	}
	if n := len(x.want); n > 0 {
		l := x.want[n-1]
		x.want, x.took = x.want[:n-1], append(x.took, l)
		mode := lease.Exclusive
		if t.s.rng.Float64() < t.shared {
			mode = lease.Shared
		}
		t.s.acquire(c, l, mode, longTTL)
	} else {
		n := len(x.took) - 1
		t.s.release(c, x.took[n])
		x.took = x.took[:n]
	}
	result := t.service.Do(&t.s.ops[len(t.s.ops)-1])
	for _, victim := range result.Victims() {
		t.open[t.number[victim]] = transaction{}
	}
}
