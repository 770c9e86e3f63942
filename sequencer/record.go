package sequencer

import (
	"errors"
	"fmt"

	"github.com/leasekeeper/lkactor/actors/lease"
)

// Log keeps what a sequencer has stamped, before it is run. It is used on the
// sequencer's turn only, and must not block: what it is given becomes durable by
// itself, and the sequencer is told by a *Durable.
type Log interface {
	// Add adds a stamped operation, the seq-th, to the record in hand. It is copied.
	Add(seq uint64, op *lease.Operation)
	// Commit ends the record in hand. The ticket is higher than that of any record
	// before; once it is durable, so are those. An error is final.
	Commit() (ticket uint64, err error)
}

// Durable tells the sequencer that records have become durable: all up to Config's
// Synced; or that no more will.
type Durable struct{}

// ErrLog is matched by the error of an engine whose log has failed. What was run and
// was not yet durable is answered with it: whether it has happened is known after a
// restart.
var ErrLog = errors.New("sequencer: the log failed")

// Bounds of how far running is ahead of the disk. An intake that begins below them is
// taken whole.
const (
	aheadOperations = 1 << 15
	aheadBytes      = 16 << 20
)

// held is outcomes that wait for their records to become durable, in the order of
// intakes.
type held struct {
	outcomes []heldOutcome
	calls    []*Call // not yet taken, since too much is held

	ticket     uint64 // of the last record
	durable    uint64 // up to which records are durable
	operations int    // in the outcomes
	bytes      int    // likewise, about
}

type heldOutcome struct {
	outcome
	ticket            uint64
	operations, bytes int
}

// full tells that nothing more is to be run for now.
func (h *held) full() bool { return h.operations >= aheadOperations || h.bytes >= aheadBytes }

// size is about what an operation takes in a record.
func size(op *lease.Operation) int {
	const frame = 48 // numbers and punctuation
	return frame + len(op.Client) + len(op.Lock) + len(op.Key) + len(op.Value) + len(op.ID)
}

// record has the log keep the operations of an intake, which are stamped.
func (a *Actor) record(calls []*Call) (operations, bytes int) {
	seq, _ := a.order.Stamp()
	for _, c := range calls {
		if c.Err != nil { // not admitted
			continue
		}
		ops := c.Ops[c.taken:c.sliceEnd()]
		for i := range ops {
			seq++
			a.Log.Add(seq, &ops[i])
			bytes += size(&ops[i])
		}
		operations += len(ops)
	}
	ticket, err := a.Log.Commit()
	if err != nil {
		a.fail(fmt.Errorf("%w: %w", ErrLog, err))
		a.giveUp(a.failed)
		return 0, 0
	}
	a.held.ticket = ticket
	return operations, bytes
}

// letOut releases an outcome when everything that it may tell of is durable: now, if
// it is, or if it is an error, which tells nothing. The slice of its calls belongs to
// whoever called.
func (a *Actor) letOut(o outcome, operations, bytes int) {
	h := &a.held
	if o.err != nil || h.ticket <= h.durable && len(h.outcomes) == 0 {
		a.release(&o)
		return
	}
	o.calls = append([]*Call(nil), o.calls...)
	h.outcomes = append(h.outcomes, heldOutcome{o, h.ticket, operations, bytes})
	h.operations += operations
	h.bytes += bytes
}

// synced releases what is durable, and goes on with what had to wait.
func (a *Actor) synced() {
	if a.Log == nil {
		return
	}
	h := &a.held
	durable, err := a.Synced()
	h.durable = max(h.durable, durable)
	n := 0
	for n < len(h.outcomes) && h.outcomes[n].ticket <= h.durable {
		o := &h.outcomes[n]
		h.operations -= o.operations
		h.bytes -= o.bytes
		a.release(&o.outcome)
		n++
	}
	rest := copy(h.outcomes, h.outcomes[n:])
	clear(h.outcomes[rest:])
	h.outcomes = h.outcomes[:rest]
	if err != nil {
		if a.failed == nil {
			a.fail(fmt.Errorf("%w: %w", ErrLog, err))
		}
		a.giveUp(a.failed)
	}
	a.goOn()
}

// giveUp answers everything that is held with an error.
func (a *Actor) giveUp(err error) {
	h := &a.held
	for i := range h.outcomes {
		o := &h.outcomes[i].outcome
		o.news, o.err = nil, err // the subscribers have been told that this is the end
		a.release(o)
	}
	h.outcomes, h.operations, h.bytes = nil, 0, 0
	a.goOn()
}

// wait puts calls off until less is held; it answers false if there is no need.
func (a *Actor) wait(calls []*Call) bool {
	h := &a.held
	if a.failed != nil || len(h.calls) == 0 && !h.full() {
		return false
	}
	h.calls = append(h.calls, calls...)
	return true
}

// next is how many of the calls that have been put off make the next intake. One that
// is planned makes one by itself: what it will do is known when those before it are done.
func (h *held) next() (n int) {
	operations := 0
	for n < len(h.calls) && operations < sliceLimit {
		c := h.calls[n]
		if c.plan != nil {
			return max(n, 1)
		}
		operations += len(c.Ops) - c.taken
		n++
	}
	return n
}

// goOn takes what has been put off, in intakes of the usual size, as long as there
// is room.
func (a *Actor) goOn() {
	h := &a.held
	for len(h.calls) > 0 && (a.failed != nil || !h.full()) {
		n := h.next()
		calls := h.calls[:n:n]
		h.calls = h.calls[n:]
		a.run(calls)
	}
	if len(h.calls) == 0 {
		h.calls = nil
	}
}
