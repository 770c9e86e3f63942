package client

import (
	"context"
	"strings"

	"github.com/leasekeeper/lkactor/actors/client/claim"
	"github.com/leasekeeper/lkactor/actors/lease"
)

// Resume gives the leases that the service has for the client's name and this Client
// does not know: those of an instance before it, whose process has ended. They are in
// ascending order of their locks' names. From t their KeepAlive, Margin and, for
// renewals, TTL are taken. A request that the earlier instance has left in a queue is
// withdrawn, since nobody waits for it any more and it would keep this Client from
// waiting (C1).
//
// It is to be called before anything else. What was written under such a lease before
// may have been written in part; its token is still the right one to go on with.
func (c *Client) Resume(ctx context.Context, t Terms) ([]*Lease, error) {
	leases, err := c.resume(ctx, t)
	return leases, c.fail("resume", "", err)
}

func (c *Client) resume(ctx context.Context, t Terms) ([]*Lease, error) {
	if err := c.mayAsk(ctx, &t); err != nil {
		return nil, err
	}
	found := make(chan inheritance, 1)
	sent := c.now()
	err := c.send(ctx, ctx, lease.Operation{Kind: lease.Status, Client: c.name}, func(a Answer) {
		if a.again {
			sent = a.sent
		}
		found <- c.inherit(context.WithoutCancel(ctx), t, sent, a)
	})
	if err != nil {
		return nil, err
	}
	select {
	case f := <-found:
		if f.err != nil || f.waiting == "" {
			return f.leases, f.err
		}
		a, err := c.ask(ctx, lease.Operation{Kind: lease.Release, Client: c.name, Lock: f.waiting})
		if err == nil {
			err = a.Err
		}
		return f.leases, err
	case <-ctx.Done():
		return nil, ended(ctx)
	}
}

// inheritance is what an earlier instance has left.
type inheritance struct {
	leases  []*Lease
	waiting string
	err     error
}

// inherit takes over what the status says. It runs on the service's turn, so that no
// event is missed in between.
func (c *Client) inherit(values context.Context, t Terms, sent lease.Instant, a Answer) (f inheritance) {
	switch {
	case a.Err != nil:
		return inheritance{err: a.Err}
	case a.Result.Outcome == lease.Failed:
		return inheritance{err: a.Result.Code}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	v := a.Result.Detail.Client
	if v.Waiting != "" && c.waits[v.Waiting] == nil {
		f.waiting = v.Waiting
	}
	for _, h := range v.Holds {
		if c.held[h.Lock] != nil || c.waits[h.Lock] != nil {
			continue
		}
		t.Mode = h.Mode
		l := newLease(c, values, hold{
			lock: strings.Clone(h.Lock), token: h.Token, terms: t, seq: a.Seq,
			word: claim.Word{At: a.Now, Seq: a.Seq, Sent: sent, Left: lease.Duration(h.Until - a.Now)},
		})
		c.held[l.lock] = l
		f.leases = append(f.leases, l)
	}
	return f
}
