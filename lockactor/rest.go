package lockactor

import (
	"github.com/leasekeeper/lkactor/actors/lease"
	"github.com/leasekeeper/lkactor/lockactor/fence/cell"
)

// open makes the zero Lock the lock id as it was left.
func (l *Lock) open(id *lease.Lock, rest lease.Residue, claims *lease.Claims) {
	l.id, l.counter = id, rest.Counter
	l.store = cell.NewCell(rest.Accepted, rest.Values)
	l.holders, l.queue = emptyLine(), emptyLine()
	if claims == nil {
		return
	}
	l.mirrored = claims.Mirrored
	for i := range claims.Holders {
		s := l.ledger.restore(&claims.Holders[i])
		l.mode = claims.Holders[i].Mode
		l.ledger.push(&l.holders, s)
		if len(claims.Holders) > 1 {
			l.schedule(s)
		}
	}
	for i := range claims.Queue {
		l.ledger.push(&l.queue, l.ledger.restore(&claims.Queue[i]))
	}
}

// restore enters a claim that was left.
func (l *ledger) restore(c *lease.Claim) slot {
	s := l.add(&lease.Step{Client: c.Client, Age: c.Age, Mode: c.Mode, TTL: c.TTL})
	l.claims[s].token, l.claims[s].until = c.Token, c.Until
	return s
}

// leave gives what must be remembered of the lock; no claims if nobody holds or
// awaits it.
func (l *Lock) leave() (lease.Residue, *lease.Claims) {
	accepted, values := l.store.Contents()
	rest := lease.Residue{Counter: l.counter, Accepted: accepted, Values: values}
	if l.holders.size+l.queue.size == 0 {
		return rest, nil
	}
	return rest, &lease.Claims{Holders: l.claimsIn(l.holders), Queue: l.claimsIn(l.queue), Mirrored: l.mirrored}
}

// claimsIn lists the claims of a line in its order.
func (l *Lock) claimsIn(in line) []lease.Claim {
	all := make([]lease.Claim, 0, in.size)
	for s := in.first; s != none; s = l.ledger.claims[s].after {
		c := &l.ledger.claims[s]
		left := lease.Claim{Client: c.client, Age: c.age, Mode: c.mode, Token: c.token}
		if c.holds() {
			left.Until = c.until
		} else {
			left.TTL = c.ttl
		}
		all = append(all, left)
	}
	return all
}
