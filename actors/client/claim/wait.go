package claim

import (
	"math"

	"github.com/leasekeeper/lkactor/actors/lease"
)

// Ending is how a [Wait] ends.
type Ending uint8

// The endings.
const (
	// Pending: it has not ended yet.
	Pending Ending = iota
	// Held: the lock was granted, and nobody had given up by then.
	Held
	// Refused: the acquire was refused; see Wait.Code.
	Refused
	// Deadlocked: the client was aborted while it waited (D5); it holds nothing
	// any more.
	Deadlocked
	// Gone: somebody else took the request out of the queue, or the lease that it
	// became ended before its holder was told of it.
	Gone
	// Withdrawn: the wait was given up, and nothing of it is left at the service.
	Withdrawn
	// Broken: the service could not handle the acquire or its withdrawal.
	Broken
)

// Grant is the lease that a wait ends with, as the service tells of it.
type Grant struct {
	Seq   uint64 // of the operation by which it was granted
	Token lease.Token
	Until lease.Instant // in the service's time
}

// phase is where a wait is.
type phase uint8

const (
	asked       phase = iota // the acquire is on its way
	queued                   // it is in the lock's queue
	unwanted                 // given up, and something may be left at the service
	withdrawing              // the release that takes it back is on its way
	ended
)

// Wait is the course of one acquire: the answer to it, what is told of it later,
// and that it is given up, in whatever order they come. It sees to it that an
// acquire ends once, and if it does not end with a grant, then only when nothing
// of it is left at the service: neither a place in a queue nor a lease.
//
// The zero value is that of an acquire on its way. After each input ask Ending,
// and Withdraw.
type Wait struct {
	phase  phase
	ending Ending
	given  bool // given up

	// What was told since the acquire was sent; of things that happened before it,
	// too, which Seq gives away.
	granted Grant
	gone    uint64 // seq of what ended the request or its lease
	aborted uint64 // seq of what aborted the client

	seq  uint64 // of the acquire itself
	code lease.Code
}

// Ending tells how the wait has ended, [Pending] if it has not.
func (w *Wait) Ending() Ending { return w.ending }

// Grant is the lease that the wait ended with, when it ended with Held. After
// Gone it has a token if the request had become a lease.
func (w *Wait) Grant() Grant { return w.granted }

// Code says why the acquire was refused, when it was.
func (w *Wait) Code() lease.Code { return w.code }

// Queued tells whether the request is known to stand in the lock's queue.
func (w *Wait) Queued() bool { return w.phase == queued }

// Answered takes the answer to the acquire, the seq-th operation of the service.
func (w *Wait) Answered(seq uint64, r *lease.Result) {
	if w.phase != asked {
		return
	}
	w.seq = seq
	switch r.Outcome {
	case lease.Granted:
		w.granted = Grant{Seq: seq, Token: r.Token, Until: r.Until}
		w.settle()
	case lease.Queued:
		if w.granted.Seq <= seq {
			w.granted = Grant{} // of an earlier acquire
		}
		w.phase = queued
		w.settle()
	case lease.Deadlocked:
		w.end(Deadlocked)
	default:
		w.code = r.Code
		if w.given {
			w.end(Withdrawn)
			return
		}
		w.end(Refused)
	}
}

// settle looks at where the request stands once its acquire has been answered, by
// what was told of it before and since.
func (w *Wait) settle() {
	switch {
	case w.aborted > w.seq:
		w.end(Deadlocked)
	case w.gone > w.seq:
		w.end(Gone)
	case w.given:
		w.phase = unwanted
	case w.granted.Token != 0:
		w.end(Held)
	}
}

// Granted takes the news that the request has become a lease.
func (w *Wait) Granted(g Grant) {
	switch w.phase {
	case asked:
		w.granted = g
	case queued:
		if g.Seq > w.seq {
			w.granted = g
			w.settle()
		}
	}
}

// Vanished takes the news that the client has no request and no lease on the lock
// any more, by the seq-th operation and without its own doing.
func (w *Wait) Vanished(seq uint64) {
	switch w.phase {
	case asked:
		w.gone = max(w.gone, seq)
	case queued, unwanted:
		if seq <= w.seq {
			return
		}
		w.gone = seq
		if w.given {
			w.end(Withdrawn)
			return
		}
		w.end(Gone)
	case withdrawing: // the release is under way, and must not meet the client's next acquire
	}
}

// Aborted takes the news that the client was aborted by the seq-th operation while
// it waited for this lock. It counts even if the wait was given up, since the
// client has lost everything else, too.
func (w *Wait) Aborted(seq uint64) {
	switch {
	case w.phase == asked, w.phase == withdrawing:
		w.aborted = max(w.aborted, seq)
	case w.phase != ended && seq > w.seq:
		w.end(Deadlocked)
	}
}

// GiveUp takes the holder's word that it wants the lock no longer.
func (w *Wait) GiveUp() {
	w.given = true
	if w.phase == queued {
		w.phase = unwanted
	}
}

// Unanswered takes the news that nobody knows whether the acquire was handled: it
// counts as given up, and what it may have left is taken back. Its number is not known,
// so nothing that is told can be said to be news of it.
func (w *Wait) Unanswered() {
	if w.phase == asked {
		w.given = true
		w.granted, w.seq = Grant{}, math.MaxUint64
		w.phase = unwanted
	}
}

// Withdraw tells, once, that the holder must release the lock now: with the token
// of the lease if it is known, otherwise without one.
func (w *Wait) Withdraw() (token lease.Token, now bool) {
	if w.phase != unwanted {
		return 0, false
	}
	w.phase = withdrawing
	return w.granted.Token, true
}

// Released takes the answer to the release. Whatever it says, nothing is left
// after it.
func (w *Wait) Released() {
	if w.phase != withdrawing {
		return
	}
	if w.aborted > w.seq {
		w.end(Deadlocked)
		return
	}
	w.end(Withdrawn)
}

// Break takes the news that the service cannot handle the wait's acquire or
// release and never will.
func (w *Wait) Break() {
	if w.phase != ended {
		w.end(Broken)
	}
}

func (w *Wait) end(e Ending) { w.phase, w.ending = ended, e }
