package sequencer

import "github.com/leasekeeper/lkactor/actors/lease"

// Tidy has the sequencer of an engine with a clock forget locks and close clients
// that have been idle since it last came by (E4): names that never come back do not
// fill the engine. It does so by operations like any other.
//
// A hand goes over all entries. One that is at rest gets a mark, which goes as soon as it
// is used; where the hand finds its mark of the round before, the entry is given up. A
// seat that it still has does not keep it: when seats are taken is another matter, with a
// time of its own.
type Tidy struct{}

const (
	// tidyLooks is how many entries are looked at in one turn.
	tidyLooks = 1 << 12
	// tidyOperations is how many operations one turn submits at most.
	tidyOperations = 256
)

// tidying is where the hand is: at which lock, and then at which client.
type tidying struct {
	ordered        bool // a round is ordered or going on
	locks, clients uint32
}

// tidy goes on with a round.
func (a *Actor) tidy() {
	if a.hub == nil || a.failed != nil {
		return
	}
	ops, err := a.order.stale(&a.round, a.hub)
	if err != nil {
		a.fail(err)
		return
	}
	if len(ops) > 0 {
		a.take([]*Call{{Ops: ops, Results: make([]lease.Result, len(ops)), Done: func(*Call) {}}})
	}
	if a.round.locks < a.order.locks.size || a.round.clients < a.order.clients.size {
		a.ctx.Send(a.ctx.Self(), &Tidy{})
		return
	}
	a.round = tidying{}
	if a.order.locks.len()+a.order.clientCount() > 0 {
		a.orderRound()
	}
}

// orderRound has a round begin after a while, if rounds are wanted.
func (a *Actor) orderRound() {
	if a.TidyLater != nil && !a.round.ordered {
		a.round.ordered = true
		a.TidyLater()
	}
}

// stale moves the hand on and gives the operations that drop what it finds idle.
// Whether it still is when they are handled, they look for themselves.
func (q *Sequencer) stale(t *tidying, h *hub) (ops []lease.Operation, err error) {
	looks := tidyLooks
	var locks []*LockEntry
	for ; t.locks < q.locks.size && looks > 0 && len(locks) < tidyOperations; looks-- {
		t.locks++
		l := q.locks.at(t.locks)
		switch {
		case l.Name == "" || l.holders > 0 || l.waiters > 0 || q.stored[l.ID].Accepted > 0:
		case l.marks&markStale == 0:
			l.marks |= markStale
		default:
			locks = append(locks, l)
		}
	}
	if ops, err = q.forgets(locks); err != nil {
		return nil, err
	}
	for ; t.clients < q.clients.size && looks > 0 && len(ops) < tidyOperations; looks-- {
		t.clients++
		c := q.clients.at(t.clients)
		switch {
		case c.Name == "" || c.aside() || c.holds > 0 || c.waiting != nil || len(h.audiences[c.Name]) > 0:
		case c.marks&markStale == 0:
			c.marks |= markStale
		default:
			ops = append(ops, lease.Operation{Kind: lease.Close, Client: c.Name})
		}
	}
	return ops, nil
}

// forgets gives the operations that drop locks which have been at rest for long. What a
// lock has stored is known to its seat only as long as it has one; so the seats are taken
// first, together, and of a lock that turns out to store something nothing else is.
func (q *Sequencer) forgets(locks []*LockEntry) (ops []lease.Operation, err error) {
	for _, l := range locks {
		if l.Seat == nil {
			continue
		}
		if err := q.dismissLock(l); err != nil {
			return nil, err
		}
	}
	if err := q.flush(); err != nil {
		return nil, err
	}
	for _, l := range locks {
		if q.stored[l.ID].Accepted == 0 {
			ops = append(ops, lease.Operation{Kind: lease.Forget, Lock: l.Name})
		}
	}
	return ops, nil
}
