package client

import (
	"context"
	"fmt"
	"time"

	"github.com/leasekeeper/lkactor/actors/client/claim"
	"github.com/leasekeeper/lkactor/actors/lease"
)

// Renew makes the lease last for ttl from now (L2), which can shorten it; a lease
// that is kept alive is from now on kept with that ttl. If the service says that
// the lease is gone, the lease is lost, and so says the error; so does that of a
// lease that is over already. After any other error the lease goes on until its
// expiry, with the renew done or not.
func (l *Lease) Renew(ctx context.Context, ttl time.Duration) error {
	return l.client.fail("renew", l.lock, l.renewNow(ctx, ttl))
}

func (l *Lease) renewNow(ctx context.Context, ttl time.Duration) error {
	if ctx.Err() != nil {
		return ended(ctx)
	}
	// A renew that is refused must not shorten the lease while it is under way.
	if ttl < time.Duration(lease.Live.MinTTL()) || ttl > time.Duration(lease.Live.MaxTTL()) {
		return lease.InvalidTTL
	}
	if l.terms.Margin >= ttl {
		return fmt.Errorf("%w: Margin %v leaves nothing of %v", ErrTerms, l.terms.Margin, ttl)
	}
	answers := make(chan error, 1)
	admit, leave := context.WithCancelCause(ctx)
	defer leave(nil)
	defer context.AfterFunc(l.life, func() { leave(context.Cause(l.life)) })()
	err := l.renew(admit, ttl, false, func(err error) { answers <- err })
	if err == nil {
		select {
		case err = <-answers:
		case <-admit.Done():
			err = ended(admit)
		}
	}
	if why := l.Err(); err != nil && why != nil {
		return why
	}
	return err
}

// renew sends a renew and has done told what came of it. An error says that none
// was sent.
func (l *Lease) renew(ctx context.Context, ttl time.Duration, keeper bool, done func(error)) error {
	select {
	case l.sending <- struct{}{}:
		defer func() { <-l.sending }()
	case <-ctx.Done():
		return ended(ctx)
	}
	l.mu.Lock()
	sent := l.client.now()
	l.pass(l.term.Pass(sent))
	if l.why != nil {
		defer l.mu.Unlock()
		return l.why
	}
	n := l.term.Sent(sent, lease.Duration(ttl))
	l.rearm() // the lease may end earlier now
	l.mu.Unlock()
	op := lease.Operation{
		Kind: lease.Renew, Client: l.client.name, Lock: l.lock, TTL: lease.Duration(ttl), Expect: l.token,
	}
	err := l.client.sendBy(l.sending, ctx, l.life, op, func(a Answer) { done(l.renewed(a, n, sent, ttl, keeper)) })
	if err != nil {
		l.untaken(n)
	}
	return err
}

// renewed takes the answer to the n-th renew.
func (l *Lease) renewed(a Answer, n int, sent lease.Instant, ttl time.Duration, keeper bool) error {
	switch {
	case a.Err != nil:
		l.mu.Lock()
		defer l.mu.Unlock()
		l.term.Unanswered(n)
		return a.Err
	case a.Result.Outcome == lease.Renewed:
		word := claim.Word{
			At:  a.Result.Until - lease.Instant(ttl), // and not a.Now, if the answer was remembered
			Seq: a.Seq, Sent: sent, Left: lease.Duration(a.Result.Until - a.Now),
		}
		if a.again {
			word.Seq, word.Sent = 0, a.sent
		}
		l.mu.Lock()
		defer l.mu.Unlock()
		if keeper {
			l.term.Kept()
		}
		l.term.Renewed(n, word, lease.Duration(ttl), lease.Duration(l.terms.margin(ttl)), chance())
		l.rearm()
		return l.why
	case a.Result.Code == lease.NotHolder || a.Result.Code == lease.StaleLease:
		l.lose(Disowned)
		return l.Err()
	default:
		l.untaken(n)
		return a.Result.Code
	}
}

// untaken takes back that the n-th renew is under way.
func (l *Lease) untaken(n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.term.Untaken(n)
	l.rearm()
}

// wake looks at what is due. It runs on the timer's goroutine, and wherever
// something has changed.
func (l *Lease) wake() {
	l.mu.Lock()
	due := l.term.Look(l.client.now())
	l.pass(due)
	ttl := time.Duration(l.term.TTL)
	l.rearm()
	l.mu.Unlock()
	if due.Renew {
		l.keep(ttl)
	}
}

// keep sends the keeper's renew. While it is under way the timer is for the end of
// the lease.
func (l *Lease) keep(ttl time.Duration) {
	failed := func(err error) {
		if err != nil {
			l.mu.Lock()
			defer l.mu.Unlock()
			l.term.Failed(l.client.now(), chance())
			l.rearm()
		}
	}
	if err := l.renew(l.life, ttl, true, failed); err != nil {
		failed(err)
	}
}

// sleep is how long nothing is due. The mutex is held.
func (l *Lease) sleep() time.Duration {
	return time.Duration(l.term.Next() - l.client.now())
}

// rearm sets the timer anew. The mutex is held.
func (l *Lease) rearm() {
	if l.term.Phase() != claim.Over {
		l.timer.Reset(l.sleep())
	}
}
