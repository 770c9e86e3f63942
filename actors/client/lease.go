package client

import (
	"context"
	"sync"
	"time"

	"github.com/leasekeeper/lkactor/actors/client/claim"
	"github.com/leasekeeper/lkactor/actors/lease"
)

// Lease is one lease of a [Client], from its grant to its end. All methods may be
// called from any goroutine.
//
// It watches its own end: when its time is up by the local clock it is lost, whether
// or not the service answers, and never later than the service lets the next holder
// in. A little earlier, by the margin, its context ends.
type Lease struct {
	client *Client
	lock   string
	token  lease.Token
	terms  Terms
	seq    uint64 // of the operation by which it was granted

	lost chan struct{}   // closed when the lease ends without its holder's doing
	life context.Context // ends when the lease is over
	end  context.CancelCauseFunc

	// sending has something in it while a renew is being handed over: when it has
	// not and the lease is over, no renew comes any more.
	sending chan struct{}

	mu    sync.Mutex
	term  claim.Term
	timer Timer
	why   error           // why it is over
	late  Reason          // why it was over before its release came; zero if it was not
	freed bool            // the service has confirmed a release
	work  context.Context // ends before life does; made when it is asked for
	rest  context.CancelCauseFunc
}

// hold is what a Lease is made from.
type hold struct {
	lock  string
	token lease.Token
	terms Terms
	seq   uint64
	word  claim.Word
}

// newLease gives the handle of a lease that has been granted, its timer running.
func newLease(c *Client, values context.Context, h hold) *Lease {
	l := &Lease{
		client: c, lock: h.lock, token: h.token, terms: h.terms, seq: h.seq,
		lost: make(chan struct{}), sending: make(chan struct{}, 1),
		term: claim.Begin(h.terms.claim(), h.word, chance()),
	}
	l.life, l.end = context.WithCancelCause(values)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.timer = c.clock.AfterFunc(l.sleep(), l.wake)
	return l
}

// Lock is the name of the lock.
func (l *Lease) Lock() string { return l.lock }

// Mode is how the lock is held.
func (l *Lease) Mode() lease.Mode { return l.terms.Mode }

// Token is the fencing token of the grant. Renewals do not change it (L2).
func (l *Lease) Token() lease.Token { return l.token }

// Expiry is when the lease ends, as far as its holder knows: not later than by the
// service. It is a time of the local monotonic clock; steps of the wall clock do not
// move it.
func (l *Lease) Expiry() time.Time {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.client.time(l.term.Expiry())
}

// Lost is closed when the lease has ended without its holder's doing: at its local
// expiry at the latest. It is not closed by Release. [Lease.Err] says why.
func (l *Lease) Lost() <-chan struct{} { return l.lost }

// Context is for the work under the lease. It has the values of the context that
// the lock was acquired with, but not its end; it ends by the margin before the
// local expiry, and at once when the lease is lost or released. Its cause matches
// [ErrClosing], [ErrLost], [ErrReleased] or [ErrClosed].
func (l *Lease) Context() context.Context {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.pass(l.term.Pass(l.client.now()))
	if l.work == nil {
		l.work, l.rest = context.WithCancelCause(l.life)
		if l.term.Phase() != claim.Valid {
			l.rest(ErrClosing) // without effect if life has ended
		}
	}
	return l.work
}

// Err tells why the lease is over: a *[LostError], [ErrReleased] or [ErrClosed]; nil
// while it is not. It looks at the clock.
func (l *Lease) Err() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.pass(l.term.Pass(l.client.now()))
	return l.why
}

// KeepAlive switches the renewing on or off; see Terms.KeepAlive.
func (l *Lease) KeepAlive(on bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.term.Shift(on)
	l.rearm() // what is due by now is done on the timer's goroutine
}

func (l *Lease) live() bool { return l.Err() == nil }

// lose ends the lease without its holder's doing. If it is over already, that only
// tells how its release has come out.
func (l *Lease) lose(why Reason) {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case l.term.Finish():
		l.finish(&LostError{Lock: l.lock, Token: l.token, Reason: why})
		close(l.lost)
	case why == Revoked: // by its holder, that is
		l.freed = true
	case !l.freed && l.late == 0:
		l.late = why
	}
}

// halt ends the lease by its holder's doing, unless it is over already, and returns
// when no renew is sent any more.
func (l *Lease) halt(why error) {
	l.mu.Lock()
	l.pass(l.term.Pass(l.client.now()))
	if l.term.Finish() {
		l.finish(why)
	}
	l.mu.Unlock()
	l.sending <- struct{}{} // life has ended, so it does not take long
	<-l.sending
}

// pass does what has become due with time. The mutex is held. Whoever asks about the
// lease has it done first, since the timer may be late, above all in a process that
// was stopped.
func (l *Lease) pass(due claim.Due) {
	if due.Close && l.work != nil {
		l.rest(ErrClosing)
	}
	if due.Lose {
		l.finish(&LostError{Lock: l.lock, Token: l.token, Reason: Expired})
		close(l.lost)
	}
}

// finish tells everybody that the lease is over. The mutex is held.
func (l *Lease) finish(why error) {
	l.why = why
	l.timer.Stop()
	l.end(why)
}
