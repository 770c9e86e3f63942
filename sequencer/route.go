package sequencer

import "github.com/leasekeeper/lkactor/actors/lease"

// The cut rules. No operation may depend on the outcome of an earlier one of its
// batch except through the lane of a lock they share. What would is an acquire,
// in two ways:
//
//   - whether its client waits for some other lock (C1). It may have been
//     granted that lock, or have given up, earlier in this batch; so the batch
//     is finished first and that lock brought up to date.
//   - whether it closes a cycle (D2). If it is queued, clients may be aborted
//     before anything else happens; so the batch ends with it. It can close
//     one only if somebody waits, or may do so by now, for what its client
//     holds, and holds something too.

// acquire routes an acquire that has passed its checks.
func (q *Sequencer) acquire(op *lease.Operation, result *lease.Result) error {
	c, l := q.client(op.Client), q.lock(op.Lock)
	if c.mayWait != nil && c.mayWait != l {
		waits, err := q.waitsElsewhere(c)
		if err != nil {
			return err
		}
		if waits {
			*result = lease.Fail(lease.ClientBusy)
			return nil
		}
	}
	q.register(c)

	holds, decisive := c.mayHoldOther(l), false
	if !l.surelyFree(c, q.now, q.batch.number) {
		c.mayWait = l
		decisive = c.mayBlockOthers(l, q.batch.number)
	}
	l.tried(c, holds, q.batch.number)
	c.mayGet(l)
	q.batch.add(l, c, lease.Step{
		Kind: lease.Acquire, Mode: op.Mode, Holds: holds, Client: &c.Client, Age: c.age,
		Now: q.now, TTL: op.TTL, Result: result,
	})
	if decisive {
		return q.flushDecisive(c, l, result)
	}
	return q.flushIfFull()
}

// waitsElsewhere tells whether the client is waiting as of now. The batch may
// have to be finished to know.
func (q *Sequencer) waitsElsewhere(c *ClientEntry) (bool, error) {
	if c.mayWait.lane != nil {
		if err := q.Flush(); err != nil {
			return false, err
		}
	}
	if l := c.mayWait; l != nil && l.due <= q.now {
		if err := q.Flush(); err != nil {
			return false, err
		}
		q.settle(l)
		if err := q.Flush(); err != nil {
			return false, err
		}
	}
	return c.mayWait != nil, nil
}

// settle routes a step that brings the lock up to now.
func (q *Sequencer) settle(l *LockEntry) {
	q.batch.add(l, nil, lease.Step{Kind: lease.Settle, Now: q.now})
}

// route routes the operations that one lock can answer by itself. A name that
// was never used answers at once, and is not made known by being asked about.
func (q *Sequencer) route(op *lease.Operation, result *lease.Result) error {
	l := q.knownLock(op.Lock)
	var c *ClientEntry
	step := lease.Step{Kind: op.Kind, Now: q.now, Result: result}
	switch op.Kind {
	case lease.Renew, lease.Release:
		c = q.knownClient(op.Client)
		if l == nil || c == nil {
			*result = lease.Fail(lease.NotHolder)
			return nil
		}
		step.Client, step.TTL = &c.Client, op.TTL
		if op.Kind == lease.Release {
			q.releases(c, l)
		} else {
			l.until = max(l.until, q.now+lease.Instant(op.TTL))
		}
	case lease.Inspect:
		if l == nil {
			*result = lease.Result{Outcome: lease.Inspected, Detail: &lease.Detail{Lock: &lease.LockView{}}}
			return nil
		}
	case lease.Read:
		if l == nil {
			*result = lease.Result{Outcome: lease.Null}
			return nil
		}
		step.Key = op.Key
	case lease.Write:
		l = q.lock(op.Lock)
		step.Key, step.Value, step.Token = op.Key, op.Value, op.Token
	}
	q.batch.add(l, c, step)
	return q.flushIfFull()
}

// releases notes that after its release the client neither holds the lock nor
// waits for it, however the release turns out; so a client that takes and
// returns locks in a row does not end its batch each time.
func (q *Sequencer) releases(c *ClientEntry, l *LockEntry) {
	if c.mayWait == l {
		c.mayWait = nil
	}
	c.lost(l)
}

// status routes a status. Its client is told everything before it in the order
// of operations; what it cannot have been told is a grant that falls due on the
// one lock it may be waiting for, so that lock is brought up to now.
func (q *Sequencer) status(op *lease.Operation, result *lease.Result) error {
	c := q.knownClient(op.Client)
	if c == nil {
		*result = lease.Result{Outcome: lease.Reported, Detail: &lease.Detail{Client: &lease.ClientView{}}}
		return nil
	}
	l := c.mayWait
	if l != nil && l.lane == nil && l.due > q.now {
		l = nil
	}
	q.batch.add(l, c, lease.Step{Kind: lease.Status, Now: q.now, Result: result})
	return q.flushIfFull()
}

func (q *Sequencer) flushIfFull() error {
	if q.batch.full() {
		return q.Flush()
	}
	return nil
}
