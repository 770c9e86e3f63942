package sequencer

import (
	"github.com/leasekeeper/lkactor/actors/lease"
	"github.com/leasekeeper/lkactor/actors/lease/due"
)

// Sequencer is the pure core of the order. It reads no clock and starts nothing;
// one goroutine at a time may use it. Make one with [New].
type Sequencer struct {
	ports  Ports
	direct Direct // the same, if operations run one at a time; nil if in batches

	dialect  lease.Dialect
	watch    func(*lease.Effect)
	deadlock func(*lease.Deadlock)
	watcher  lease.Watcher // of operations taken one at a time
	batched  func(operations int)
	halted   func() bool

	seq     uint64        // how many operations have been taken
	noticed uint64        // the operation at which the effect in hand is noticed, where somebody watches
	now     lease.Instant // the latest instant reached (O4)
	back    bool          // an operation carried an earlier one (O11)

	waits   int    // requests in queues, where somebody watches
	settled uint64 // times that a lock was made to notice a lapse, likewise

	directory
	batch   batch
	solo    solo
	outbox  outbox
	dues    due.Heap // locks by next lapse, where it matters: see awaitsDue
	inquiry lease.Inquiry

	seats      seatings
	dormant    *dormant
	pending    []pendingRequest
	remembered bool // the operation in hand was answered by its request id
	resolution resolution
	runs       runs
	counts     Counts
}

// Counts is what the sequencer has done so far; for tests, benchmarks and
// metrics.
type Counts struct {
	Operations uint64 // taken, runs of repeats included
	Batches    uint64
	Lanes      uint64 // messages to lock actors
	Posts      uint64 // messages to client actors
	Steps      uint64 // edges that the deadlock graph has looked at
	Inquiries  uint64 // messages to the deadlock actor
	Victims    uint64 // clients aborted
	Made       uint64 // lock and client actors made; zero without actors
}

// Settings are what an order is made with. Only Dialect has a say in results.
type Settings struct {
	Dialect lease.Dialect
	// Limits is asked before each batch how many operations it may hold, from 1
	// to [MaxBatch]; nil for MaxBatch.
	Limits func() int
	Keep   Keep
	// Halted is asked between the portions of a repeat whether to give up; nil
	// for never.
	Halted func() bool
	// Watch is told of every effect, in the order of operations and, for leases
	// that end, in the order in which they ended, whether or not anybody touches
	// their locks again. nil if nobody watches; lapses are then noticed when
	// somebody asks. The effect must not be kept.
	Watch func(*lease.Effect)
	// Deadlock is told of every victim before it is aborted, between the effects
	// before and after; nil if nobody wants to know. The value may be kept.
	Deadlock func(*lease.Deadlock)
	// Batch is told how many operations each batch has; nil if nobody wants to know.
	Batch func(operations int)
}

// New gives the order of a fresh service.
func New(ports Ports, s Settings) *Sequencer {
	if s.Halted == nil {
		s.Halted = func() bool { return false }
	}
	if s.Limits == nil {
		s.Limits = func() int { return MaxBatch }
	}
	q := &Sequencer{
		ports:     ports,
		dialect:   s.Dialect,
		watch:     s.Watch,
		deadlock:  s.Deadlock,
		batched:   s.Batch,
		halted:    s.Halted,
		now:       lease.Dawn,
		directory: newDirectory(),
		seats:     seatings{keep: s.Keep},
		dormant:   new(dormant),
	}
	q.batch = newBatch(s.Limits, q.wake)
	return q
}

// NewDirect gives the order of a fresh service whose operations run one at a
// time. Results are complete when Take returns. The watcher, unless nil, is told of
// everything; Watch and Deadlock of the settings are then not used.
func NewDirect(direct Direct, s Settings, watcher lease.Watcher) *Sequencer {
	s.Limits = func() int { return 1 }
	if watcher != nil {
		s.Watch, s.Deadlock = watcher.Effect, watcher.Deadlock
	}
	q := New(direct, s)
	q.direct, q.watcher = direct, watcher
	return q
}

// Stamp gives the number and the instant of the last operation taken.
func (q *Sequencer) Stamp() (seq uint64, now lease.Instant) { return q.seq, q.now }

// Noticed gives the number of the operation at which the effect was noticed that
// Settings.Watch is being told of.
func (q *Sequencer) Noticed() uint64 { return q.noticed }

// Counts gives what has been done so far.
func (q *Sequencer) Counts() Counts { return q.counts }

// WentBack tells whether any operation so far carried an instant earlier than
// one before it and was handled as of the later one (O11).
func (q *Sequencer) WentBack() bool { return q.back }

