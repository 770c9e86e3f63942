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

	dialect lease.Dialect

	now  lease.Instant // the latest instant reached (O4)
	back bool          // an operation carried an earlier one (O11)

	directory
	batch    batch
	solo     solo
	mirrored due.Heap // locks that are awaited and in the graph, by next lapse
	inquiry  lease.Inquiry

	seats      seatings
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
	Inquiries  uint64 // messages to the deadlock actor
	Victims    uint64 // clients aborted
}

// New gives the order of a fresh service. limits is asked before each batch how
// many operations it may hold, from 1 to [MaxBatch]. Results depend neither on it
// nor on what is kept.
func New(ports Ports, limits func() int, keep Keep) *Sequencer {
	return &Sequencer{
		ports:     ports,
		now:       lease.Dawn,
		directory: newDirectory(),
		batch:     newBatch(limits),
		seats:     seatings{keep: keep},
	}
}

// NewDirect gives the order of a fresh service whose operations run one at a
// time. Results are complete when Take returns.
func NewDirect(direct Direct, keep Keep) *Sequencer {
	q := New(direct, func() int { return 1 }, keep)
	q.direct = direct
	return q
}

// Counts gives what has been done so far.
func (q *Sequencer) Counts() Counts { return q.counts }

// WentBack tells whether any operation so far carried an instant earlier than
// one before it and was handled as of the later one (O11).
func (q *Sequencer) WentBack() bool { return q.back }

// Take takes the next operation. Its result is complete when a Flush after it
// has returned, and op and result must stay as they are until then. An error
// comes from the Ports and is final.
func (q *Sequencer) Take(op *lease.Operation, result *lease.Result) error {
	q.counts.Operations++
	if !op.Timeless(q.dialect) {
		q.stamp(op.At)
	}
	if op.CheckKnown(q.dialect) != lease.OK {
		*result = lease.Fail(op.Check(q.dialect))
		return nil
	}
	switch op.Kind {
	case lease.Acquire:
		return q.acquire(op, result)
	case lease.Status:
		return q.status(op, result)
	case lease.Repeat:
		return q.repeat(op.Repeat, result)
	default:
		return q.route(op, result)
	}
}

// stamp moves the clock to at, never back (O4, O11).
func (q *Sequencer) stamp(at lease.Instant) {
	if at < q.now {
		q.back = true
		return
	}
	q.now = at
}
