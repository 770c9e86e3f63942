package sequencer

import "github.com/leasekeeper/lkactor/actors/lease"

// resolution is the breaking of the cycles that one acquire has closed.
type resolution struct {
	requester *ClientEntry
	grant     *lease.Result // the requester's grant, once an abort has led to it
	victims   []string
	why       *lease.Explanation // of the last victim, where somebody watches
}

// granted takes note if the requester has been granted what it waits for.
func (r *resolution) granted(c *ClientEntry, e *lease.Effect) {
	if c == r.requester {
		r.grant = &lease.Result{Outcome: lease.Granted, Token: e.Token, Until: e.Until}
	}
}

// answered tells whether the grant is told of by the answer to the acquire in hand: one
// that its requester owes to aborts.
func (r *resolution) answered(e *lease.Effect) bool {
	return e.Change == lease.ChangeGranted && r.requester != nil && &r.requester.Client == e.Client
}

// sendDecisive sends c's acquire of l, which may close a cycle, as the last step
// of its batch, and breaks all cycles there are (D3..D7).
//
// The graph may be behind: leases may have ended that nobody has noticed. That
// only removes edges, so "no cycle" is final; a cycle is asked for again on
// locks that are up to date.
func (q *Sequencer) sendDecisive(c *ClientEntry, l *LockEntry, s *lease.Step) error {
	result := s.Result
	if err := q.sendLast(l, c, s); err != nil {
		return err
	}
	if result.Outcome != lease.Queued {
		return q.ask(lease.AskNothing, nil)
	}
	if err := q.ask(lease.AskBegin, &c.Client); err != nil || !q.inquiry.Found {
		return err
	}
	if stale, err := q.settleContended(); err != nil {
		return err
	} else if stale {
		if err := q.ask(lease.AskBegin, &c.Client); err != nil || !q.inquiry.Found {
			return err
		}
	}
	q.resolution = resolution{requester: c}
	defer func() { q.resolution = resolution{} }()
	for {
		if err := q.ask(lease.AskVictim, nil); err != nil {
			return err
		}
		if !q.inquiry.Found {
			break
		}
		if q.inquiry.Explain {
			q.resolution.why = q.inquiry.Deadlock.Explain()
			q.deadlock(q.inquiry.Deadlock)
		}
		victim := q.clients.at(q.inquiry.Victim.ID)
		if err := q.abort(victim); err != nil {
			return err
		}
		if victim == c {
			break // D6
		}
	}
	q.resolution.answer(l, result)
	return q.ask(lease.AskNothing, nil)
}

// sendLast sends a step and finishes its batch, but for what the graph must be
// told: that goes with a question.
func (q *Sequencer) sendLast(l *LockEntry, c *ClientEntry, s *lease.Step) error {
	if q.direct != nil {
		return q.run(l, c, s)
	}
	q.batch.add(l, c, s)
	if err := q.gather(); err != nil {
		return err
	}
	return q.deliver()
}

// answer puts into result how the acquire stands after all aborts (D7).
func (r *resolution) answer(l *LockEntry, result *lease.Result) {
	if len(r.victims) == 0 {
		return
	}
	switch {
	case r.victims[len(r.victims)-1] == r.requester.Name:
		*result = lease.Result{Outcome: lease.Deadlocked}
	case r.grant != nil:
		*result = *r.grant
	default:
		// The requester was queued last and nothing has happened since but
		// aborts, so its place is the length of the queue.
		*result = lease.Result{Outcome: lease.Queued, Position: int(l.waiters)}
	}
	result.Detail = &lease.Detail{Victims: r.victims}
	if result.Outcome == lease.Deadlocked {
		result.Detail.Why = r.why
	}
}

// settleContended brings every lock with an edge in the graph up to now; any is false
// if all of them were.
func (q *Sequencer) settleContended() (any bool, err error) {
	for {
		id, at := q.dues.Min()
		if at > q.now {
			return any, q.flush()
		}
		l := q.locks.at(id)
		if l.due > q.now {
			q.dues.Set(id, l.due, int64(id))
			continue
		}
		q.dues.Remove(id) // believe puts it back
		any = true
		if err := q.send(l, nil, q.newStep(lease.Settle)); err != nil {
			return any, err
		}
	}
}

// abort takes everything from the victim: first its place in a queue, then its
// leases in ascending order of the locks' names, each lock letting in who comes
// next; then its registration (D5). It is a small batch of ordinary releases,
// whose effects reach the graph with the next question.
func (q *Sequencer) abort(v *ClientEntry) error {
	q.counts.Victims++
	q.resolution.victims = append(q.resolution.victims, v.Name)
	held, err := q.heldBy(v)
	if err != nil {
		return err
	}
	if v.waiting != nil {
		held = append([]*lease.Lock{&v.waiting.Lock}, held...)
	}
	for _, l := range held {
		s := q.newStep(lease.Release)
		s.Abort, s.Client, s.Result = true, &v.Client, new(lease.Result)
		if err := q.send(q.locks.at(l.ID), v, s); err != nil {
			return err
		}
	}
	if err := q.gather(); err != nil {
		return err
	}
	q.setAge(v, 0)
	gone := &lease.Effect{Change: lease.ChangeAborted, Contended: true, Client: &v.Client, At: q.now}
	q.tie(gone)
	q.tell(v, gone)
	if q.watch != nil {
		q.noticed = q.seq
		q.watch(gone)
	}
	return q.deliver()
}

// heldBy asks the client's actor which locks it holds, ascending by name.
func (q *Sequencer) heldBy(c *ClientEntry) ([]*lease.Lock, error) {
	post := q.askClient(c, lease.Question{Kind: lease.AskHolds, Now: q.now})
	if err := q.deliver(); err != nil {
		return nil, err
	}
	held := post.Holds
	post.Holds = nil
	return held, nil
}
