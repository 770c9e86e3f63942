package client

import (
	"context"
	"time"

	"github.com/leasekeeper/lkactor/actors/lease"
)

// Clock is where a Client, or an engine (actors.Clock), has its time from.
// Wall is read once, at the beginning.
type Clock interface {
	// Wall is the time of day.
	Wall() time.Time
	// Elapsed is the time since some moment that stays the same. It never goes back.
	Elapsed() time.Duration
	// AfterFunc calls f, on a goroutine of its own, once so much time has elapsed, not
	// sooner. Elapsed and AfterFunc may be called by any goroutine.
	AfterFunc(d time.Duration, f func()) Timer
}

// Timer is a call that a [Clock] has been asked for.
type Timer interface {
	// Reset puts the call off, or asks for another one, until so much time has
	// elapsed from now.
	Reset(time.Duration) bool
	// Stop calls it off, if it has not begun.
	Stop() bool
}

// WithClock has the Client go by another clock than the machine's, which nil stands
// for: for tests. A lease is only as safe as the clock by which its holder knows when
// it ends.
func WithClock(clock Clock) Option { return func(c *Client) { c.clock = clock } }

// machine is the machine's clock, from when it was made.
type machine struct{ began time.Time }

func (machine) Wall() time.Time                           { return time.Now() }
func (m machine) Elapsed() time.Duration                  { return time.Since(m.began) }
func (machine) AfterFunc(d time.Duration, f func()) Timer { return time.AfterFunc(d, f) }

// startClock has the client's own instants count from now.
func (c *Client) startClock() {
	if c.clock == nil {
		c.clock = machine{time.Now()}
	}
	c.epoch, c.began = c.clock.Wall(), c.clock.Elapsed()
}

// now is the client's own clock. It does not follow the wall clock (E5).
func (c *Client) now() lease.Instant { return lease.Instant(c.clock.Elapsed() - c.began) }

// time gives one of the client's own instants as others know it.
func (c *Client) time(at lease.Instant) time.Time { return c.epoch.Add(time.Duration(at)) }

// after gives a channel that is closed once so much time has elapsed, unless the timer is
// stopped before.
func (c *Client) after(d time.Duration) (<-chan struct{}, Timer) {
	elapsed := make(chan struct{})
	return elapsed, c.clock.AfterFunc(d, func() { close(elapsed) })
}

// graceful gives a context with the values of ctx that lasts for the [Grace], whatever
// becomes of ctx.
func (c *Client) graceful(ctx context.Context) (_ context.Context, cancel func()) {
	ctx, end := context.WithCancelCause(context.WithoutCancel(ctx))
	timer := c.clock.AfterFunc(Grace, func() { end(context.DeadlineExceeded) })
	return ctx, func() {
		timer.Stop()
		end(nil)
	}
}
