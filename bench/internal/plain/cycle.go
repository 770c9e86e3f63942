package plain

import (
	"slices"
	"strings"

	"github.com/leasekeeper/lkactor/actors/lease"
)

// search is one look for the cycles through a requester (D3).
type search struct {
	number    uint64 // tells its marks from those of earlier ones
	requester *client
	youngest  *client // of those on a cycle so far (D4)
}

// maxScan is how many leases of a requester are looked at before searching; with
// more, the search alone is cheaper.
const maxScan = 16

// blocksOthers tells whether somebody may wait for a lock that c holds. If not,
// no cycle passes through c.
func blocksOthers(c *client) bool {
	if len(c.holds) > maxScan {
		return true
	}
	for _, h := range c.holds {
		if h.lock.first != nil {
			return true
		}
	}
	return false
}

// resolve aborts clients until no cycle passes through c, which has just been
// queued on l, and answers its acquire (D3..D7).
func (s *Service) resolve(c *client, l *lock) lease.Result {
	var victims []string
	for c.waiting != nil {
		victim := s.victim(c)
		if victim == nil {
			break
		}
		victims = append(victims, victim.name)
		s.abort(victim)
		if victim == c {
			return lease.Result{Outcome: lease.Deadlocked, Detail: &lease.Detail{Victims: victims}}
		}
	}
	r := lease.Result{Outcome: lease.Queued, Position: l.waiters} // c is the last in the queue
	if c.waiting == nil {
		h := find(c, l)
		r = lease.Result{Outcome: lease.Granted, Token: h.token, Until: h.until}
	}
	if victims != nil {
		r.Detail = &lease.Detail{Victims: victims}
	}
	return r
}

// victim gives the youngest client on a cycle through the requester, nil if
// there is no cycle.
func (s *Service) victim(requester *client) *client {
	s.search = search{number: s.search.number + 1, requester: requester}
	if s.reaches(requester.waiting.lock) {
		s.take(requester)
	}
	return s.search.youngest
}

// reaches tells whether waiting for l means waiting for the requester. Only the
// holders have to be followed: whoever is queued waits for them too, and nobody
// is queued behind the requester, who came last. No lock comes up again before
// it is done, since all cycles pass through the requester.
func (s *Service) reaches(l *lock) bool {
	if l.seen == s.search.number {
		return l.reaches
	}
	s.settle(l)
	found := false
	for _, h := range l.holders {
		c := h.claim.client
		if c == s.search.requester {
			found = true
			continue
		}
		if c.waiting != nil {
			s.settle(c.waiting.lock) // which may be what c has been waiting for
		}
		if c.waiting != nil && s.reaches(c.waiting.lock) {
			s.take(c)
			found = true
		}
	}
	l.seen, l.reaches = s.search.number, found
	return found
}

// take notes that c, and with it whoever is queued ahead of it, is on a cycle.
func (s *Service) take(c *client) {
	for r := c.waiting; r != nil && r.client.seen != s.search.number; r = r.prev {
		r.client.seen = s.search.number
		if s.search.youngest == nil || r.client.age > s.search.youngest.age {
			s.search.youngest = r.client
		}
	}
}

// abort takes everything from the victim, its locks in the order of their names,
// and unregisters it (D5).
func (s *Service) abort(victim *client) {
	if victim.waiting != nil {
		s.withdraw(victim)
	}
	locks := make([]*lock, 0, len(victim.holds))
	for _, h := range victim.holds {
		locks = append(locks, h.lock)
	}
	slices.SortFunc(locks, func(a, b *lock) int { return strings.Compare(a.name, b.name) })
	for _, l := range locks {
		s.settle(l)
		if h := find(victim, l); h != nil {
			s.end(h)
			s.promote(l, s.now)
		}
	}
	victim.age = 0
}
