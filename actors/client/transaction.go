package client

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/leasekeeper/lkactor/actors/client/claim"
	"github.com/leasekeeper/lkactor/actors/lease"
)

// Retry says how a transaction that was aborted is tried again.
type Retry struct {
	// Attempts is how often the work is begun at most; zero for as often as the
	// context lets.
	Attempts int
	// First and Most bound the back-off: it doubles from First to Most, and half of
	// it is left to chance. Zero for [RetryFirst] and [RetryMost].
	First, Most time.Duration
	// InOrder has every attempt but the first begin with all the locks that earlier
	// ones have asked for, in ascending order of their names.
	InOrder bool
}

func (r *Retry) backoff() claim.Backoff {
	b := claim.Backoff{First: lease.Duration(r.First), Most: lease.Duration(r.Most)}
	if b.First <= 0 {
		b.First = lease.Duration(RetryFirst)
	}
	if b.Most <= 0 {
		b.Most = lease.Duration(RetryMost)
	}
	b.Most = max(b.Most, b.First)
	return b
}

// Transact does work under locks that it takes as it goes, and does it again from
// the beginning when the client is aborted to break a deadlock. All its locks
// are given back when it ends, however it ends.
//
// An abort takes everything from a client (D5), also what it holds outside of the
// transaction, and its age: it comes back as the youngest (C2), and the youngest is
// who is aborted (D4). So a client that keeps running into others can lose every
// time; back-off makes that unlikely, not impossible. Retry.InOrder does more: clients
// that take their locks in ascending order never wait for each other in a ring. Such
// an attempt can be aborted only through clients that take theirs in another order, as
// those at their first attempt may, or if it goes on to a lock that no attempt before
// it has asked for. Who knows all its locks beforehand needs no transaction but
// [Client.AcquireAll].
//
// work must be such that it can be done again: what an aborted attempt has written is
// not undone, but the fence keeps it from writing after the locks have gone to
// others. The error is that of the last attempt, or of ctx; [ErrTerms] for a retry that
// makes no sense. An attempt ends with [ErrClosing] if a lease that it has is about to end
// while it waits for another lock.
func (c *Client) Transact(ctx context.Context, t Terms, r Retry, work func(*Transaction) error) error {
	if r.Attempts < 0 || r.First < 0 || r.Most < 0 {
		return c.fail("transact", "", fmt.Errorf("%w: a retry of %d attempts, waiting %v to %v", ErrTerms, r.Attempts, r.First, r.Most))
	}
	wants := &wants{modes: map[string]lease.Mode{}}
	backoff := r.backoff()
	for attempt := 1; ; attempt++ {
		tx := &Transaction{client: c, terms: t, wants: wants}
		tx.terms.KeepAlive = true
		tx.ctx, tx.end = context.WithCancelCause(ctx)
		err := tx.run(attempt > 1 && r.InOrder, work)
		if !errors.Is(err, ErrDeadlock) || attempt == r.Attempts {
			return err
		}
		over, pause := c.after(time.Duration(backoff.Delay(attempt, chance())))
		select {
		case <-over:
		case <-ctx.Done():
			pause.Stop()
			return c.fail("retry after an abort", "", errors.Join(ended(ctx), err))
		}
	}
}

// Transaction is one attempt at the work of [Client.Transact]. All methods may be
// called from any goroutine, but it waits for one lock at a time (C1).
type Transaction struct {
	client *Client
	terms  Terms
	ctx    context.Context
	end    context.CancelCauseFunc

	wants *wants // what was asked for, by this attempt or an earlier one

	mu     sync.Mutex
	leases []*Lease
}

// wants is what a transaction is known to need.
type wants struct {
	mu    sync.Mutex
	modes map[string]lease.Mode
}

// add notes a lock, in the stronger mode if it was asked for in both.
func (w *wants) add(lock string, mode lease.Mode) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if before, known := w.modes[lock]; !known || before == lease.Shared {
		w.modes[strings.Clone(lock)] = mode
	}
}

func (w *wants) list() []Want {
	w.mu.Lock()
	defer w.mu.Unlock()
	list := make([]Want, 0, len(w.modes))
	for lock, mode := range w.modes {
		list = append(list, Want{lock, mode})
	}
	return list
}

// run does one attempt.
func (tx *Transaction) run(inOrder bool, work func(*Transaction) error) (err error) {
	defer tx.end(nil)
	defer func() {
		// Of an abort one error says enough.
		if lost := tx.finish(); !errors.Is(err, ErrDeadlock) {
			err = errors.Join(err, lost)
		}
	}()
	if inOrder {
		if err := tx.takeAll(); err != nil {
			return err
		}
	}
	return work(tx)
}

// takeAll takes all locks that earlier attempts have asked for.
func (tx *Transaction) takeAll() error {
	set, err := tx.client.AcquireWants(tx.ctx, tx.terms, tx.wants.list()...)
	if err != nil {
		return err
	}
	for _, l := range set.leases {
		tx.add(l)
	}
	return nil
}

// Acquire takes a lock in the mode of the transaction's terms, or gives the lease
// that the transaction has of it.
func (tx *Transaction) Acquire(lock string) (*Lease, error) {
	return tx.AcquireMode(lock, tx.terms.Mode)
}

// AcquireMode takes a lock in the mode, or gives the lease that the transaction has
// of it. An exclusive lease serves who asks for a shared one, too; there is no way
// from a shared one to an exclusive one (C1), so that is refused with
// [lease.ClientBusy].
func (tx *Transaction) AcquireMode(lock string, mode lease.Mode) (*Lease, error) {
	tx.wants.add(lock, mode)
	if l := tx.lease(lock); l != nil {
		if mode == lease.Exclusive && l.Mode() == lease.Shared {
			return nil, tx.client.fail("acquire", lock, lease.ClientBusy)
		}
		return l, nil
	}
	t := tx.terms
	t.Mode = mode
	l, err := tx.client.Acquire(tx.ctx, lock, t)
	if err != nil {
		return nil, err
	}
	tx.add(l)
	return l, nil
}

// lease gives the lease that there is.
func (tx *Transaction) lease(lock string) *Lease {
	tx.mu.Lock()
	defer tx.mu.Unlock()
	i := slices.IndexFunc(tx.leases, func(l *Lease) bool { return l.lock == lock })
	if i < 0 {
		return nil
	}
	return tx.leases[i]
}

// add keeps a lease; the attempt ends with it.
func (tx *Transaction) add(l *Lease) {
	context.AfterFunc(l.Context(), func() { tx.end(context.Cause(l.Context())) })
	tx.mu.Lock()
	defer tx.mu.Unlock()
	tx.leases = append(tx.leases, l)
}

// Context is for the work: it ends with the context that Transact was called with,
// when the attempt does, and when the first of its leases does; see
// [Lease.Context].
func (tx *Transaction) Context() context.Context { return tx.ctx }

// finish gives everything back. That a lease had been lost is an error even if the
// work knew nothing of it.
func (tx *Transaction) finish() error {
	ctx, cancel := tx.client.graceful(tx.ctx)
	defer cancel()
	tx.mu.Lock()
	leases := slices.Clone(tx.leases)
	tx.mu.Unlock()
	return releaseAll(ctx, leases, insisting)
}
