package lockactor

import (
	"github.com/leasekeeper/lkactor/actors/lease"
	"github.com/leasekeeper/lkactor/actors/lease/slots"
)

// claim is what one client has of the lock: a lease, or a place in the queue. A
// client has at most one (C1).
type claim struct {
	client *lease.Client
	age    lease.Age      // of the client when it asked
	ttl    lease.Duration // of a waiter: what its lease will last (T3)
	token  lease.Token    // zero while it waits
	until  lease.Instant  // expires_at of a lease
	mode   lease.Mode

	before, after slot // neighbours in the line it stands in
}

// holds tells a lease from a place in the queue: tokens start at 1 (Q2).
func (c *claim) holds() bool { return c.token != 0 }

// slot is a claim's place in the ledger, stable while the claim lives.
type slot = int32

const none = slots.None

// ledger holds the claims of one lock and finds them by client.
type ledger struct {
	slots  slots.Table // by client ID
	claims []claim     // by slot
	few    [2]claim    // what claims starts with; most locks never have more
}

// find gives the slot of the client's claim, or none.
func (l *ledger) find(c *lease.Client) slot { return l.slots.Find(c.ID) }

// add enters a claim for a client that has none.
func (l *ledger) add(by *lease.Step) slot {
	s := l.slots.Add(by.Client.ID)
	if l.claims == nil {
		l.claims = l.few[:0]
	}
	if int(s) == len(l.claims) {
		l.claims = append(l.claims, claim{})
	}
	l.claims[s] = claim{client: by.Client, age: by.Age, mode: by.Mode, ttl: by.TTL}
	return s
}

// drop forgets the claim in s, which must stand in no line.
func (l *ledger) drop(s slot) {
	l.claims[s].client = nil
	l.slots.Drop(s)
}

// line is an order among claims: of the holders by token, or of the queue by
// arrival. Both only ever grow at the end.
type line struct {
	first, last slot
	size        int
}

func emptyLine() line { return line{first: none, last: none} }

// push puts s at the end of the line.
func (l *ledger) push(in *line, s slot) {
	c := &l.claims[s]
	c.before, c.after = in.last, none
	if in.last == none {
		in.first = s
	} else {
		l.claims[in.last].after = s
	}
	in.last = s
	in.size++
}

// pull takes s out of the line, wherever it stands.
func (l *ledger) pull(in *line, s slot) {
	c := &l.claims[s]
	if c.before == none {
		in.first = c.after
	} else {
		l.claims[c.before].after = c.after
	}
	if c.after == none {
		in.last = c.before
	} else {
		l.claims[c.after].before = c.before
	}
	in.size--
}
