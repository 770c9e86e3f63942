package client

import (
	"fmt"
	"time"

	"github.com/leasekeeper/lkactor/actors/client/claim"
	"github.com/leasekeeper/lkactor/actors/lease"
)

// Terms are what a lock is asked for under. Only TTL must be set.
type Terms struct {
	// TTL is for how long the lease lasts from its grant, and from each renewal,
	// from 1 ms to 24 h (E1).
	TTL time.Duration
	// Mode is exclusive if not given.
	Mode lease.Mode
	// Wait is how long to wait for the grant at most; zero for as long as the
	// context lets.
	Wait time.Duration
	// Places is at which place in the queue to wait at most, 1 being the next in line (Q1);
	// zero for any. Farther back the wait ends at once, as if it had come to its limit: the
	// request is taken out of the queue again. What moves up later does not count.
	Places int
	// KeepAlive has the lease renewed, at a third of its TTL, until it ends: one that
	// nobody releases is kept until its Client is closed.
	KeepAlive bool
	// Margin is how long before the lease ends its context does: time for the work
	// to stop. Zero for a tenth of the TTL, at most [MaxMargin].
	Margin time.Duration
}

// check finds what the service could not tell to be wrong. The ttl it can.
func (t *Terms) check() error {
	switch {
	case t.Wait < 0:
		return fmt.Errorf("%w: Wait is %v", ErrTerms, t.Wait)
	case t.Places < 0:
		return fmt.Errorf("%w: Places is %d", ErrTerms, t.Places)
	case t.Margin < 0:
		return fmt.Errorf("%w: Margin is %v", ErrTerms, t.Margin)
	case t.Margin > 0 && t.Margin >= t.TTL:
		return fmt.Errorf("%w: Margin %v leaves nothing of a TTL of %v", ErrTerms, t.Margin, t.TTL)
	}
	return nil
}

// margin is that of a lease renewed for ttl.
func (t *Terms) margin(ttl time.Duration) time.Duration {
	if t.Margin > 0 {
		return t.Margin
	}
	return min(ttl/MarginShare, MaxMargin)
}

// claim gives the terms of the lease's state machine.
func (t *Terms) claim() claim.Terms {
	return claim.Terms{
		TTL: lease.Duration(t.TTL), Margin: lease.Duration(t.margin(t.TTL)), Keep: t.KeepAlive,
	}
}
