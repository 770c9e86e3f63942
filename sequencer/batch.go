package sequencer

import "github.com/leasekeeper/lkactor/actors/lease"

// batch is the operations that run together: for each lock one lane, and beside
// them the steps in the order of operations, in which their effects are handed
// on. Everything in it is used again for the next batch.
type batch struct {
	// number tells what was noted in this batch from what was in others. It may
	// come round again: a note taken for one of this batch makes routing more
	// careful, never wrong.
	number uint32
	limit  int // how many steps it may hold
	limits func() int

	steps  []lease.Step // never grown: lanes point into it
	routes []route      // of the steps, same index

	lanes []*Lane

	spareLanes []*Lane

	dormant *dormant // the sequencer's
}

// route is where a step has gone.
type route struct {
	lane   *Lane        // nil for a status that needs no lock
	client *ClientEntry // nil for steps of no client
}

// MaxBatch is how many operations a batch can hold at most.
const MaxBatch = 512

// newBatch gives an empty batch. limits is asked for the size of each.
func newBatch(limits func() int, d *dormant) batch {
	limit := min(max(limits(), 1), MaxBatch)
	return batch{
		number: 1,
		limit:  limit,
		limits: limits,
		steps:  make([]lease.Step, 0, limit),
		routes: make([]route, 0, limit),

		dormant: d,
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
		if l.lane == nil {
			l.lane = b.newLane(l)
			l.lane.First = s
		} else {
			l.lane.Last.Next = s
		}
		l.lane.Last = s
		r.lane = l.lane
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
	lane.Entry, lane.Lock, lane.Rest = l, &l.Lock, &l.Rest
	if l.Seat == nil {
		lane.Claims = b.dormant.wakeLock(l.ID)
	}
	b.lanes = append(b.lanes, lane)
	return lane
}

// keptSize is how long a list may be for a spare lane or post to keep it: a
// storm of lapses is not to be remembered for ever by its size.
const keptSize = 1 << 10

// recycle empties the batch for the next one.
func (b *batch) recycle() {
	for _, lane := range b.lanes {
		lane.Entry.lane, lane.Leave = nil, false
		lane.Entry, lane.Lock, lane.Rest, lane.First, lane.Last = nil, nil, nil, nil, nil
		lane.next, lane.Pass = nil, nil
		if cap(lane.Effects) > keptSize {
			lane.Effects = nil
		}
		b.spareLanes = append(b.spareLanes, lane)
	}
	b.lanes = b.lanes[:0]
	b.steps, b.routes = b.steps[:0], b.routes[:0]
	b.number++
	if b.limit = min(max(b.limits(), 1), MaxBatch); b.limit > cap(b.steps) {
		b.steps = make([]lease.Step, 0, b.limit)
	}
}
