package actors_test

import (
	"slices"
	"sync"
	"time"

	"github.com/leasekeeper/lkactor/actors"
)

// handClock is a clock that a test moves by hand.
type handClock struct {
	mu      sync.Mutex
	wall    time.Time
	elapsed time.Duration
	timers  []*handTimer
	fired   int // calls made so far
}

var _ actors.Clock = (*handClock)(nil)

// handTimer is one of its timers.
type handTimer struct {
	clock *handClock
	at    time.Duration
	f     func()
	set   bool
}

func newHandClock() *handClock {
	return &handClock{wall: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC), elapsed: 17 * time.Hour}
}

func (c *handClock) Wall() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.wall
}

func (c *handClock) Elapsed() time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.elapsed
}

func (c *handClock) AfterFunc(d time.Duration, f func()) actors.Timer {
	t := &handTimer{clock: c, f: f}
	c.mu.Lock()
	c.timers = append(c.timers, t)
	c.mu.Unlock()
	t.Reset(d)
	return t
}

func (t *handTimer) Reset(d time.Duration) bool {
	t.clock.mu.Lock()
	defer t.clock.mu.Unlock()
	was := t.set
	t.at, t.set = t.clock.elapsed+d, true
	return was
}

func (t *handTimer) Stop() bool {
	t.clock.mu.Lock()
	defer t.clock.mu.Unlock()
	was := t.set
	t.set = false
	return was
}

// step sets the wall clock forward or back; no time elapses.
func (c *handClock) step(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.wall = c.wall.Add(d)
}

// advance lets time elapse and makes the calls that come due, one after the other.
func (c *handClock) advance(d time.Duration) {
	c.mu.Lock()
	c.wall, c.elapsed = c.wall.Add(d), c.elapsed+d
	c.mu.Unlock()
	c.ring()
}

// ring makes the calls that are due.
func (c *handClock) ring() {
	for {
		c.mu.Lock()
		i := slices.IndexFunc(c.timers, func(t *handTimer) bool { return t.set && t.at <= c.elapsed })
		if i < 0 {
			c.mu.Unlock()
			return
		}
		t := c.timers[i]
		t.set = false
		c.fired++
		c.mu.Unlock()
		t.f()
	}
}

// alarms is how many calls have been made.
func (c *handClock) alarms() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.fired
}
