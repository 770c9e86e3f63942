package sequencer

import "github.com/leasekeeper/lkactor/actors/lease"

// forget drops the record of an idle lock (E4). What comes after it meets a lock
// that was never used, so it is alone in its batch.
func (q *Sequencer) forget(op *lease.Operation, result *lease.Result) error {
	l := q.knownLock(op.Lock)
	if l == nil {
		if *result = lease.Fail(op.Check(q.dialect)); result.Code == lease.OK {
			*result = lease.Result{Outcome: lease.Forgotten}
		}
		return nil
	}
	if err := q.flush(); err != nil {
		return err
	}
	s := q.newStep(lease.Forget)
	s.Result = result
	if err := q.sendAlone(l, s); err != nil || result.Outcome != lease.Forgotten {
		return err
	}
	if err := q.dismissLock(l); err != nil {
		return err
	}
	if err := q.flush(); err != nil {
		return err
	}
	// Nobody may be left with a note of a lock that is no more. What is delivered
	// now need not be delivered later, so that many forgets cost no more than one.
	if err := q.deliverAll(); err != nil {
		return err
	}
	q.dropLock(l)
	return nil
}

// sendAlone sends a step and finishes its batch.
func (q *Sequencer) sendAlone(l *LockEntry, s *lease.Step) error {
	if err := q.send(l, nil, s); err != nil {
		return err
	}
	return q.flush()
}

// close unregisters a client that holds and awaits nothing (E4).
func (q *Sequencer) close(op *lease.Operation, result *lease.Result) error {
	c := q.knownClient(op.Client)
	if c == nil {
		if *result = lease.Fail(op.Check(q.dialect)); result.Code == lease.OK {
			*result = lease.Result{Outcome: lease.Closed}
		}
		return nil
	}
	busy, err := q.inUse(c)
	if err != nil {
		return err
	}
	if busy {
		*result = lease.Fail(lease.ClientBusy)
		return nil
	}
	*result = lease.Result{Outcome: lease.Closed}
	q.setAge(c, 0)
	return q.discard(c)
}

// discard has a client go that is not registered, and so holds and awaits nothing, and
// forgets it unless some of its requests are remembered.
func (q *Sequencer) discard(c *ClientEntry) error {
	if err := q.flush(); err != nil { // nothing may be on its way to it
		return err
	}
	if c.seated {
		if err := q.dismissClient(c); err != nil {
			return err
		}
		if err := q.deliver(); err != nil {
			return err
		}
	}
	if c.requests == nil {
		q.dropClient(c)
	}
	return nil
}

// inUse tells whether the client holds or awaits anything as of now. What it held
// and has lost unnoticed is noticed first.
func (q *Sequencer) inUse(c *ClientEntry) (bool, error) {
	if err := q.flush(); err != nil {
		return false, err
	}
	if c.waiting != nil {
		if waits, err := q.waitsElsewhere(c); waits || err != nil {
			return waits, err
		}
	}
	if c.holds == 0 {
		return false, nil
	}
	held, err := q.heldBy(c)
	if err != nil {
		return false, err
	}
	for _, l := range held {
		if err := q.send(q.locks.at(l.ID), nil, q.newStep(lease.Settle)); err != nil {
			return false, err
		}
	}
	if err := q.flush(); err != nil {
		return false, err
	}
	return c.holds > 0, nil
}