// Take takes the next operation. Its result is complete when a Flush after it
// has returned, and op and result must stay as they are until then. An error
// comes from the Ports and is final.
func (q *Sequencer) Take(op *lease.Operation, result *lease.Result) error {
	if err := q.take(op, result); err != nil {
		return err
	}
	if q.direct != nil && len(q.pending) > 0 {
		q.remember()
	}
	if q.watcher != nil {
		q.watcher.End(&lease.Answer{Result: result, Remembered: q.remembered})
		q.remembered = false
	}
	return nil
}

func (q *Sequencer) take(op *lease.Operation, result *lease.Result) error {
	q.counts.Operations++
	q.seq++
	timeless := op.Timeless(q.dialect)
	if q.watcher != nil {
		now := q.now
		if !timeless {
			now = max(now, op.At)
		}
		q.watcher.Begin(q.seq, now, op)
	}
	if !timeless {
		if err := q.stamp(op.At); err != nil {
			return err
		}
	}
	if op.CheckKnown(q.dialect) != lease.OK {
		*result = lease.Fail(op.Check(q.dialect))
		return nil
	}
	if op.ID != "" {
		if known, err := q.repeated(op, result); known || err != nil {
			return err
		}
	}
	return q.dispatch(op, result)
}

// dispatch sends an operation that has passed its checks on its way.
func (q *Sequencer) dispatch(op *lease.Operation, result *lease.Result) error {
	switch op.Kind {
	case lease.Acquire:
		return q.acquire(op, result)
	case lease.Tick:
		*result = lease.Result{Outcome: lease.Ticked}
		return nil
	case lease.Forget:
		return q.forget(op, result)
	case lease.Close:
		return q.close(op, result)
	case lease.Status:
		return q.status(op, result)
	case lease.Repeat:
		return q.repeat(op.Repeat, result)
	default:
		return q.route(op, result)
	}
}

// stamp moves the clock to at, never back (O4, O11).
func (q *Sequencer) stamp(at lease.Instant) error {
	if at < q.now {
		q.back = true
		return nil
	}
	if q.watch != nil {
		if err := q.settleDue(at); err != nil {
			return err
		}
	}
	q.now = at
	return q.forgetOver()
}

// settleDue settles what ends up to the given instant, in the order in which it
// ends.
//
// A lease that the batch in hand grants or renews lasts for the least ttl at least;
// until then the batch can have nothing that ends.
func (q *Sequencer) settleDue(until lease.Instant) error {
	if n := len(q.batch.steps); n > 0 && until >= q.batch.steps[0].Now+lease.Instant(q.dialect.MinTTL()) {
		if err := q.flush(); err != nil {
			return err
		}
	}
	for {
		_, first := q.dues.Min()
		if first > until {
			return nil
		}
		if err := q.flush(); err != nil {
			return err
		}
		if err := q.settleTogether(min(until, q.together(first))); err != nil {
			return err
		}
	}
}

// settleTogether settles in one batch what ends up to the given instant, if nothing that
// is granted meanwhile can have ended by then. A batch for each instant would cost a
// storm of leases that end one shortly after the other a wait for each.
//
// A lock with several holders ends the batch: when the next of its leases ends is
// known after it, and may be before that of another lock.
func (q *Sequencer) settleTogether(until lease.Instant) error {
	for several := false; !several; {
		id, at := q.dues.Min()
		if at > until {
			break
		}
		q.now = max(q.now, at)
		q.dues.Remove(id) // believe puts it back
		l := q.locks.at(id)
		several = l.holders > 1
		q.settled++
		if err := q.send(l, nil, q.newStep(lease.Settle)); err != nil {
			return err
		}
	}
	return q.flush()
}

// awaitsDue tells whether it matters when the lock's next lease ends: to a
// watcher always, otherwise only where the graph has an edge to take away.
func (q *Sequencer) awaitsDue(l *LockEntry) bool {
	if q.watch != nil {
		return l.holders > 0
	}
	return l.mirrored && l.waiters > 0
}

// NextDue is the instant at which a tick is wanted, lease.Never for none: when the next
// lease ends, which is exact between batches if somebody watches, or when requests are
// to be forgotten that nobody has asked for again.
func (q *Sequencer) NextDue() lease.Instant { return min(q.NextLapse(), q.requestsDue()) }

// NextLapse is the instant at which the next lease ends, exact as NextDue is.
func (q *Sequencer) NextLapse() lease.Instant {
	_, at := q.dues.Min()
	return at
}

// TickEnd is how far a tick goes that is not to settle all that is due: as far as leases
// settle in one go.
func (q *Sequencer) TickEnd() lease.Instant { return q.together(q.NextDue()) }

// together is the last instant that settles in one go with a lapse at first: what is
// granted from then on lasts for the least ttl at least.
func (q *Sequencer) together(first lease.Instant) lease.Instant {
	span := lease.Instant(q.dialect.MinTTL()) - 1
	if first > lease.Never-span {
		return lease.Never
	}
	return first + span
}
