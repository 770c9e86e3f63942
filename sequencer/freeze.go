package sequencer

import "github.com/leasekeeper/lkactor/actors/lease"

// Freeze brings everything up to the instant reached and has every lock and client
// give up its seat, so that the whole state stands in the directory: where
// [Sequencer.Save] reads it, and where [Sequencer.Resume] takes it over. The order
// may go on afterwards as if nothing had been.
func (q *Sequencer) Freeze() error {
	if err := q.Flush(); err != nil {
		return err
	}
	if err := q.settleAll(); err != nil {
		return err
	}
	if err := q.deliverAll(); err != nil {
		return err
	}
	s := &q.seats
	s.turning = true // the hand must not go on beside this
	defer func() { s.turning = false }()
	for _, id := range s.locks.ids {
		l := q.locks.at(id)
		l.marks &^= markShelved
		if l.Seat != nil {
			if err := q.dismissLock(l); err != nil {
				return err
			}
		}
	}
	if err := q.flush(); err != nil {
		return err
	}
	for _, id := range s.clients.ids {
		c := q.clients.at(id)
		c.marks &^= markShelved
		if c.seated {
			if err := q.dismissClient(c); err != nil {
				return err
			}
		}
	}
	if err := q.deliver(); err != nil {
		return err
	}
	s.locks, s.clients = shelf{}, shelf{}
	return nil
}

// settleAll settles every lease that has ended by now. Where somebody watches there
// is none.
func (q *Sequencer) settleAll() error {
	for id := uint32(1); id <= q.locks.size; id++ {
		l := q.locks.at(id)
		if l.holders == 0 || l.due > q.now {
			continue
		}
		if err := q.send(l, nil, q.newStep(lease.Settle)); err != nil {
			return err
		}
	}
	return q.flush()
}

// Resume gives an order that goes on where q, which must be frozen, has come to,
// with ports and settings of its own. q must not be used any more. The deadlock
// graph behind the ports must be empty.
func (q *Sequencer) Resume(ports Ports, s Settings) *Sequencer {
	next := New(ports, s)
	next.goOn(q)
	return next
}

// ResumeDirect is Resume for an order whose operations run one at a time.
func (q *Sequencer) ResumeDirect(direct Direct, s Settings, watcher lease.Watcher) *Sequencer {
	next := NewDirect(direct, s, watcher)
	next.goOn(q)
	return next
}

// goOn takes over the state of a frozen order.
func (q *Sequencer) goOn(from *Sequencer) {
	q.seq, q.now, q.back = from.seq, from.now, from.back
	q.directory = from.directory
	q.recent = nil
	*q.dormant = *from.dormant
	for id := uint32(1); id <= q.locks.size; id++ {
		l := q.locks.at(id)
		if claims := q.dormant.claims(id); claims != nil {
			q.waits += len(claims.Queue)
			q.introduce(l, claims)
		}
		if q.awaitsDue(l) {
			q.dues.Set(id, l.due, int64(id))
		}
	}
}

// introduce has the deadlock graph mirror the lock if a cycle may come to pass it:
// if somebody waits for it who holds something (see lockactor). The graph
// learns of it with the next inquiry, and so before anything is asked of it.
func (q *Sequencer) introduce(l *LockEntry, claims *lease.Claims) {
	l.mirrored = false
	for i := range claims.Queue {
		if q.clients.at(claims.Queue[i].Client.ID).holds > 0 {
			l.mirrored = true
		}
	}
	claims.Mirrored = l.mirrored
	if !l.mirrored {
		return
	}
	tell := func(change lease.Change, c *lease.Claim) {
		q.tie(&lease.Effect{
			Change: change, Mode: c.Mode, Contended: true, Lock: &l.Lock, Client: c.Client,
			Token: c.Token, At: q.now, Until: c.Until, Age: c.Age,
		})
	}
	for i := range claims.Holders {
		tell(lease.ChangeHeld, &claims.Holders[i])
	}
	for i := range claims.Queue {
		tell(lease.ChangeAwaited, &claims.Queue[i])
	}
}
