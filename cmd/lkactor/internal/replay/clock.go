package replay

import (
	"fmt"

	"github.com/leasekeeper/lkactor/actors/lease"
)

// StepBack is an operation whose instant lies before one that the log had
// reached already; it was handled as of the latter (O11).
type StepBack struct {
	Number int64         // of the operation in the log, from 1
	At     lease.Instant // the ts it carries
	Latest lease.Instant // the instant at which it was handled
}

// Notice says so of the log with that name, for stderr.
func (b *StepBack) Notice(log string) string {
	return fmt.Sprintf("%s goes back in time: operation %d is at %d, after the log had reached %d; "+
		"the clock does not go back with it (O11, said once)", log, b.Number, b.At, b.Latest)
}

// Clock follows the instants of a log to see whether it ever goes back. The zero
// Clock is that of a log of which nothing has been seen.
type Clock struct {
	seen   int64 // operations
	set    bool  // whether there has been an instant
	latest lease.Instant
	back   *StepBack
	none   int64 // operations that are none at all (O1, O2)
}

// See takes the next operation of a log of the dialect.
func (c *Clock) See(op *lease.Operation, d lease.Dialect) {
	c.seen++
	if op.Kind == lease.Refused && op.Untimed {
		c.none++
	}
	if op.Timeless(d) {
		return
	}
	if c.set && op.At < c.latest {
		if c.back == nil {
			c.back = &StepBack{Number: c.seen, At: op.At, Latest: c.latest}
		}
	} else {
		c.latest, c.set = op.At, true
	}
	if op.Kind == lease.Repeat {
		c.latest = lastRun(op, c.latest)
	}
}

// Back is where the log first went back; nil if it has not.
func (c *Clock) Back() *StepBack { return c.back }

// lastRun is the instant up to which the runs of a repeat, itself handled at
// now, move the clock (R4). Only plain logs have any.
func lastRun(op *lease.Operation, now lease.Instant) lease.Instant {
	r := op.Repeat
	if !r.Fits(now) || r.Template.Op.Timeless(lease.Plain) {
		return now
	}
	return now + lease.Instant(r.Count-1)*lease.Instant(r.Step)
}
