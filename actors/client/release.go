package client

import (
	"context"
	"errors"

	"github.com/leasekeeper/lkactor/actors/lease"
)

// Release gives the lock back. When it returns the lease is over for its holder and
// nothing is renewed any more, whatever the error; if that of ctx, the service
// may not know yet, and Release may be called again. That the lease had been lost
// before is an error that matches [ErrLost]: what was done last under it may have
// come too late. A second Release of what is released is harmless.
func (l *Lease) Release(ctx context.Context) error {
	return l.client.fail("release", l.lock, l.giveBack(ctx))
}

func (l *Lease) giveBack(ctx context.Context) error {
	l.halt(ErrReleased)
	if err := l.clear(ctx); err != nil {
		return err
	}
	return l.undone()
}

// sender is how a release is submitted: send or insist.
type sender func(admit, life context.Context, op lease.Operation, done func(Answer)) error

// releaseAll releases leases at once, and waits for all of them.
func releaseAll(ctx context.Context, leases []*Lease, how func(*Client) sender) error {
	for _, l := range leases {
		l.halt(ErrReleased)
	}
	waits := make([]func() error, len(leases))
	for i, l := range leases {
		waits[i] = l.clearing(ctx, how(l.client))
	}
	var errs []error
	for i, l := range leases {
		err := waits[i]()
		if err == nil {
			err = l.undone()
		}
		errs = append(errs, l.client.fail("release", l.lock, err))
	}
	return errors.Join(errs...)
}

func sending(c *Client) sender   { return c.send }
func insisting(c *Client) sender { return c.insist }

// undone is the error of a release that came too late.
func (l *Lease) undone() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case errors.Is(l.why, ErrLost):
		return l.why
	case l.late != 0:
		return &LostError{Lock: l.lock, Token: l.token, Reason: l.late}
	}
	return nil
}

// clear has the service forget the lease, unless it has told or confirmed that it
// is over.
func (l *Lease) clear(ctx context.Context) error { return l.clearing(ctx, l.client.send)() }

// clearing is clear that does not wait; the function it gives does.
func (l *Lease) clearing(ctx context.Context, send sender) func() error {
	if !l.client.keeps(l) {
		return func() error { return nil }
	}
	answers := make(chan error, 1)
	err := send(ctx, l.client.rest, l.release(), func(a Answer) { answers <- l.released(a) })
	if err != nil {
		return func() error { return err }
	}
	return func() error {
		select {
		case err := <-answers:
			return err
		case <-ctx.Done():
			return ended(ctx)
		}
	}
}

// released takes the answer to a release. Unless it could not be handled at all,
// there is no such lease after it.
func (l *Lease) released(a Answer) error {
	if a.Err != nil {
		return a.Err
	}
	l.client.drop(l)
	if a.Result.Outcome == lease.Failed {
		l.lose(Disowned)
	} else {
		l.lose(Revoked)
	}
	return nil
}

// release is the operation that ends this lease and no other (E3).
func (l *Lease) release() lease.Operation {
	return lease.Operation{Kind: lease.Release, Client: l.client.name, Lock: l.lock, Expect: l.token}
}

// keeps tells whether the service may still have the lease.
func (c *Client) keeps(l *Lease) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.held[l.lock] == l
}

// drop forgets a lease that the service has confirmed to be over.
func (c *Client) drop(l *Lease) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.held[l.lock] == l {
		delete(c.held, l.lock)
	}
}
