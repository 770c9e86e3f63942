package client_test

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/leasekeeper/lkactor/actors"
	"github.com/leasekeeper/lkactor/actors/client"
	"github.com/leasekeeper/lkactor/actors/lease"
)

// slowed is a clock on which time elapses at a tenth of the speed of the bubble's: what
// looks at any other is found out.
type slowed struct{ actors.Clock }

const slowness = 10

func (c slowed) Elapsed() time.Duration { return c.Clock.Elapsed() / slowness }

func (c slowed) AfterFunc(d time.Duration, f func()) client.Timer {
	return slowedTimer{c.Clock.AfterFunc(slowness*d, f)}
}

type slowedTimer struct{ client.Timer }

func (t slowedTimer) Reset(d time.Duration) bool { return t.Timer.Reset(slowness * d) }

// A client goes by the clock that it is given, and by no other: when it renews, when its
// leases close and are lost, how long it waits.
func TestClock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		clock := slowed{actors.SystemClock()}
		engine, err := actors.Start(newSystem(t), actors.WithClock(clock))
		if err != nil {
			t.Fatal(err)
		}
		wire := &line{engine: engine}
		a, b := open(t, wire, "a", client.WithClock(clock)), open(t, wire, "b", client.WithClock(clock))
		passes := func(what string, want time.Duration, f func()) {
			t.Helper()
			begun := clock.Elapsed()
			f()
			if took := clock.Elapsed() - begun; took != want {
				t.Errorf("%s took %v, want %v", what, took, want)
			}
		}
		l := acquire(t, a, "L", ten)
		limited := client.Terms{TTL: 10 * time.Second, Wait: 2 * time.Second}
		passes("a limited wait", 2*time.Second, func() {
			if _, err := b.Acquire(t.Context(), "L", limited); !errors.Is(err, client.ErrWaitLimit) {
				t.Error(err)
			}
		})
		passes("a limited wait for several", 2*time.Second, func() {
			if _, err := b.AcquireAll(t.Context(), limited, "K", "L"); !errors.Is(err, client.ErrWaitLimit) {
				t.Error(err)
			}
		})
		passes("the time until the margin", 5*time.Second, func() { <-l.Context().Done() })
		passes("the margin", time.Second, func() { <-l.Lost() })
		l = acquire(t, a, "L", kept)
		passes("an hour of renewals", time.Hour, func() { time.Sleep(slowness * time.Hour) })
		if ops, _ := wire.sent(lease.Renew); l.Err() != nil || len(ops) < 1200 || len(ops) > 1500 {
			t.Errorf("%v, %d renews", l.Err(), len(ops))
		}
		wire.set(func(l *line) { l.silent = true })
		passes("an acquire that nobody answers", 2*time.Second+client.Grace, func() {
			if _, err := b.Acquire(t.Context(), "M", limited); !errors.Is(err, client.ErrWaitLimit) {
				t.Error(err)
			}
		})
		wire.set(func(l *line) { l.silent = false })
		synctest.Wait()
		shut(t, a, b)
		if err := engine.Stop(t.Context()); err != nil {
			t.Fatal(err)
		}
	})
}
