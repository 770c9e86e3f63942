package sequencer

import (
	"cmp"
	"slices"

	"github.com/leasekeeper/lkactor/actors/lease"
)

// asked is all requests that are remembered, of whatever client, chained from the
// oldest to the newest: so those whose time is over are found without looking for
// them, also where their client never comes back.
type asked struct {
	requests    slab[request]
	first, last uint32 // the oldest and the newest; zero for none
	// aside is how many clients are kept for their requests alone: they are not
	// registered, and nobody could tell them from one never heard of but by an id.
	aside int
}

const (
	// forgottenAtOnce is how many requests one operation forgets at most, so that a time
	// in which nothing happened is not paid for by one caller. Those that are over are
	// never found, whether or not they are still there.
	forgottenAtOnce = 1 << 12

	// requestGrace is for how long an engine that does nothing keeps requests that are
	// over: it is woken for all of that time at once.
	requestGrace = 60 * 1_000_000_000
)

// aside tells that the client is kept for its requests alone.
func (c *ClientEntry) aside() bool { return c.age == 0 && c.requests != nil }

// clientCount is how many clients there are that are not kept for their requests alone.
func (d *directory) clientCount() int { return d.clients.len() - d.asked.aside }

// isClient tells whether the name is that of one of them.
func (d *directory) isClient(name string) bool {
	c := d.knownClient(name)
	return c != nil && !c.aside()
}

// addsRequest tells whether an operation with an id makes one request more that is
// remembered: not if it comes again, nor if its client's oldest goes for it.
func (q *Sequencer) addsRequest(op *lease.Operation) bool {
	c := q.knownClient(op.Client)
	return c == nil || c.requests == nil || c.requests.n < lease.RequestCount && q.requested(c, op.ID) == nil
}

// setAge gives the client its age, or takes it.
func (d *directory) setAge(c *ClientEntry, age lease.Age) {
	if c.aside() {
		d.asked.aside--
	}
	if c.age = age; c.aside() {
		d.asked.aside++
	}
}

// requested gives the client's request with that id, nil for none.
func (d *directory) requested(c *ClientEntry, id string) *request {
	switch {
	case c.requests == nil:
	case c.requests.byID != nil:
		if n := c.requests.byID[id]; n != 0 {
			return d.asked.requests.at(n)
		}
	default:
		for n := c.requests.first; n != 0; {
			r := d.asked.requests.at(n)
			if r.id() == id {
				return r
			}
			n = r.later
		}
	}
	return nil
}

// askedBy remembers a request of the client, whose id it has not used.
func (d *directory) askedBy(c *ClientEntry, op *lease.Operation, at lease.Instant) *request {
	if c.requests == nil {
		if c.requests = new(requests); c.aside() {
			d.asked.aside++
		}
	}
	a, mine := &d.asked, c.requests
	n, r := a.requests.add()
	r.ask(op)
	r.at, r.client, r.before = at, c.ID, a.last
	if a.last == 0 {
		a.first = n
	} else {
		a.requests.at(a.last).behind = n
	}
	a.last = n
	if mine.last == 0 {
		mine.first = n
	} else {
		a.requests.at(mine.last).later = n
	}
	mine.last = n
	mine.n++
	switch {
	case mine.byID != nil:
		mine.byID[r.id()] = n
	case mine.n > requestsListed:
		mine.byID = make(map[string]uint32)
		for n := mine.first; n != 0; n = a.requests.at(n).later {
			mine.byID[a.requests.at(n).id()] = n
		}
	}
	return r
}

// forgetRequest forgets a request, the oldest of its client. What awaits its result is
// finished first.
func (q *Sequencer) forgetRequest(n uint32) error {
	a := &q.asked
	r := a.requests.at(n)
	if !r.known {
		if err := q.Flush(); err != nil {
			return err
		}
	}
	if r.before == 0 {
		a.first = r.behind
	} else {
		a.requests.at(r.before).behind = r.behind
	}
	if r.behind == 0 {
		a.last = r.before
	} else {
		a.requests.at(r.behind).before = r.before
	}
	c := q.clients.at(r.client)
	mine := c.requests
	delete(mine.byID, r.id())
	if mine.first = r.later; mine.first == 0 {
		if c.aside() {
			a.aside--
		}
		c.requests = nil
	}
	mine.n--
	a.requests.drop(n)
	return nil
}

// forgetOver forgets requests whose time is over, and clients that were kept for
// nothing else (E3).
func (q *Sequencer) forgetOver() error {
	for range forgottenAtOnce {
		n := q.asked.first
		if n == 0 || !q.asked.requests.at(n).over(q.now) {
			return nil
		}
		c := q.clients.at(q.asked.requests.at(n).client)
		if err := q.forgetRequest(n); err != nil {
			return err
		}
		if c.age == 0 && c.requests == nil {
			if err := q.discard(c); err != nil {
				return err
			}
		}
	}
	return nil
}

// requestsDue is when a tick is wanted for the sake of the oldest request.
func (d *directory) requestsDue() lease.Instant {
	if d.asked.first == 0 {
		return lease.Never
	}
	return d.asked.requests.at(d.asked.first).at + lease.RequestWindow + requestGrace
}

// inOrder chains the requests by when they were first asked, which clients that are
// added one after the other do not. Those of one client keep their order.
func (a *asked) inOrder() {
	all := make([]uint32, 0, a.requests.len())
	for n := a.first; n != 0; n = a.requests.at(n).behind {
		all = append(all, n)
	}
	slices.SortStableFunc(all, func(x, y uint32) int { return cmp.Compare(a.requests.at(x).at, a.requests.at(y).at) })
	a.first, a.last = 0, 0
	for _, n := range all {
		r := a.requests.at(n)
		if r.before, r.behind = a.last, 0; a.last == 0 {
			a.first = n
		} else {
			a.requests.at(a.last).behind = n
		}
		a.last = n
	}
}
