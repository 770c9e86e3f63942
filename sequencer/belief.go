package sequencer

import "github.com/leasekeeper/lkactor/actors/lease"

// Beliefs are what routing goes by while the operations before it have not run
// yet. Between batches they are exact but for leases that have ended unnoticed.
// Within a batch they err to one side only: a client "may wait" or "may hold"
// where it perhaps does not; "free" and "surely waiting" are never wrong.

// lockBelief is what is known of a lock.
type lockBelief struct {
	holders, waiters int32
	due              lease.Instant // when its next lease ends; exact between batches
	until            lease.Instant // no lease of it ends later than this
	owner            uint32        // who was granted it last, or crowd if that was a shared lease
	lane             laneNumber    // in the batch in hand
	mirrored         bool          // somebody who awaits it may hold something
	marks            marks
}

// attempts is what is known of those who try in the batch in hand to acquire a lock
// that has a lane in it.
type attempts struct {
	trier   uint32 // who has tried; zero if nobody did, crowd if several did
	tangled bool   // one of them may hold something else
}

// crowd stands for more than one client; it is the ID of none.
const crowd = ^uint32(0)

// surelyFree tells that an acquire by c at now cannot be queued: nobody but c
// has or awaits the lock, or can have come to in the batch in hand. If c has it
// itself, the acquire is busy or, after a release, granted.
func (q *Sequencer) surelyFree(l *LockEntry, c *ClientEntry) bool {
	if l.waiters > 0 || l.holders > 0 && l.until > q.now && l.owner != c.ID {
		return false
	}
	return l.lane == noLane || !q.batch.lane(l).triedByOthers(c)
}

// triedByOthers tells whether a client other than c is among those who have tried.
func (a *attempts) triedByOthers(c *ClientEntry) bool { return a.trier != 0 && a.trier != c.ID }

// tried notes that the client of an acquire has tried; holds tells whether it may
// hold some other lock.
func (a *attempts) tried(c *lease.Client, holds bool) {
	switch a.trier {
	case 0:
		a.trier = c.ID
	case c.ID:
	default:
		a.trier = crowd
	}
	a.tangled = a.tangled || holds
}

// heldListed is how many locks that a client may hold are known one by one. A
// client with more is taken to hold a contended lock: looking through 100,000
// locks at every acquire would cost more than asking the graph.
const heldListed = 4

// clientBelief is what is known of a client.
type clientBelief struct {
	waiting *LockEntry // the lock it waits for, as of the last batch
	mayWait *LockEntry // the only lock it may be waiting for now

	holds    int32 // leases it has, as of the last batch
	listed   int8  // how many of mayHold are in use
	unlisted bool  // it may hold locks that mayHold has no room for
	unborn   bool  // it has yet to be told of its age
	marks    marks
	seated   bool

	mayHold [heldListed]uint32 // by ID
}

// mayGet notes that the client may hold l from now on.
func (c *clientBelief) mayGet(l *LockEntry) {
	for _, held := range c.mayHold[:c.listed] {
		if held == l.ID {
			return
		}
	}
	if c.listed == heldListed {
		c.unlisted = true
		return
	}
	c.mayHold[c.listed] = l.ID
	c.listed++
}

// lost notes that the client surely does not hold l.
func (c *clientBelief) lost(l *LockEntry) {
	for i, held := range c.mayHold[:c.listed] {
		if held == l.ID {
			c.listed--
			c.mayHold[i] = c.mayHold[c.listed]
			return
		}
	}
}

// lostAll notes that the client surely holds nothing.
func (c *clientBelief) lostAll() {
	c.listed, c.unlisted = 0, false
}

// mayHoldOther tells whether c may hold a lock other than l.
func (c *ClientEntry) mayHoldOther(l *LockEntry) bool {
	return c.unlisted || c.listed > 1 || c.listed == 1 && c.mayHold[0] != l.ID
}

// mayBlockOthers tells whether somebody who holds something may be waiting for a
// lock that c holds. Only then can a cycle pass through c once it waits for l
// (D3).
func (q *Sequencer) mayBlockOthers(c *ClientEntry, l *LockEntry) bool {
	if c.unlisted {
		return true
	}
	for _, id := range c.mayHold[:c.listed] {
		if id == l.ID {
			continue
		}
		held := q.locks.at(id)
		if held.mirrored {
			return true
		}
		if held.lane != noLane {
			if lane := q.batch.lane(held); lane.tangled && lane.triedByOthers(c) {
				return true
			}
		}
	}
	return false
}
