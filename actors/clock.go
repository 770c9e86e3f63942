package actors

import (
	"fmt"
	"math"
	"time"

	"github.com/leasekeeper/lkactor/actors/client"
	"github.com/leasekeeper/lkactor/actors/lease"
)

// Clock is where a live engine has its time from, and whoever acts for its clients may
// have. The engine reads Wall once, when it starts; from then on what the wall clock does
// makes no difference.
type Clock = client.Clock

// Timer is a call that a [Clock] has been asked for.
type Timer = client.Timer

// SystemClock is the machine's clock: time elapses on its monotonic clock, which
// nobody can set. While the machine is suspended it stands still.
func SystemClock() Clock { return systemClock{time.Now()} }

type systemClock struct{ began time.Time }

func (systemClock) Wall() time.Time          { return time.Now() }
func (c systemClock) Elapsed() time.Duration { return time.Since(c.began) }
func (systemClock) AfterFunc(d time.Duration, f func()) Timer {
	return time.AfterFunc(d, f)
}

// wallTime is the time of day as a log shows it.
func wallTime() time.Time { return time.Now() }

// origin is where the instants of an engine begin, or go on; the zero value is for
// those that begin when it starts.
type origin struct {
	zero time.Time
	last lease.Instant
}

// timeline gives the instants of one engine (E5).
type timeline struct {
	clock Clock
	zero  time.Time     // instant 0
	base  lease.Instant // when the engine started
	began time.Duration // likewise, on the clock
}

// lastStart is the latest instant at which an engine starts: half of what a log can
// tell (O9), so that there are another 73 years for its leases to end in.
const lastStart = lease.Instant(lease.MaxMagnitude / 2)

// newTimeline begins a timeline now; nil without a clock. It goes on from the later
// of the last instant and the wall clock's distance from zero.
func newTimeline(clock Clock, o origin) (*timeline, error) {
	if clock == nil {
		return nil, nil
	}
	t := &timeline{clock: clock, zero: o.zero, began: clock.Elapsed()}
	wall := clock.Wall().Round(0) // without the monotonic reading: zero may be of another run
	if o.zero.IsZero() {
		t.zero = wall
	}
	t.base = max(o.last, lease.Instant(wall.Sub(t.zero)))
	if t.base < -lease.MaxMagnitude || t.base > lastStart {
		return nil, fmt.Errorf("lkactor: the clock says %v, which is too far from instant 0 at %v", wall, t.zero)
	}
	return t, nil
}

// now is the present instant. Only the sequencer asks.
func (t *timeline) now() lease.Instant {
	return t.base + lease.Instant(t.clock.Elapsed()-t.began)
}

// until is how long it is to an instant, nothing if it has come.
func (t *timeline) until(at lease.Instant) time.Duration {
	now := t.now()
	switch {
	case at <= now:
		return 0
	case now < 0 && at > math.MaxInt64+now: // the difference would overflow
		return never
	}
	return time.Duration(at - now)
}

// Zero is the wall time of instant 0; the zero Time for an engine without a clock.
func (e *Engine) Zero() time.Time {
	if e.time == nil {
		return time.Time{}
	}
	return e.time.zero
}

// Now is the present instant of an engine with a clock. The operations that the
// engine takes after it was asked are stamped no earlier. It is in no journal: after a
// restart it may be behind what it was before, if nothing was asked for since.
func (e *Engine) Now() lease.Instant {
	if e.time == nil {
		return lease.Dawn
	}
	return e.time.now()
}
