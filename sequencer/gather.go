package sequencer

import "github.com/leasekeeper/lkactor/actors/lease"

// Flush finishes what is in hand: all results of operations taken so far are
// complete when it returns.
func (q *Sequencer) Flush() error {
	if err := q.flush(); err != nil {
		return err
	}
	q.remember()
	return nil
}

// flush finishes the batch in hand: runs its lanes, then hands their effects on.
func (q *Sequencer) flush() error {
	if len(q.batch.steps) == 0 {
		return nil
	}
	if err := q.gather(); err != nil {
		return err
	}
	if err := q.deliver(); err != nil {
		return err
	}
	if err := q.ask(lease.AskNothing, nil); err != nil {
		return err
	}
	return q.makeRoom()
}

// gather runs the lanes and hands their effects on: to the directory at once, to
// the clients in their posts, to the deadlock actor in the inquiry.
func (q *Sequencer) gather() error {
	b := &q.batch
	if len(b.steps) == 0 {
		return nil
	}
	q.counts.Batches++
	if q.batched != nil {
		q.batched(len(b.steps))
	}
	q.counts.Lanes += uint64(len(b.lanes))
	if err := q.ports.Locks(b.lanes); err != nil {
		return err
	}
	// Effects cross lanes in the order of operations, never lane by lane: a
	// client that gives up one lock and then asks for another must reach the
	// graph in that order.
	for i := range b.steps {
		q.handOn(&b.steps[i], &b.routes[i])
	}
	for _, lane := range b.lanes {
		q.believe(lane)
	}
	return nil
}

// handOn hands on what one step did.
func (q *Sequencer) handOn(s *lease.Step, r *route) {
	q.noticed = s.Seq
	if r.lane != nil {
		for i := s.From; i < s.To; i++ {
			q.spread(&r.lane.Effects[i], r)
		}
	}
	switch s.Kind {
	case lease.Acquire:
		// Routing believed the worst; now it is known.
		r.client.mayWait = r.client.waiting
		if s.Result.Outcome == lease.Queued {
			r.client.lost(r.lane.Entry)
		}
	case lease.Status:
		q.askClient(r.client, lease.Question{Kind: lease.AskStatus, Now: s.Now, Result: s.Result})
	}
}

// spread tells everybody concerned of one effect.
func (q *Sequencer) spread(e *lease.Effect, r *route) {
	if e.Contended {
		q.tie(e)
	}
	if e.Client == nil || e.Change == lease.ChangeHeld || e.Change == lease.ChangeAwaited {
		return // for the graph only
	}
	c := r.client
	if c == nil || &c.Client != e.Client {
		c = q.clients.at(e.Client.ID)
	}
	l := r.lane.Entry
	switch e.Change {
	case lease.ChangeQueued:
		c.waiting, c.mayWait = l, l
	case lease.ChangeWithdrawn:
		c.waiting, c.mayWait = nil, nil
		c.lost(l)
	case lease.ChangeGranted:
		if e.FromQueue {
			c.waiting, c.mayWait = nil, nil
		}
		c.holds++
		c.mayGet(l)
		l.until = max(l.until, e.Until)
		if l.owner = c.ID; e.Mode == lease.Shared {
			l.owner = crowd
		}
		q.resolution.granted(c, e)
	case lease.ChangeRenewed:
		l.until = max(l.until, e.Until)
	case lease.ChangeLapsed, lease.ChangeReleased:
		c.holds--
		c.lost(l)
		if c.holds == 0 {
			c.lostAll()
		}
	}
	q.tell(c, e)
	if q.watch != nil {
		q.waits += waited(e)
		q.watch(e)
	}
}

// waited gives by how much an effect changes the number of those who wait.
func waited(e *lease.Effect) int {
	switch {
	case e.Change == lease.ChangeQueued:
		return 1
	case e.Change == lease.ChangeWithdrawn, e.Change == lease.ChangeGranted && e.FromQueue:
		return -1
	}
	return 0
}

// tie tells the deadlock graph of an effect, at once or with the next inquiry.
func (q *Sequencer) tie(e *lease.Effect) {
	if q.direct != nil {
		q.direct.Tie(e)
		return
	}
	q.inquiry.Effects = append(q.inquiry.Effects, e)
}

// believe takes over what a lock said of itself at the end of its lane.
func (q *Sequencer) believe(lane *Lane) {
	l := lane.Entry
	l.holders, l.waiters, l.due = int32(lane.Holders), int32(lane.Waiters), lane.Due
	l.mirrored = lane.Mirrored
	if lane.Leave {
		l.Seat, l.marks = nil, l.marks&^markUsed
		q.leave(l, lane.rest)
		q.dormant.putLock(l.ID, lane.Claims)
		lane.Claims = nil
	} else {
		q.seatLock(l)
	}
	lane.rest = lease.Residue{}
	if l.holders == 0 {
		l.until = lease.Dawn
	}
	switch at := q.dues.At(l.ID); {
	case !q.awaitsDue(l):
		q.dues.Remove(l.ID)
	case l.due < at || l.due > at && q.watch != nil:
		// Where nobody watches, a due instant that has moved on stays where it is
		// until it comes up: most do so many times before anybody asks.
		q.dues.Set(l.ID, l.due, int64(l.ID))
	}
}

// ask sends the deadlock actor what it has not been told yet and a question, and
// makes the batch ready for the next one.
func (q *Sequencer) ask(what lease.Ask, requester *lease.Client) error {
	in := &q.inquiry
	if len(in.Effects) > 0 || what != lease.AskNothing {
		in.Ask, in.Requester, in.Found, in.Victim, in.Deadlock = what, requester, false, nil, nil
		in.Explain = q.deadlock != nil
		q.counts.Inquiries++
		if err := q.ports.Graph(in); err != nil {
			return err
		}
		q.counts.Steps = in.Steps
		clear(in.Effects)
		in.Effects = in.Effects[:0]
	}
	q.batch.recycle()
	return nil
}
