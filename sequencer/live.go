package sequencer

import "github.com/leasekeeper/lkactor/actors/lease"

// Due tells the sequencer of an engine with a clock that a lease may have ended.
type Due struct{}

// live makes the sequencer one of an engine with a clock: whoever else watches,
// its subscribers are told what happens.
func (a *Actor) live(s *Settings) {
	a.hub = newHub()
	a.armed, a.rush = lease.Never, rush{since: lease.Dawn}
	a.tick = Call{
		Ops: make([]lease.Operation, 1), Results: make([]lease.Result, 1), Done: func(*Call) {},
	}
	watch, deadlock := s.Watch, s.Deadlock
	s.Deadlock = func(d *lease.Deadlock) {
		a.hub.deadlock(d)
		if deadlock != nil {
			deadlock(d)
		}
	}
	meter := a.Meter
	if meter != nil {
		s.Batch = meter.Batch
	}
	s.Watch = func(e *lease.Effect) {
		if !a.order.resolution.answered(e) {
			a.hub.note(e, a.order.Noticed())
		}
		if meter != nil {
			meter.Effect(e, a.order.Noticed())
		}
		if watch != nil {
			watch(e)
		}
	}
}

// stamp gives the operations of an intake their instant: one reading of the clock
// for all of them, taken now and not when they were submitted, and never before
// the latest instant reached. Calls that would take the engine over a limit get an
// error instead.
func (a *Actor) stamp(calls []*Call) {
	_, last := a.order.Stamp()
	now := max(a.Now(), last)
	operations := 0
	for _, c := range calls {
		operations += c.sliceEnd() - c.taken
	}
	a.entry.begin(operations)
	for _, c := range calls {
		ops := c.Ops[c.taken:c.sliceEnd()]
		if c.Err = a.entry.admit(ops); c.Err != nil {
			continue
		}
		at := now
		if c == &a.tick {
			at = min(now, max(last, a.order.TickEnd()))
		}
		for i := range ops {
			ops[i].At = at
		}
		last = at
	}
}

// arm has the engine's timer go off when the next lease ends. A timer that is set
// for earlier is left alone: what it was set for has been renewed or released,
// which happens more often than that it goes off for nothing.
func (a *Actor) arm() {
	if due := max(a.order.NextDue(), a.rush.over()); due < a.armed && a.failed == nil {
		a.armed = due
		a.Wake(due)
	}
}

// due submits ticks if a lease has ended (E2). Where nothing is due no operation is
// made of it: nothing has happened that anybody could be told of.
//
// Where much is due each tick settles a part of it, and whose turn has come is told when
// that part is done. What falls due meanwhile is left to the next time, so that others
// get their turn.
func (a *Actor) due() {
	if a.Now == nil || a.failed != nil {
		return
	}
	if len(a.held.calls) > 0 { // they settle all there is, and set the timer
		a.armed = lease.Never
		return
	}
	now, calls, settled := a.Now(), []*Call{&a.tick}, a.order.settled
	a.armed = lease.Dawn // by none of the ticks
	for more := a.order.NextDue() <= now; more; more = a.failed == nil && a.order.NextLapse() <= now {
		a.tick.Ops[0], a.tick.taken = lease.Operation{Kind: lease.Tick}, 0
		if a.wait(calls) {
			break
		}
		a.run(calls)
	}
	a.rush.note(now, a.order.settled-settled)
	if a.armed = lease.Never; len(a.held.calls) == 0 {
		a.arm()
	}
}
