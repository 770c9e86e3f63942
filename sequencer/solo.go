package sequencer

import "github.com/leasekeeper/lkactor/actors/lease"

// solo is the one step and the one lane at a time of an order that runs operations
// one by one.
type solo struct {
	step lease.Step
	lane Lane
}

// run has one step run and hands on what it did. l is nil for a status that needs
// no lock, c for a step of no client.
func (q *Sequencer) run(l *LockEntry, c *ClientEntry, s *lease.Step) error {
	r := route{client: c}
	if l != nil {
		lane := &q.solo.lane
		lane.Entry, lane.Lock, lane.Rest, lane.First, lane.Last = l, &l.Lock, &lane.rest, s, s
		if l.Seat == nil {
			q.wake(l, lane)
		}
		q.direct.Lock(lane)
		r.lane = lane
	}
	q.handOn(s, &r)
	if l != nil {
		q.believe(r.lane)
	}
	if err := q.deliver(); err != nil || q.solo.lane.Leave {
		return err
	}
	return q.makeRoom()
}

// newStep gives a step to be filled in and sent.
func (q *Sequencer) newStep(kind lease.Kind) *lease.Step {
	var s *lease.Step
	if q.direct != nil {
		s = &q.solo.step
		*s = lease.Step{}
	} else {
		s = q.batch.step()
	}
	s.Kind, s.Now, s.Seq = kind, q.now, q.seq
	return s
}

// send runs the step or puts it into the batch, which has room for one more
// afterwards.
func (q *Sequencer) send(l *LockEntry, c *ClientEntry, s *lease.Step) error {
	if q.direct != nil {
		return q.run(l, c, s)
	}
	q.batch.add(l, c, s)
	if q.batch.full() {
		return q.flush()
	}
	return nil
}
