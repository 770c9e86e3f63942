package plain

import (
	"strings"

	"github.com/leasekeeper/lkactor/actors/lease"
)

// Service is a fresh or running lock service. It is for one goroutine; make one
// with [New].
type Service struct {
	now        lease.Instant // the latest instant reached (O4, O11)
	registered lease.Age     // the last registration number given (C2)

	locks   map[string]*lock
	clients map[string]*client
	spare   []*claim // claims that have ended, to be used again

	search search
}

// client is somebody who has ever asked for a lock.
type client struct {
	name    string
	age     lease.Age // zero while not registered
	holds   []*claim  // leases, lapsed ones too until their lock is settled
	waiting *claim    // the queued request, if any (C1)
	seen    uint64    // the search that has put it on a cycle
}

// New gives a fresh service: no instant yet, nobody registered, nothing held.
func New() *Service {
	return &Service{
		now:     lease.Dawn,
		locks:   make(map[string]*lock),
		clients: make(map[string]*client),
	}
}

// Run handles ops in order and puts their results into results, which must be
// as long.
func (s *Service) Run(ops []lease.Operation, results []lease.Result) {
	for i := range ops {
		results[i] = s.Do(&ops[i])
	}
}

// Do handles one operation and gives its result (O). Strings that stay are
// copied, so that they pin no buffer of the caller's.
func (s *Service) Do(op *lease.Operation) lease.Result {
	if !op.Timeless(lease.Plain) && op.At > s.now {
		s.now = op.At
	}
	if code := op.Check(lease.Plain); code != lease.OK {
		return lease.Fail(code)
	}
	switch op.Kind {
	case lease.Acquire:
		return s.acquire(op)
	case lease.Renew:
		return s.renew(op)
	case lease.Release:
		return s.release(op)
	case lease.Inspect:
		return s.inspect(op)
	case lease.Status:
		return s.status(op)
	case lease.Write:
		return s.write(op)
	case lease.Read:
		return s.read(op)
	default:
		return s.repeat(op.Repeat)
	}
}

// acquire grants or queues, and breaks the deadlocks that queueing has closed
// (C1, C2, Q1, D).
func (s *Service) acquire(op *lease.Operation) lease.Result {
	c := s.clients[op.Client]
	if c == nil {
		c = &client{name: strings.Clone(op.Client)}
		s.clients[c.name] = c
	}
	if c.waiting != nil {
		s.settle(c.waiting.lock) // it may have been granted meanwhile
		if c.waiting != nil {
			return lease.Fail(lease.ClientBusy)
		}
	}
	l := s.lock(op.Lock)
	s.settle(l)
	if find(c, l) != nil {
		return lease.Fail(lease.ClientBusy)
	}
	if c.age == 0 {
		s.registered++
		c.age = s.registered
	}
	r := s.newClaim()
	r.client, r.lock, r.mode, r.ttl = c, l, op.Mode, op.TTL
	if l.first == nil && l.compatible(r.mode) {
		l.grant(r, s.now)
		return lease.Result{Outcome: lease.Granted, Token: r.token, Until: r.until}
	}
	l.push(r)
	if blocksOthers(c) {
		return s.resolve(c, l)
	}
	return lease.Result{Outcome: lease.Queued, Position: l.waiters}
}

// renew measures the ttl from now (L2); a waiter is no holder (L3).
func (s *Service) renew(op *lease.Operation) lease.Result {
	h := s.held(op)
	if h == nil {
		return lease.Fail(lease.NotHolder)
	}
	h.lock.move(h, s.now+lease.Instant(op.TTL))
	return lease.Result{Outcome: lease.Renewed, Token: h.token, Until: h.until}
}

// release ends a lease (L4) or withdraws a request (L5).
func (s *Service) release(op *lease.Operation) lease.Result {
	h := s.held(op)
	if h != nil {
		l := h.lock
		s.end(h)
		s.promote(l, s.now)
		return lease.Result{Outcome: lease.Released}
	}
	c := s.clients[op.Client]
	if c == nil || c.waiting == nil || c.waiting.lock.name != op.Lock {
		return lease.Fail(lease.NotHolder)
	}
	s.withdraw(c)
	return lease.Result{Outcome: lease.Withdrawn}
}

// held gives the live lease that the operation speaks of, nil if there is none.
// Afterwards its lock is settled.
func (s *Service) held(op *lease.Operation) *claim {
	l := s.locks[op.Lock]
	if l == nil {
		return nil
	}
	s.settle(l)
	c := s.clients[op.Client]
	if c == nil {
		return nil
	}
	return find(c, l)
}

func (s *Service) lock(name string) *lock {
	l := s.locks[name]
	if l == nil {
		l = &lock{name: strings.Clone(name)}
		s.locks[l.name] = l
	}
	return l
}

func (s *Service) newClaim() *claim {
	if n := len(s.spare); n > 0 {
		r := s.spare[n-1]
		s.spare = s.spare[:n-1]
		return r
	}
	return new(claim)
}

// find gives the lease of c on l, nil if there is none. It looks through the
// shorter list: usually a lock has one holder, or a client a few leases.
func find(c *client, l *lock) *claim {
	if len(l.holders) < len(c.holds) {
		for _, h := range l.holders {
			if h.claim.client == c {
				return h.claim
			}
		}
		return nil
	}
	for _, h := range c.holds {
		if h.lock == l {
			return h
		}
	}
	return nil
}
