package client

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/leasekeeper/lkactor/actors/lease"
)

// Want is a lock that is asked for with others, and how.
type Want struct {
	Lock string
	Mode lease.Mode
}

// Set is several leases of one client that are used together. They are in
// ascending order of their locks' names.
type Set struct {
	leases []*Lease
	work   context.Context
	end    context.CancelCauseFunc
	lost   chan struct{}
	once   sync.Once // closes lost
}

// AcquireAll takes all the locks, one after the other in ascending order of their
// names (O10): clients that take all their locks so, and hold nothing else, never
// wait for each other in a ring. Either it gives the leases of all, or an error and
// then no lease at all; the errors are those of [Client.Acquire], and [ErrClosing] or
// [ErrLost] if a lease that it has cannot be kept while it waits for another lock.
//
// While it waits for one lock, the leases it has already are kept alive; so each has
// about two thirds of its TTL left, or more, when it returns. t.Wait is for all
// locks together.
func (c *Client) AcquireAll(ctx context.Context, t Terms, locks ...string) (*Set, error) {
	wants := make([]Want, len(locks))
	for i, lock := range locks {
		wants[i] = Want{lock, t.Mode}
	}
	return c.AcquireWants(ctx, t, wants...)
}

// AcquireWants is [Client.AcquireAll] with a mode for each lock, in place of t.Mode.
func (c *Client) AcquireWants(ctx context.Context, t Terms, wants ...Want) (*Set, error) {
	wants = slices.Clone(wants)
	slices.SortFunc(wants, func(a, b Want) int { return strings.Compare(a.Lock, b.Lock) })
	for i := 1; i < len(wants); i++ {
		if wants[i].Lock == wants[i-1].Lock {
			return nil, c.fail("acquire", wants[i].Lock, fmt.Errorf("%w: the lock is named twice", ErrTerms))
		}
	}
	if err := c.mayAsk(ctx, &t); err != nil {
		return nil, c.fail("acquire all", "", err)
	}
	s, err := c.gather(ctx, t, wants)
	if err != nil {
		return nil, err
	}
	s.bind(ctx)
	for _, l := range s.leases {
		l.KeepAlive(t.KeepAlive)
	}
	return s, nil
}

// gather takes the locks one after the other. The wait for one ends when a lease
// of another does.
func (c *Client) gather(ctx context.Context, t Terms, wants []Want) (_ *Set, err error) {
	s := new(Set)
	waiting, leave := context.WithCancelCause(ctx)
	defer leave(nil)
	defer func() {
		if err != nil {
			s.giveUp(ctx)
		}
	}()
	kept, limit := t, c.now()+lease.Instant(t.Wait)
	kept.KeepAlive = true
	for _, want := range wants {
		kept.Mode = want.Mode
		if t.Wait > 0 {
			if kept.Wait = time.Duration(limit - c.now()); kept.Wait <= 0 {
				return nil, c.fail("acquire", want.Lock, ErrWaitLimit)
			}
		}
		l, err := c.acquire(waiting, want.Lock, kept, false)
		if err != nil {
			if ctx.Err() == nil && waiting.Err() != nil && !errors.Is(err, ErrDeadlock) {
				err = context.Cause(waiting)
			}
			return nil, c.fail("acquire", want.Lock, err)
		}
		s.leases = append(s.leases, l)
		defer context.AfterFunc(l.Context(), func() {
			leave(fmt.Errorf("meanwhile %q: %w", l.lock, context.Cause(l.Context())))
		})()
	}
	return s, nil
}

// giveUp releases what there is, as well as it can be done: what is not confirmed by
// the end of the [Grace] ends at its expiry.
func (s *Set) giveUp(ctx context.Context) {
	if len(s.leases) == 0 {
		return
	}
	ctx, cancel := s.leases[0].client.graceful(ctx)
	defer cancel()
	_ = releaseAll(ctx, s.leases, insisting)
}

// bind makes the context of the set end with the first of its leases', and the set
// lost with the first that is.
func (s *Set) bind(values context.Context) {
	s.work, s.end = context.WithCancelCause(context.WithoutCancel(values))
	s.lost = make(chan struct{})
	for _, l := range s.leases {
		context.AfterFunc(l.Context(), func() { s.end(context.Cause(l.Context())) })
		context.AfterFunc(l.life, func() {
			if errors.Is(l.Err(), ErrLost) {
				s.once.Do(func() { close(s.lost) })
			}
		})
	}
}

// Leases gives the leases, ascending by lock name. The slice is the caller's.
func (s *Set) Leases() []*Lease { return slices.Clone(s.leases) }

// Lease gives that of the lock, nil if the set has none.
func (s *Set) Lease(lock string) *Lease {
	i, ok := slices.BinarySearchFunc(s.leases, lock, func(l *Lease, name string) int { return strings.Compare(l.lock, name) })
	if !ok {
		return nil
	}
	return s.leases[i]
}

// Token gives that of the lock's lease, zero if the set has none.
func (s *Set) Token(lock string) lease.Token {
	if l := s.Lease(lock); l != nil {
		return l.token
	}
	return 0
}

// Context is for the work under all the leases: it ends when the first of theirs
// does, and with the same cause.
func (s *Set) Context() context.Context { return s.work }

// Lost is closed when the first of the leases is lost; see [Lease.Lost]. Err says why.
func (s *Set) Lost() <-chan struct{} { return s.lost }

// Err tells why a lease of the set is over, nil while none is.
func (s *Set) Err() error {
	for _, l := range s.leases {
		if err := l.Err(); err != nil {
			return err
		}
	}
	return nil
}

// Expiry is when the first of the leases ends, as far as their holder knows; the zero
// Time for a set without leases.
func (s *Set) Expiry() (first time.Time) {
	for i, l := range s.leases {
		if e := l.Expiry(); i == 0 || e.Before(first) {
			first = e
		}
	}
	return first
}

// Renew makes all leases last for ttl from now, and goes on where one fails. The error
// joins those of [Lease.Renew].
func (s *Set) Renew(ctx context.Context, ttl time.Duration) error {
	errs := make([]error, len(s.leases))
	var group sync.WaitGroup
	for i, l := range s.leases {
		group.Go(func() { errs[i] = l.Renew(ctx, ttl) })
	}
	group.Wait()
	return errors.Join(errs...)
}

// Release gives all locks back. The error joins those of [Lease.Release].
func (s *Set) Release(ctx context.Context) error {
	if s.end != nil {
		s.end(ErrReleased)
	}
	return releaseAll(ctx, s.leases, sending)
}
