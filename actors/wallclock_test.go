package actors_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"github.com/leasekeeper/lkactor/actors"
	"github.com/leasekeeper/lkactor/actors/durable"
	"github.com/leasekeeper/lkactor/actors/lease"
)

// Whatever the wall clock does, leases end when their time has elapsed, neither sooner
// nor later; and after a restart they have ended at the instants at which they were to
// (E5, T3).
func TestE5_LeasesAndTheWallClock(t *testing.T) {
	const minute = lease.Instant(time.Minute)
	for _, step := range []time.Duration{-time.Hour, time.Hour, time.Millisecond, -time.Millisecond} {
		t.Run(fmt.Sprint(step), func(t *testing.T) {
			clock := newHandClock()
			run := durableOn(t, newSystem(t), clock)
			engine, stop := run()
			for i, minutes := range []lease.Instant{10, 20, 120} {
				ask(t, engine, lease.Acquire, fmt.Sprint("c", i), "L", minutes*60_000)
			}
			clock.step(step)
			clock.advance(10*time.Minute - 1)
			if got := holderOf(t, engine); got != "c0 until 10" {
				t.Errorf("before its time is up: %s", got)
			}
			clock.advance(1)
			if got := holderOf(t, engine); got != "c1 until 30" {
				t.Errorf("when its time is up: %s", got)
			}
			before := ask(t, engine, lease.Inspect, "", "L", 0).Now
			stop()

			clock.step(step)
			engine, stop = run()
			after := ask(t, engine, lease.Inspect, "", "L", 0).Now
			want := max(before, before+lease.Instant(2*step))
			if after != want {
				t.Errorf("instant %v before the restart, %v after it, want %v", time.Duration(before), time.Duration(after), time.Duration(want))
			}
			holds := "c1 until 30"
			if after >= 30*minute { // two hours later all is over but for the last
				holds = "c2 until 150"
			}
			if got := holderOf(t, engine); got != holds {
				t.Errorf("after the restart: %s, want %s", got, holds)
			}
			if after < 30*minute {
				clock.advance(time.Duration(30*minute-after) - 1)
				if got := holderOf(t, engine); got != holds {
					t.Errorf("before its time is up: %s", got)
				}
				clock.advance(1)
				if got := holderOf(t, engine); got != "c2 until 150" {
					t.Errorf("when its time is up: %s", got)
				}
			}
			stop()
		})
	}
}

// durableOn gives what starts an engine with a journal and the clock, time and again
// the same one, and what stops it.
func durableOn(t *testing.T, system *actor.ActorSystem, clock actors.Clock, more ...actors.Option) func() (*actors.Engine, func()) {
	dir := t.TempDir()
	return func() (*actors.Engine, func()) {
		store, err := durable.Open(dir, durable.Options{})
		if err != nil {
			t.Fatal(err)
		}
		engine := start(t, system, append(more, actors.WithClock(clock), actors.WithJournal(store))...)
		return engine, func() {
			if err := engine.Stop(t.Context()); err != nil {
				t.Fatal(err)
			}
			if err := store.Close(); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// holderOf tells who has L, and until which minute.
func holderOf(t *testing.T, engine *actors.Engine) (text string) {
	for _, h := range ask(t, engine, lease.Inspect, "", "L", 0).Detail.Lock.Holders {
		text += fmt.Sprintf("%s until %d", h.Client, h.Until/lease.Instant(time.Minute))
	}
	return text
}
