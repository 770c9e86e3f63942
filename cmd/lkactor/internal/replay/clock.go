package replay

import "github.com/leasekeeper/lkactor/actors/lease"

// StepBack is an operation whose instant lies before one that the log had
// reached already; it was handled as of the latter (O11).
type StepBack struct {
	Number int64         // of the operation in the log, from 1
	At     lease.Instant // the ts it carries
	Latest lease.Instant // the instant at which it was handled
}

// clock follows the instants of a log to see whether it ever goes back.
type clock struct {
	seen   int64 // operations
	set    bool  // whether there has been an instant
	latest lease.Instant
	back   *StepBack
	none   int64 // operations that are none at all (O1, O2)
}

// see takes the next operation of a log of the dialect.
func (c *clock) see(op *lease.Operation, d lease.Dialect) {
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

// lastRun is the instant up to which the runs of a repeat, itself handled at
// now, move the clock (R4). Only plain logs have any.
func lastRun(op *lease.Operation, now lease.Instant) lease.Instant {
	r := op.Repeat
	if !r.Fits(now) || r.Template.Op.Timeless(lease.Plain) {
		return now
	}
	return now + lease.Instant(r.Count-1)*lease.Instant(r.Step)
}
