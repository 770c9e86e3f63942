package client

import (
	"context"

	"github.com/leasekeeper/lkactor/actors/lease"
)

// Acquire waits until the client has the lock, and gives its lease. If it gives an
// error, the client has neither a lease nor a place in the queue by this call; a
// grant that came too late has been given back. Should the service not answer within
// [Grace] of the end of ctx, this is seen to in the background, and the client's next
// acquire waits for it.
//
// The error is an *[Error] that matches that of ctx, [ErrWaitLimit], [ErrDeadlock],
// [ErrLost] (a request that an operator evicted, or a lease so short that it ended on
// the way), [ErrClosed], [ErrTerms], a [lease.Code], or what the service had to say.
func (c *Client) Acquire(ctx context.Context, lock string, t Terms) (*Lease, error) {
	l, err := c.acquire(ctx, lock, t, false)
	return l, c.fail("acquire", lock, err)
}

// TryAcquire is Acquire without waiting: where the lock is not free at once the error
// matches [ErrWouldBlock], and nothing stays in the queue.
//
// It takes two operations, since there is none that asks for a lock and does not queue
// (O): an acquire that cannot be granted has joined the queue when it is answered, and may
// by then have closed a cycle and had clients aborted (D). So it looks first and asks only
// for what is free; only if another client comes in between does the request queue until
// it has been withdrawn, with all that follows of it.
func (c *Client) TryAcquire(ctx context.Context, lock string, t Terms) (*Lease, error) {
	l, err := c.tryAcquire(ctx, lock, t)
	return l, c.fail("acquire", lock, err)
}

func (c *Client) tryAcquire(ctx context.Context, lock string, t Terms) (*Lease, error) {
	if err := c.mayAsk(ctx, &t); err != nil {
		return nil, err
	}
	a, err := c.ask(ctx, lease.Operation{Kind: lease.Inspect, Lock: lock})
	switch {
	case err != nil:
		return nil, err
	case a.Err != nil:
		return nil, a.Err
	case a.Result.Outcome == lease.Failed:
		return nil, a.Result.Code
	case !free(a.Result.Detail.Lock, c.name, t.Mode):
		return nil, ErrWouldBlock
	}
	return c.acquire(ctx, lock, t, true)
}

// free tells whether an acquire would be granted on the spot (Q1). One by a client
// that holds or awaits the lock is refused, and should be (C1).
func free(v *lease.LockView, client string, mode lease.Mode) bool {
	for _, h := range v.Holders {
		if h.Client == client {
			return true
		}
	}
	if len(v.Queue) > 0 {
		return false
	}
	return len(v.Holders) == 0 || mode == lease.Shared && v.Holders[0].Mode == lease.Shared
}

func (c *Client) acquire(ctx context.Context, lock string, t Terms, try bool) (*Lease, error) {
	if err := c.mayAsk(ctx, &t); err != nil {
		return nil, err
	}
	w := &wait{
		client: c, lock: lock, terms: t, try: try, values: context.WithoutCancel(ctx),
		wake: make(chan struct{}, 1), done: make(chan struct{}),
	}
	if err := c.begin(ctx, w); err != nil {
		return nil, err
	}
	w.begun = c.now()
	err := c.send(ctx, c.rest, lease.Operation{
		Kind: lease.Acquire, Client: c.name, Lock: lock, Mode: t.Mode, TTL: lease.Duration(t.TTL),
	}, w.answered)
	if err != nil { // it was not taken
		w.answered(Answer{Err: err})
		return nil, err
	}
	if err := w.await(ctx); err != nil {
		return nil, err
	}
	return w.lease, nil
}

func (c *Client) mayAsk(ctx context.Context, t *Terms) error {
	if ctx.Err() != nil {
		return ended(ctx)
	}
	if err := c.closed(); err != nil {
		return err
	}
	return t.check()
}

// begin makes the wait that for its lock. It waits until nothing is left of what
// the client has given up before, since that would stand in the way.
func (c *Client) begin(ctx context.Context, w *wait) error {
	for {
		before, stale, err := c.enter(w)
		switch {
		case err != nil:
			return err
		case before != nil:
			select {
			case <-before.done:
			case <-ctx.Done():
				return ended(ctx)
			case <-c.life.Done():
				return ErrClosed
			}
		case stale != nil:
			if err := stale.clear(ctx); err != nil {
				return err
			}
		default:
			return nil
		}
	}
}

// enter notes the wait down, unless there is something to be waited for or to be
// cleared away first.
func (c *Client) enter(w *wait) (before *wait, stale *Lease, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.closed(); err != nil {
		return nil, nil, err
	}
	for _, other := range c.waits {
		if other.given != nil {
			return other, nil, nil
		}
	}
	if c.waits[w.lock] != nil {
		return nil, nil, lease.ClientBusy
	}
	if l := c.held[w.lock]; l != nil {
		if l.live() {
			return nil, nil, lease.ClientBusy
		}
		return nil, l, nil
	}
	c.waits[w.lock] = w
	return nil, nil, nil
}
