package sequencer

import "github.com/leasekeeper/lkactor/actors/lease"

// Most locks and clients are idle: nobody holds or awaits the lock, the client
// holds and awaits nothing. What must be remembered of them stands in their
// entries, so whoever serves them may go. Which of them, a clock hand decides: it
// goes over the seats in use, takes the mark off those that were used since it
// last came by, and sends away those that were not.
//
// A seat is given up by a lane or post like any other, in a batch of its own
// between two others. Nothing else is on its way to the lock then, and the next
// step makes it a new seat; so no waiter is ever attached to a lock that is going
// away.

// Keep is how many locks and clients may have a seat before idle ones lose
// theirs.
type Keep struct{ Locks, Clients int }

// DefaultKeep is more than most engines have in use at a time. An idle seat costs
// about a kilobyte, with a goroutine of its own some more.
var DefaultKeep = Keep{Locks: 1 << 14, Clients: 1 << 14}

// shelf is the seats in use, by ID, in the order in which the hand goes over
// them.
type shelf struct {
	ids  []uint32
	hand int
}

// seatings is what the sequencer knows of seats.
type seatings struct {
	keep    Keep
	locks   shelf
	clients shelf
	turning bool // the hand is going on already
	taken   int  // seats, since it last went on
}

// looksPerSeat is how many seats the hand goes over for each that has been taken since it
// last went on: more than one, or it would never gain on new seats. What has a seat already
// and goes on using it makes the hand do nothing.
const looksPerSeat = 2

// marks is what two hands go by, which come over locks and clients apart from each other:
// that of this file over the shelf of those with a seat, that of tidy.go over all. A use
// takes markStale off.
type marks uint8

const (
	markUsed  marks = 1 << iota // since the hand of this file came by
	markStale                   // not since the hand of tidy.go came by, with a seat or without
	// markShelved stays while the number is on the shelf, also when what had it has been
	// forgotten: whoever gets the seat, or the number, next is not put there twice.
	markShelved
)

// seatLock marks a lock that has a seat as used, and enters it among the seats in use.
func (q *Sequencer) seatLock(l *LockEntry) { q.seats.taken += l.marks.use(&q.seats.locks, l.ID) }

// seatClient does the same for a client.
func (q *Sequencer) seatClient(c *ClientEntry) {
	c.seated = true
	q.seats.taken += c.marks.use(&q.seats.clients, c.ID)
}

// use notes a use of what has that number, and puts it on the shelf unless it is there. It
// tells how many have come there.
func (m *marks) use(s *shelf, id uint32) (more int) {
	if *m&markShelved == 0 {
		s.ids = append(s.ids, id)
		more = 1
	}
	*m = markUsed | markShelved
	return more
}

// makeRoom lets the hand go on if there are more seats than are to be kept.
func (q *Sequencer) makeRoom() error {
	s := &q.seats
	if s.turning || s.taken == 0 {
		return nil
	}
	looks := looksPerSeat * s.taken
	s.taken = 0
	if len(s.locks.ids) <= s.keep.Locks && len(s.clients.ids) <= s.keep.Clients {
		return nil
	}
	_, err := q.passivate(looks, s.keep)
	return err
}

// Seats is how many locks or clients have a seat, whichever are more.
func (q *Sequencer) Seats() int { return max(len(q.seats.locks.ids), len(q.seats.clients.ids)) }

// Sweep lets the hand look at that many locks and clients, however few have a
// seat. It tells whether any of them had been used since the hand last came by,
// so that another sweep may find it idle.
func (q *Sequencer) Sweep(looks int) (used bool, err error) {
	return q.passivate(looks, Keep{})
}

// passivate lets the hand look at up to the given number of locks and of clients,
// as long as more than keep have a seat.
func (q *Sequencer) passivate(looks int, keep Keep) (used bool, err error) {
	s := &q.seats
	s.turning = true
	defer func() { s.turning = false }()
	for n := min(looks, len(s.locks.ids)); n > 0 && len(s.locks.ids) > keep.Locks; n-- {
		l := q.locks.at(s.locks.next())
		switch {
		case l.Seat == nil: // gone meanwhile
			s.locks.drop(&l.marks)
		case l.marks&markUsed != 0:
			l.marks, used = l.marks&^markUsed, true
		case l.waiters > 0 || l.holders > 0 && !q.mayLapse(l):
		default:
			if err := q.dismissLock(l); err != nil {
				return used, err
			}
			s.locks.drop(&l.marks)
		}
	}
	if err := q.flush(); err != nil {
		return used, err
	}
	for n := min(looks, len(s.clients.ids)); n > 0 && len(s.clients.ids) > keep.Clients; n-- {
		c := q.clients.at(s.clients.next())
		switch {
		case !c.seated: // gone meanwhile
			s.clients.drop(&c.marks)
		case c.marks&markUsed != 0:
			c.marks, used = c.marks&^markUsed, true
		case c.holds > 0 || c.waiting != nil:
		default:
			if err := q.dismissClient(c); err != nil {
				return used, err
			}
			s.clients.drop(&c.marks)
		}
	}
	return used, q.deliver()
}

// mayLapse tells whether all leases of the lock have ended and may be noticed now.
// Where somebody watches they are noticed in their own order, never here.
func (q *Sequencer) mayLapse(l *LockEntry) bool { return q.watch == nil && l.until <= q.now }

// next gives the seat under the hand and moves the hand on.
func (s *shelf) next() uint32 {
	if s.hand >= len(s.ids) {
		s.hand = 0
	}
	id := s.ids[s.hand]
	s.hand++
	return id
}

// drop takes the seat that next gave last, with those marks, out of the shelf. The last
// one gets its place and is looked at next.
func (s *shelf) drop(m *marks) {
	*m &^= markShelved
	s.hand--
	last := len(s.ids) - 1
	s.ids[s.hand] = s.ids[last]
	s.ids = s.ids[:last]
}

// dismissLock has the lock settle what has ended and leave its residue and its
// claims.
func (q *Sequencer) dismissLock(l *LockEntry) error {
	step := q.newStep(lease.Settle)
	if q.direct != nil {
		q.solo.lane.Leave = true
		err := q.run(l, nil, step)
		q.solo.lane.Leave = false
		return err
	}
	q.batch.add(l, nil, step)
	q.batch.lane(l).Leave = true
	if q.batch.full() {
		return q.flush()
	}
	return nil
}

// dismissClient has the client go; its age is in its entry, what else there is of it
// will be among the dormant.
func (q *Sequencer) dismissClient(c *ClientEntry) error {
	post := q.postOf(c)
	post.Leave = true
	q.outbox.send(post)
	if len(q.outbox.due) < MaxBatch {
		return nil
	}
	return q.deliver()
}
