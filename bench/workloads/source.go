package workloads

import (
	"math/rand/v2"
	"strconv"

	"github.com/leasekeeper/lkactor/actors/lease"
)

// seed is that of all workloads; each has its own source.
const seed = 20_240_611

// longTTL is a ttl in seconds that no workload waits for unless it says so.
const longTTL = 3_600

// source is what a generator writes into.
type source struct {
	rng *rand.Rand
	now lease.Instant
	ops []lease.Operation

	locks   []string // names by number, made when first asked for
	clients []string
}

func newSource(locks int) *source {
	return &source{
		rng:   rand.New(rand.NewPCG(seed, uint64(locks))),
		locks: make([]string, 0, locks),
	}
}

// lock gives the name of lock number i, as logs write it.
func (s *source) lock(i int) string { return name(&s.locks, "L", i) }

// client gives the name of client number i, as logs write it.
func (s *source) client(i int) string { return name(&s.clients, "job", i) }

func name(names *[]string, prefix string, i int) string {
	for len(*names) <= i {
		*names = append(*names, prefix+strconv.Itoa(len(*names)))
	}
	return (*names)[i]
}

// tick lets a second pass for every perSecond operations so far.
func (s *source) tick(perSecond int) { s.now = lease.Instant(len(s.ops) / perSecond) }

func (s *source) add(op lease.Operation) *lease.Operation {
	op.At = s.now
	s.ops = append(s.ops, op)
	return &s.ops[len(s.ops)-1]
}

func (s *source) acquire(client, lock int, mode lease.Mode, ttl lease.Duration) *lease.Operation {
	return s.add(lease.Operation{
		Kind: lease.Acquire, Client: s.client(client), Lock: s.lock(lock), Mode: mode, TTL: ttl,
	})
}

func (s *source) release(client, lock int) {
	s.add(lease.Operation{Kind: lease.Release, Client: s.client(client), Lock: s.lock(lock)})
}

func (s *source) renew(client, lock int, ttl lease.Duration) {
	s.add(lease.Operation{Kind: lease.Renew, Client: s.client(client), Lock: s.lock(lock), TTL: ttl})
}
