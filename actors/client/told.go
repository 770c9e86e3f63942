package client

import (
	"github.com/leasekeeper/lkactor/actors/client/claim"
	"github.com/leasekeeper/lkactor/actors/lease"
)

// told takes an event of the client's. It runs on the service's turn.
func (c *Client) told(e lease.Event) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch e.Kind {
	case lease.EventGranted:
		c.granted(e.Lock, claim.Grant{Seq: e.Seq, Token: e.Token, Until: e.Until})
	case lease.EventLost:
		if l := c.held[e.Lock]; l != nil && l.token == e.Token {
			delete(c.held, e.Lock)
			l.lose(reasonOf(e.Reason))
			return
		}
		c.vanished(e.Lock, e.Seq, reasonOf(e.Reason))
	case lease.EventWithdrawn:
		if e.Reason == lease.Abortion {
			c.victim = e.Lock // why is about to be told
			return
		}
		c.vanished(e.Lock, e.Seq, reasonOf(e.Reason))
	case lease.EventDeadlock:
		c.aborted(c.victim, e.Seq, e.Why)
		c.victim = ""
	case lease.EventCurrent:
		c.current(e.State, e.Seq)
	case lease.EventEnded:
		for _, w := range c.waits {
			w.broken = e.Err
			w.course.Break()
			w.advance()
		}
	}
}

func (c *Client) granted(lock string, g claim.Grant) {
	if w := c.waits[lock]; w != nil {
		w.course.Granted(g)
		w.advance()
	}
}

func (c *Client) vanished(lock string, seq uint64, why Reason) {
	if w := c.waits[lock]; w != nil {
		w.reason = why
		w.course.Vanished(seq)
		w.advance()
	}
}

func (c *Client) aborted(lock string, seq uint64, why *lease.Explanation) {
	if w := c.waits[lock]; w != nil {
		w.why = why
		w.course.Aborted(seq)
		w.advance()
	}
}

// current compares what the client believes to have with how it stands as of the
// seq-th operation: some of the events until then could not be told.
func (c *Client) current(v *lease.ClientView, seq uint64) {
	holds := make(map[string]lease.HoldView, len(v.Holds))
	for _, h := range v.Holds {
		holds[h.Lock] = h
	}
	why := Disowned
	if v.Age == 0 {
		why = Aborted // nothing else unregisters a client that has something (C2)
	}
	for lock, l := range c.held {
		if h, ok := holds[lock]; l.seq <= seq && !(ok && h.Token == l.token) {
			delete(c.held, lock)
			l.lose(why)
		}
	}
	for lock := range c.waits {
		h, held := holds[lock]
		switch {
		case v.Waiting == lock:
		case held:
			c.granted(lock, claim.Grant{Seq: seq, Token: h.Token, Until: h.Until})
		case why == Aborted:
			c.aborted(lock, seq, nil)
		default:
			c.vanished(lock, seq, why)
		}
	}
}
