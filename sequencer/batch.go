package sequencer

import "github.com/leasekeeper/lkactor/actors/lease"

// batch is the operations that run together: for each lock one lane, and beside
// them the steps in the order of operations, in which their effects are handed
// on. Everything in it is used again for the next batch.
type batch struct {
	limit  int // how many steps it may hold
	limits func() int

	steps  []lease.Step // never grown: lanes point into it
	routes []route      // of the steps, same index

	lanes []*Lane

	spareLanes []*Lane

	wake func(l *LockEntry, lane *Lane) // the sequencer's
}

// laneNumber says which lane of the batch in hand is that of a lock, counted from one:
// it takes less room in each of many entries than a pointer does.
type laneNumber uint16

// noLane is the number of a lock that has no part in the batch.
const noLane laneNumber = 0

// lane gives the lane of a lock that has one.
func (b *batch) lane(l *LockEntry) *Lane { return b.lanes[l.lane-1] }

// route is where a step has gone.
type route struct {
	lane   *Lane        // nil for a status that needs no lock
	client *ClientEntry // nil for steps of no client
}

// MaxBatch is how many operations a batch can hold at most.
const MaxBatch = 512

// newBatch gives an empty batch. limits is asked for the size of each.
func newBatch(limits func() int, wake func(*LockEntry, *Lane)) batch {
	limit := min(max(limits(), 1), MaxBatch)
	return batch{
		limit:  limit,
		limits: limits,
		steps:  make([]lease.Step, 0, limit),
		routes: make([]route, 0, limit),

		wake: wake,
	}
}

func (b *batch) full() bool { return len(b.steps) == b.limit }

// step gives the next step of the batch, to be filled in and added.
func (b *batch) step() *lease.Step {
	b.steps = b.steps[:len(b.steps)+1]
	s := &b.steps[len(b.steps)-1]
	*s = lease.Step{}
	return s
}

// add puts the last step into the lane of the lock, if there is one.
func (b *batch) add(l *LockEntry, c *ClientEntry, s *lease.Step) {
	r := route{client: c}
	if l != nil {
		if l.lane == noLane {
			r.lane = b.newLane(l)
			r.lane.First = s
		} else {
			r.lane = b.lane(l)
			r.lane.Last.Next = s
		}
		r.lane.Last = s
		if s.Kind == lease.Acquire {
			r.lane.tried(s.Client, s.Holds)
		}
	}
	b.routes = append(b.routes, r)
}

func (b *batch) newLane(l *LockEntry) *Lane {
	var lane *Lane
	if n := len(b.spareLanes); n > 0 {
		lane = b.spareLanes[n-1]
		b.spareLanes = b.spareLanes[:n-1]
	} else {
		lane = new(Lane)
	}
	lane.Entry, lane.Lock, lane.Rest = l, &l.Lock, &lane.rest
	if l.Seat == nil {
		b.wake(l, lane)
	}
	b.lanes = append(b.lanes, lane)
	l.lane = laneNumber(len(b.lanes))
	return lane
}

// keptSize is how long a list may be for a spare lane or post to keep it: a
// storm of lapses is not to be remembered for ever by its size.
const keptSize = 1 << 10

// recycle empties the batch for the next one.
func (b *batch) recycle() {
	for _, lane := range b.lanes {
		lane.Entry.lane, lane.Leave, lane.attempts = noLane, false, attempts{}
		lane.Entry, lane.Lock, lane.Rest, lane.First, lane.Last = nil, nil, nil, nil, nil
		lane.next, lane.Pass = nil, nil
		if cap(lane.Effects) > keptSize {
			lane.Effects = nil
		}
		b.spareLanes = append(b.spareLanes, lane)
	}
	b.lanes = b.lanes[:0]
	b.steps, b.routes = b.steps[:0], b.routes[:0]
	if b.limit = min(max(b.limits(), 1), MaxBatch); b.limit > cap(b.steps) {
		b.steps = make([]lease.Step, 0, b.limit)
	}
}
