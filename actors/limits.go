package actors

import (
	"time"

	"github.com/leasekeeper/lkactor/actors/lease"
	"github.com/leasekeeper/lkactor/sequencer"
)

// Limits of a running engine. Those of names, numbers and ttls are in package
// lease, those of a log's text in package oplog.
const (
	// DefaultBatch is how many operations run together at most.
	DefaultBatch = 256

	// InlineKeep is how many locks, and how many clients, keep an actor under
	// [Inline], where one costs about a kilobyte and no goroutine: more than
	// elsewhere, since a bulk run goes over many names and comes back to them.
	InlineKeep = 1 << 17

	// DefaultIdle is after how long an idle lock or client gives its actor back.
	DefaultIdle = 2 * time.Second
	// MinIdle keeps an engine from being busy with sweeping.
	MinIdle = time.Millisecond

	// sweepPause is how long a sweep gives way to others after each step, while there are
	// others: it then comes over 25,000 actors in a second.
	sweepPause = 10 * time.Millisecond

	// DefaultForget is after how long an idle lock is forgotten, and an idle client
	// closed, by an engine with a clock (E4).
	DefaultForget = time.Hour

	// listPage is how many locks or clients an operator's list takes in one turn of
	// the engine.
	listPage = 1 << 12

	// slowAfter is how long a subscriber may take to confirm a notice before it is
	// reported as slow, should there be more for it.
	slowAfter = 5 * lease.Instant(time.Second)
)

// Limits is how much an engine takes on. Where one is exceeded the operation is
// refused with an error and without effect. In every field zero stands for the
// default, and a negative value for no limit.
type Limits struct {
	// Operations is how many may be inside, submitted and not yet answered. Callers
	// wait for room as long as their context lasts, then or, under WithoutWaiting, at
	// once their error matches [ErrOverloaded]; so does the answer to a *[Request] for
	// which there is no room. A longer Run is let in when there is nobody else.
	Operations int

	// The others hold in engines with a clock only; the error matches [ErrLimit]. They are
	// never passed; near one, an operation is refused that might have fitted by what comes
	// just before it: a queue is counted as if nobody left it within the intake.

	// An idle name counts until it is forgotten (WithForget, or Forget and CloseClient at
	// once). None is dropped before its time to make room for another: whoever comes back
	// to it counts on the next token and on its client's age till then.

	Locks     int // of which there is a record, idle ones included
	Clients   int // likewise; one that is remembered only for its request ids is none
	Waiters   int // in the queue of one lock
	NameBytes int // in the name of a client, a lock or a key, or in a request id or an instance

	// Requests is how many requests with an id may be remembered, of all clients together:
	// each for 24 hours, or until its client has used 1,024 later ids (E3), also when the
	// client has long been closed. An operation with a new id is refused beyond that, of
	// whatever kind, since it could not be told from a second one.
	Requests int

	// Subscribers is how many may be subscribed to clients at once, by Subscribe, Watch or
	// Attach. One of a client that the engine does not know is refused, too, where the
	// client would be.
	Subscribers int
}

// DefaultLimits are those of an engine to which nothing else is said.
var DefaultLimits = Limits{
	Operations: 1 << 16, Locks: 1 << 24, Clients: 1 << 24, Waiters: 1 << 20, NameBytes: 1 << 12,
	Requests: 1 << 24, Subscribers: 1 << 20,
}

// or gives the limits with what is not said filled in.
func (l Limits) or(d Limits) Limits {
	pick := func(n, d int) int {
		switch {
		case n == 0:
			return d
		case n < 0:
			return 0 // none
		}
		return n
	}
	return Limits{
		Operations:  pick(l.Operations, d.Operations),
		Locks:       pick(l.Locks, d.Locks),
		Clients:     pick(l.Clients, d.Clients),
		Waiters:     pick(l.Waiters, d.Waiters),
		NameBytes:   pick(l.NameBytes, d.NameBytes),
		Requests:    pick(l.Requests, d.Requests),
		Subscribers: pick(l.Subscribers, d.Subscribers),
	}
}

func (l Limits) capacity() sequencer.Capacity {
	return sequencer.Capacity{
		Locks: l.Locks, Clients: l.Clients, Waiters: l.Waiters, NameBytes: l.NameBytes,
		Requests: l.Requests, Subscribers: l.Subscribers,
	}
}

// MaxOperationBytes is the one limit of an engine with a clock that cannot be moved: how
// long the names, the key, the value and the id of an operation may be together, in bytes
// and with some for its numbers. The error of a longer one matches [ErrLimit].
const MaxOperationBytes = sequencer.MaxOperationBytes

// ErrLimit is matched by the error of operations that would take an engine with a
// clock over a limit; it is a *[LimitError], which says over which, or [ErrBump].
var ErrLimit = sequencer.ErrLimit

// ErrBump is the error of a bump above [lease.MaxBump], in an engine with a clock and in
// a directory: too few tokens that come after it could be written with (E4, O9).
var ErrBump = sequencer.ErrBump

// LimitError says which limit an operation was refused for.
type LimitError = sequencer.LimitError
