package plain

import "github.com/leasekeeper/lkactor/actors/lease"

// holder is a lease in the heap of its lock, with its key beside it so that a
// comparison touches nothing else.
type holder struct {
	until lease.Instant
	claim *claim
}

// add puts the lease into the heap.
func (l *lock) add(c *claim) {
	l.holders = append(l.holders, holder{c.until, c})
	l.up(len(l.holders) - 1)
}

// move gives the lease another end (L2).
func (l *lock) move(c *claim, until lease.Instant) {
	c.until = until
	l.holders[c.inLock].until = until
	l.fix(c.inLock)
}

// remove takes the lease out of the heap.
func (l *lock) remove(c *claim) {
	n := len(l.holders) - 1
	at, tail := c.inLock, l.holders[n]
	l.holders[n] = holder{}
	l.holders = l.holders[:n]
	if at < n {
		l.holders[at] = tail
		l.fix(at)
	}
}

func (l *lock) fix(at int) {
	if at > 0 && l.holders[at].until < l.holders[(at-1)/2].until {
		l.up(at)
	} else {
		l.down(at)
	}
}

func (l *lock) up(at int) {
	h := l.holders[at]
	for at > 0 {
		above := (at - 1) / 2
		if l.holders[above].until <= h.until {
			break
		}
		l.put(at, l.holders[above])
		at = above
	}
	l.put(at, h)
}

func (l *lock) down(at int) {
	h := l.holders[at]
	for {
		below := 2*at + 1
		if below >= len(l.holders) {
			break
		}
		if other := below + 1; other < len(l.holders) && l.holders[other].until < l.holders[below].until {
			below = other
		}
		if h.until <= l.holders[below].until {
			break
		}
		l.put(at, l.holders[below])
		at = below
	}
	l.put(at, h)
}

func (l *lock) put(at int, h holder) {
	l.holders[at] = h
	h.claim.inLock = at
}
