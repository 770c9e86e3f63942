package sequencer

import (
	"errors"
	"fmt"

	"github.com/leasekeeper/lkactor/actors/lease"
)

// Loader makes a frozen order of a state that [Sequencer.Save] gave. First come
// all clients, then all locks, then [Loader.Done]. The strings are kept as they are. Every method checks what it is given
// as far as the order would break on it; what was saved is always taken.
type Loader struct {
	order *Sequencer
	state State
	// claimed is the last lock on which each client had a claim, by IDs: a client has
	// at most one on each.
	claimed []uint32
}

// ErrState is matched by the error of a state that no order can have come to.
var ErrState = errors.New("sequencer: no such state")

func wrongState(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrState, fmt.Sprintf(format, args...))
}

// NewLoader begins with a state of that dialect.
func NewLoader(d lease.Dialect, s State) *Loader {
	q := New(nil, Settings{Dialect: d})
	q.seq, q.now, q.registered, q.floor = s.Seq, s.Now, s.Registered, s.Floor
	return &Loader{order: q, state: s}
}

// Client adds a client. The identity is for the claims of locks.
func (l *Loader) Client(s ClientState) (*lease.Client, error) {
	q := l.order
	switch {
	case s.Name == "":
		return nil, wrongState("a client has no name")
	case s.Age < 0 || s.Age > l.state.Registered:
		return nil, wrongState("client %q has the age %d, and %d are registered", s.Name, s.Age, l.state.Registered)
	case len(s.Requests) > lease.RequestCount:
		return nil, wrongState("client %q has %d requests", s.Name, len(s.Requests))
	}
	c, fresh := q.enterClient(s.Name)
	if !fresh {
		return nil, wrongState("client %q comes twice", s.Name)
	}
	q.setAge(c, s.Age)
	for i := range s.Requests {
		r := &s.Requests[i]
		switch {
		case r.Op.ID == "" || q.requested(c, r.Op.ID) != nil || r.At > l.state.Now || i > 0 && r.At < s.Requests[i-1].At:
			return nil, wrongState("client %q has a request without an id of its own, or out of its time", s.Name)
		case r.Op.Client != s.Name || r.Op.Check(q.dialect) != lease.OK || r.Result.Value != "" || int(int32(r.Result.Position)) != r.Result.Position:
			return nil, wrongState("client %q has a request that none of its own can be", s.Name)
		}
		q.askedBy(c, &r.Op, r.At).answer(&r.Result)
	}
	return &c.Client, nil
}

// Lock adds a lock. The clients of its claims are such as [Loader.Client] gave.
func (l *Loader) Lock(s LockState) error {
	q := l.order
	if s.Name == "" {
		return wrongState("a lock has no name")
	}
	e, fresh := q.enterLock(s.Name)
	if !fresh {
		return wrongState("lock %q comes twice", s.Name)
	}
	q.leave(e, s.Rest)
	if s.Claims.Empty() {
		return nil
	}
	if err := l.hold(e, s.Claims); err != nil {
		return err
	}
	if err := l.await(e, s.Claims); err != nil {
		return err
	}
	q.dormant.putLock(e.ID, s.Claims)
	return nil
}

// hold enters the leases of a lock.
func (l *Loader) hold(e *LockEntry, claims *lease.Claims) error {
	q := l.order
	for i := range claims.Holders {
		h := &claims.Holders[i]
		c := q.clients.at(h.Client.ID)
		switch {
		case i > 0 && (h.Mode != lease.Shared || claims.Holders[i-1].Mode != lease.Shared || h.Token <= claims.Holders[i-1].Token):
			return wrongState("the holders of lock %q cannot hold it together", e.Name)
		case h.Token < 1 || h.Token > e.counter:
			return wrongState("lock %q is held under token %d and has issued %d", e.Name, h.Token, e.counter)
		case c.age == 0 || h.Until <= l.state.Now || !l.claim(e, c):
			return wrongState("client %q is not registered, or its lease of lock %q is over or comes twice", c.Name, e.Name)
		}
		h.Age = c.age
		c.holds++
		c.mayGet(e)
		e.due, e.until = min(e.due, h.Until), max(e.until, h.Until)
		if e.owner = c.ID; h.Mode == lease.Shared {
			e.owner = crowd
		}
		q.dormant.addNote(c.ID, lease.Note{
			Change: lease.ChangeGranted, Lock: &e.Lock, Mode: h.Mode, Token: h.Token, Until: h.Until,
		})
	}
	e.holders = int32(len(claims.Holders))
	return nil
}

// claim notes that the client has a claim on the lock; it answers false if it had one
// already.
func (l *Loader) claim(e *LockEntry, c *ClientEntry) bool {
	if int(c.ID) >= len(l.claimed) { // all clients are there by now
		l.claimed = append(l.claimed, make([]uint32, int(l.order.clients.size)+1-len(l.claimed))...)
	}
	if l.claimed[c.ID] == e.ID {
		return false
	}
	l.claimed[c.ID] = e.ID
	return true
}

// await enters the queue of a lock.
func (l *Loader) await(e *LockEntry, claims *lease.Claims) error {
	q := l.order
	if len(claims.Queue) > 0 && len(claims.Holders) == 0 {
		return wrongState("lock %q is awaited and not held", e.Name)
	}
	for i := range claims.Queue {
		w := &claims.Queue[i]
		c := q.clients.at(w.Client.ID)
		if c.age == 0 || c.waiting != nil || w.TTL < 1 || !l.claim(e, c) {
			return wrongState("client %q cannot wait for lock %q", c.Name, e.Name)
		}
		w.Age = c.age
		c.waiting, c.mayWait = e, e
		q.dormant.addNote(c.ID, lease.Note{Change: lease.ChangeQueued, Lock: &e.Lock})
	}
	e.waiters = int32(len(claims.Queue))
	return nil
}

// Done gives the order, frozen, for Resume.
func (l *Loader) Done() *Sequencer {
	l.order.asked.inOrder()
	return l.order
}
