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
	c, l := q.knownClient(op.Client), q.knownLock(op.Lock)
	if c == nil || l == nil {
		if code := op.Check(q.dialect); code != lease.OK {
			*result = lease.Fail(code)
			return nil
		}
		c = q.client(op.Client)
	}
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
	if l == nil {
		l = q.lock(op.Lock) // only now: a refused acquire makes no record (E4)
	}
	q.register(c)

	holds, decisive := c.mayHoldOther(l), false
	if !q.surelyFree(l, c) {
		c.mayWait = l
		decisive = q.mayBlockOthers(c, l)
	}
	c.mayGet(l)
	s := q.newStep(lease.Acquire)
	s.Mode, s.Holds, s.Client, s.Age, s.TTL, s.Result = op.Mode, holds, &c.Client, c.age, op.TTL, result
	if decisive {
		return q.sendDecisive(c, l, s)
	}
	return q.send(l, c, s)
}

// waitsElsewhere tells whether the client is waiting as of now. The batch may
// have to be finished to know.
func (q *Sequencer) waitsElsewhere(c *ClientEntry) (bool, error) {
	if c.mayWait.lane != noLane {
		if err := q.flush(); err != nil {
			return false, err
		}
	}
	if l := c.mayWait; l != nil && l.due <= q.now {
		if err := q.flush(); err != nil {
			return false, err
		}
		if err := q.send(l, nil, q.newStep(lease.Settle)); err != nil {
			return false, err
		}
		if err := q.flush(); err != nil {
			return false, err
		}
	}
	return c.mayWait != nil, nil
}

// route routes the operations that one lock can answer by itself. A name that
// was never used answers at once, and is not made known by being asked about.
func (q *Sequencer) route(op *lease.Operation, result *lease.Result) error {
	var c *ClientEntry
	l := q.knownLock(op.Lock)
	named := l != nil
	if op.Kind == lease.Renew || op.Kind == lease.Release || op.Kind == lease.Evict {
		c = q.knownClient(op.Client)
		named = named && c != nil
	}
	if !named {
		if code := op.Check(q.dialect); code != lease.OK || op.Kind != lease.Write && op.Kind != lease.Bump {
			*result = unknown(op.Kind, code)
			return nil
		}
		l = q.lock(op.Lock)
	}
	switch op.Kind {
	case lease.Release, lease.Evict:
		if op.Expect == 0 {
			q.releases(c, l)
		}
	case lease.Renew:
		l.until = max(l.until, q.now+lease.Instant(op.TTL))
	}
	s := q.newStep(op.Kind)
	if c != nil {
		s.Client = &c.Client
	}
	s.TTL, s.Token, s.Expect, s.Key, s.Value, s.Result = op.TTL, op.Token, op.Expect, op.Key, op.Value, result
	return q.send(l, c, s)
}

// unknown is the answer about a name that was never used, or is none.
func unknown(kind lease.Kind, code lease.Code) lease.Result {
	switch {
	case code != lease.OK:
		return lease.Fail(code)
	case kind == lease.Inspect:
		return lease.Result{Outcome: lease.Inspected, Detail: &lease.Detail{Lock: &lease.LockView{}}}
	case kind == lease.Read:
		return lease.Result{Outcome: lease.Null}
	case kind == lease.Status:
		return lease.Result{Outcome: lease.Reported, Detail: &lease.Detail{Client: &lease.ClientView{}}}
	default:
		return lease.Fail(lease.NotHolder)
	}
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
		*result = unknown(lease.Status, op.Check(q.dialect))
		return nil
	}
	l := c.mayWait
	if l != nil && l.lane == noLane && l.due > q.now {
		l = nil
	}
	s := q.newStep(lease.Status)
	s.Result = result
	return q.send(l, c, s)
}
