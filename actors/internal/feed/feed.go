// Package feed decides what a subscriber is told next that takes its time.
//
// It is pure: it knows neither the subscriber nor how anything gets to it.
package feed

import (
	"slices"

	"github.com/leasekeeper/lkactor/actors/lease"
)

// Limit is how many events a feed keeps at most.
const Limit = 64

// Feed is what one subscriber has yet to be told of one client. It is given one
// portion at a time, the next one when it has confirmed the one before. Of what
// happens meanwhile the newest of each kind is kept, lock by lock; when there is too
// much of that, nothing, but that the subscriber must be told anew how the client stands.
//
// The zero value is the feed of a subscriber that is waiting to be told.
type Feed struct {
	kept   []lease.Event
	number uint64 // of the last portion
	out    bool   // it has not been confirmed
	behind bool   // events were given up
}

// Put takes an event. behind is true for the one that is too many: from then on
// nothing is kept but the end, until it is told how the client stands. That is to be
// asked for when the last portion has been confirmed, so it is never told late.
func (f *Feed) Put(e lease.Event) (behind bool) {
	switch e.Kind {
	case lease.EventCurrent: // says all that was to be said
		f.kept, f.behind = f.kept[:0], false
	case lease.EventEnded:
	default:
		if f.behind {
			return false
		}
		// The newest of its kind stands at its own place in time: what is told is told
		// in the order in which it happened.
		f.kept = slices.DeleteFunc(f.kept, func(old lease.Event) bool { return replaces(&e, &old) })
		if len(f.kept) == Limit {
			clear(f.kept)
			f.kept, f.behind = f.kept[:0], true
			return true
		}
	}
	f.kept = append(f.kept, e)
	return false
}

// replaces tells whether who knows the new event need not know the old one. A loss
// stands until the next of its lock: whoever has had the lease it is of by an answer
// learns it nowhere else. A grant is of no use any more when its lease is lost.
func replaces(fresh, old *lease.Event) bool {
	if fresh.Lock != old.Lock {
		return false
	}
	switch old.Kind {
	case lease.EventCurrent, lease.EventEnded:
		return false
	case lease.EventGranted:
		return fresh.Kind == lease.EventGranted || fresh.Kind == lease.EventLost
	}
	return fresh.Kind == old.Kind
}

// Next gives the next portion and its number, if there is anything to be told and
// the last one has been confirmed. Whoever gets the events may keep them.
func (f *Feed) Next() (number uint64, events []lease.Event) {
	if f.out || len(f.kept) == 0 {
		return 0, nil
	}
	events, f.kept = f.kept, nil
	f.number, f.out = f.number+1, true
	return f.number, events
}

// Confirm takes note that the subscriber is done with a portion; of any but the
// last it has no effect.
func (f *Feed) Confirm(number uint64) {
	if number == f.number {
		f.out = false
	}
}

// Behind tells that events were given up.
func (f *Feed) Behind() bool { return f.behind }

// Waiting tells how many events wait for the confirmation of an earlier portion.
func (f *Feed) Waiting() int {
	if !f.out {
		return 0
	}
	return len(f.kept)
}

// Out tells that a portion has not been confirmed.
func (f *Feed) Out() bool { return f.out }
