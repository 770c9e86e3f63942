package client

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/leasekeeper/lkactor/actors/client/claim"
	"github.com/leasekeeper/lkactor/actors/lease"
)

// wait is one acquire under way. What has come to it so far is guarded by the
// Client's mutex; it is complete when done is closed.
type wait struct {
	client *Client
	lock   string
	terms  Terms
	try    bool            // do not stay in the queue
	values context.Context // what the lease's context has its values from
	begun  lease.Instant   // when the acquire was first sent, or a little earlier

	course claim.Wait
	sent   lease.Instant // when the acquire was sent that has been answered
	asked  lease.Instant // when the acquire was handled, in the service's time
	given  error         // why it was given up
	broken error
	reason Reason             // why the request or lease has vanished
	why    *lease.Explanation // of an abort
	lease  *Lease

	wake chan struct{} // given up, and there may be something to take back
	done chan struct{}
}

// answered takes the answer to the acquire.
func (w *wait) answered(a Answer) {
	w.client.mu.Lock()
	defer w.client.mu.Unlock()
	switch {
	case w.course.Ending() != claim.Pending:
	case errors.Is(a.Err, ErrUnanswered):
		w.given = a.Err
		w.course.Unanswered()
	case a.Err != nil:
		w.broken = a.Err
		w.course.Break()
	default:
		w.asked, w.sent = a.Now, w.begun
		if a.again {
			w.sent = a.sent
		}
		if d := a.Result.Detail; d != nil && d.Why != nil {
			w.why = d.Why
		}
		w.course.Answered(a.Seq, &a.Result)
		switch {
		case !w.course.Queued():
		case w.try:
			w.giveUp(ErrWouldBlock)
		case w.terms.Places > 0 && a.Result.Position > w.terms.Places:
			w.giveUp(fmt.Errorf("%w: place %d in the queue", ErrWaitLimit, a.Result.Position))
		}
	}
	w.advance()
}

// released takes the answer to the release that takes the acquire back.
func (w *wait) released(a Answer) {
	w.client.mu.Lock()
	defer w.client.mu.Unlock()
	switch {
	case w.course.Ending() != claim.Pending:
	case a.Err != nil:
		w.broken = a.Err
		w.course.Break()
	default:
		w.course.Released()
	}
	w.advance()
}

// giveUp ends the wait for the given reason, unless it has ended by itself. The
// Client's mutex is held.
func (w *wait) giveUp(why error) {
	if w.given == nil && w.course.Ending() == claim.Pending {
		w.given = why
		w.course.GiveUp()
	}
}

// advance does what has become possible by the last input. The Client's mutex is
// held.
func (w *wait) advance() {
	select {
	case <-w.done:
		return
	default:
	}
	if w.course.Ending() == claim.Pending {
		if w.given != nil {
			select {
			case w.wake <- struct{}{}:
			default:
			}
		}
		return
	}
	delete(w.client.waits, w.lock)
	if w.course.Ending() == claim.Held {
		g := w.course.Grant()
		w.lease = newLease(w.client, w.values, hold{
			lock: w.lock, token: g.Token, terms: w.terms, seq: g.Seq,
			word: claim.Word{
				At: g.Until - lease.Instant(w.terms.TTL), Seq: g.Seq,
				Sent: w.sent, Left: lease.Duration(g.Until - w.asked),
			},
		})
		w.client.held[w.lock] = w.lease
	}
	close(w.done)
}

// await waits for the end, and gives the wait up when ctx ends, the wait limit is
// over or the Client is closed. It returns when nothing is left at the service, or
// at the end of the Grace at the latest.
func (w *wait) await(ctx context.Context) error {
	select {
	case <-w.done: // usually
		return w.result()
	default:
	}
	var limit <-chan struct{}
	if w.terms.Wait > 0 {
		over, timer := w.client.after(w.terms.Wait - time.Duration(w.client.now()-w.begun))
		defer timer.Stop()
		limit = over
	}
	var why error
	select {
	case <-w.done:
		return w.result()
	case <-w.wake: // it was given up already
	case <-ctx.Done():
		why = ended(ctx)
	case <-limit:
		why = ErrWaitLimit
	case <-w.client.life.Done():
		why = ErrClosed
	}
	if why != nil {
		w.client.mu.Lock()
		w.giveUp(why)
		w.client.mu.Unlock()
	}
	go w.finish() // and not here: the service may have no room for a release
	over, grace := w.client.after(Grace)
	defer grace.Stop()
	select {
	case <-w.done:
		return w.result()
	case <-over:
		return w.abandoned()
	}
}

// finish sees to it that nothing is left of a wait that was given up.
func (w *wait) finish() {
	for {
		w.withdraw()
		select {
		case <-w.done:
			return
		case <-w.wake:
		case <-w.client.rest.Done():
			return
		}
	}
}

// withdraw takes the acquire back if it is time to.
func (w *wait) withdraw() {
	c := w.client
	c.mu.Lock()
	token, now := w.course.Withdraw()
	c.mu.Unlock()
	if !now {
		return
	}
	op := lease.Operation{Kind: lease.Release, Client: c.name, Lock: w.lock, Expect: token}
	if err := c.insist(c.rest, c.rest, op, w.released); err != nil {
		w.released(Answer{Err: err})
	}
}

// abandoned is the error of an acquire that could not wait for its end.
func (w *wait) abandoned() error {
	w.client.mu.Lock()
	defer w.client.mu.Unlock()
	return w.given
}

// result is the error of an acquire that has ended.
func (w *wait) result() error {
	switch w.course.Ending() {
	case claim.Held:
		return nil
	case claim.Refused:
		return w.course.Code()
	case claim.Deadlocked:
		return &DeadlockError{Lock: w.lock, Why: w.why}
	case claim.Gone:
		return &LostError{Lock: w.lock, Token: w.course.Grant().Token, Reason: w.reason}
	case claim.Withdrawn:
		return w.given
	default:
		if w.given != nil {
			return fmt.Errorf("%w; and taking it back: %w", w.given, w.broken)
		}
		return w.broken
	}
}
