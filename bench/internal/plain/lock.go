package plain

import "github.com/leasekeeper/lkactor/actors/lease"

// lock is one lock: who holds it, who waits for it, and what is stored under it.
type lock struct {
	name    string
	counter lease.Token // the last token issued (Q2)
	mode    lease.Mode  // of all holders, when there are any (L1)

	holders     []holder // a heap by until
	first, last *claim   // the queue, oldest first
	waiters     int

	accepted lease.Token       // the highest token written under (F1)
	values   map[string]string // nil until the first write

	seen    uint64 // the search that has visited it
	reaches bool   // what that search has found
}

// claim is a request, and the lease that comes of it.
type claim struct {
	client *client
	lock   *lock
	mode   lease.Mode
	ttl    lease.Duration

	prev, next *claim // in the queue, while it waits

	token     lease.Token // while it is a lease
	until     lease.Instant
	inLock    int // its place among the holders of the lock
	ofClients int // its place among the leases of the client
}

// settle retires what has lapsed by now, each lease at its own instant, and
// hands the lock on at that instant (T1, T3). Nothing that happens on one lock by
// itself depends on another, so each lock can wait until somebody looks at it.
func (s *Service) settle(l *lock) {
	for len(l.holders) > 0 && l.holders[0].until <= s.now {
		at := l.holders[0].until
		s.end(l.holders[0].claim)
		s.promote(l, at)
	}
}

// compatible tells whether a request of that mode can join the holders (L1).
func (l *lock) compatible(mode lease.Mode) bool {
	return len(l.holders) == 0 || mode == lease.Shared && l.mode == lease.Shared
}

// promote grants from the head of the queue while it is compatible (Q3).
func (s *Service) promote(l *lock, at lease.Instant) {
	for l.first != nil && l.compatible(l.first.mode) {
		r := l.first
		l.pull(r)
		r.client.waiting = nil
		l.grant(r, at)
	}
}

// grant makes the request a lease that starts at the instant (T2, Q2).
func (l *lock) grant(r *claim, at lease.Instant) {
	l.counter++
	l.mode = r.mode
	r.token = l.counter
	r.until = at + lease.Instant(r.ttl)
	l.add(r)
	r.ofClients = len(r.client.holds)
	r.client.holds = append(r.client.holds, r)
}

// end takes a lease away from its lock and its client, and keeps the memory for
// the next claim. The caller promotes.
func (s *Service) end(h *claim) {
	h.lock.remove(h)
	c := h.client
	n := len(c.holds) - 1
	moved := c.holds[n]
	c.holds[h.ofClients], moved.ofClients = moved, h.ofClients
	c.holds[n] = nil
	c.holds = c.holds[:n]
	s.spare = append(s.spare, h)
}

// withdraw takes the client's request out of the queue and lets in whoever it
// has held up (L5).
func (s *Service) withdraw(c *client) {
	r := c.waiting
	l := r.lock
	l.pull(r)
	c.waiting = nil
	s.spare = append(s.spare, r)
	s.promote(l, s.now)
}

// push puts the request at the end of the queue.
func (l *lock) push(r *claim) {
	r.prev, r.next = l.last, nil
	if l.last != nil {
		l.last.next = r
	} else {
		l.first = r
	}
	l.last = r
	l.waiters++
	r.client.waiting = r
}

// pull takes the request out of the queue.
func (l *lock) pull(r *claim) {
	if r.prev != nil {
		r.prev.next = r.next
	} else {
		l.first = r.next
	}
	if r.next != nil {
		r.next.prev = r.prev
	} else {
		l.last = r.prev
	}
	r.prev, r.next = nil, nil
	l.waiters--
}
