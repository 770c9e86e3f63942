package actors_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/leasekeeper/lkactor/actors"
	"github.com/leasekeeper/lkactor/actors/lease"
)

// listener keeps what it is told.
type listener struct {
	mu     sync.Mutex
	events []lease.Event
}

func (l *listener) Tell(e lease.Event) {
	l.mu.Lock()
	l.events = append(l.events, e)
	l.mu.Unlock()
}

// take gives what has been told since it was last asked, one line each. Only in a
// bubble: an engine's caller may have its answer a moment before others are told, so
// it waits until there is nothing left to tell.
func (l *listener) take() string {
	synctest.Wait()
	l.mu.Lock()
	defer l.mu.Unlock()
	var lines []string
	for _, e := range l.events {
		lines = append(lines, describe(e))
	}
	l.events = nil
	return strings.Join(lines, "; ")
}

func describe(e lease.Event) string {
	switch e.Kind {
	case lease.EventCurrent:
		text := fmt.Sprintf("current: age %d", e.State.Age)
		for _, h := range e.State.Holds {
			text += fmt.Sprintf(", %s token %d until %d", h.Lock, h.Token, h.Until)
		}
		if e.State.Waiting != "" {
			text += ", waits for " + e.State.Waiting
		}
		return text
	case lease.EventGranted:
		return fmt.Sprintf("granted %s token %d from %d to %d", e.Lock, e.Token, e.At, e.Until)
	case lease.EventDeadlock:
		text := "deadlock by " + e.Why.Requester
		for _, edge := range e.Why.Cycle {
			text += fmt.Sprintf(", %s waits for %s of %s (%v, token %d, age %d)", edge.Waiter, edge.Lock, edge.Blocker, edge.Mode, edge.Token, edge.Age)
		}
		return text
	case lease.EventEnded:
		return fmt.Sprintf("ended: %v", e.Err)
	}
	return fmt.Sprintf("%v %s token %d at %d, %v", e.Kind, e.Lock, e.Token, e.At, e.Reason)
}

// want fails unless just this has been told.
func (l *listener) want(t *testing.T, want string) {
	t.Helper()
	if got := l.take(); got != want {
		t.Errorf("told: %s\n want: %s", got, want)
	}
}

func subscribe(t *testing.T, engine *actors.Engine, client string) *listener {
	t.Helper()
	l := new(listener)
	if _, err := engine.Subscribe(t.Context(), client, "", l); err != nil {
		t.Fatal(err)
	}
	return l
}

const ms = lease.Instant(time.Millisecond)

// ask does an operation with a ttl of so many milliseconds.
func ask(t *testing.T, engine *actors.Engine, kind lease.Kind, client, lock string, ttl lease.Instant) actors.Answer {
	t.Helper()
	a, err := engine.Ask(t.Context(), lease.Operation{Kind: kind, Client: client, Lock: lock, TTL: lease.Duration(ttl * ms)})
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// live runs a test on an engine with a clock under every policy, in a bubble with
// a time of its own.
func live(t *testing.T, test func(t *testing.T, engine *actors.Engine)) {
	for _, d := range dispatches {
		t.Run(d.String(), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				engine := start(t, newSystem(t), actors.WithDispatch(d), actors.WithClock(actors.SystemClock()))
				test(t, engine)
				if err := engine.Stop(t.Context()); err != nil {
					t.Fatal(err)
				}
			})
		})
	}
}

// Locks are handed over when it is time, whether or not anybody asks, and whoever
// waits is told (T3).
func TestT3_LiveHandOver(t *testing.T) {
	live(t, func(t *testing.T, engine *actors.Engine) {
		first, second, third := subscribe(t, engine, "a"), subscribe(t, engine, "b"), subscribe(t, engine, "c")
		for i, l := range []*listener{first, second, third} {
			l.want(t, "current: age 0")
			ask(t, engine, lease.Acquire, string(rune('a'+i)), "L", 20)
		}
		time.Sleep(19 * time.Millisecond)
		first.want(t, "")
		second.want(t, "")
		time.Sleep(time.Millisecond)
		first.want(t, "lost L token 1 at 20000000, lapsed")
		second.want(t, "granted L token 2 from 20000000 to 40000000")
		time.Sleep(time.Hour)
		second.want(t, "lost L token 2 at 40000000, lapsed")
		third.want(t, "granted L token 3 from 40000000 to 60000000; lost L token 3 at 60000000, lapsed")
		first.want(t, "")
	})
}

// The alarm goes off for the lease that ends first, whenever that was granted.
func TestT3_TheShorterLeaseComesLater(t *testing.T) {
	live(t, func(t *testing.T, engine *actors.Engine) {
		ask(t, engine, lease.Acquire, "a", "long", 1000)
		ask(t, engine, lease.Acquire, "a", "short", 10)
		ask(t, engine, lease.Acquire, "b", "short", 1000)
		b := subscribe(t, engine, "b")
		b.take()
		time.Sleep(10 * time.Millisecond)
		b.want(t, "granted short token 2 from 10000000 to 1010000000")
	})
}

// Every way in which a client comes by a lease, or loses one, without an answer of
// its own is told to its subscribers.
func TestEventsAndReasons(t *testing.T) {
	live(t, func(t *testing.T, engine *actors.Engine) {
		a, b := subscribe(t, engine, "a"), subscribe(t, engine, "b")
		a.take()
		b.take()
		ask(t, engine, lease.Acquire, "a", "L", 100) // on the spot: an answer, no event
		ask(t, engine, lease.Acquire, "b", "L", 100)
		a.want(t, "")
		ask(t, engine, lease.Release, "a", "L", 0)
		a.want(t, "lost L token 1 at 0, released")
		b.want(t, "granted L token 2 from 0 to 100000000")
		ask(t, engine, lease.Acquire, "a", "L", 100)
		ask(t, engine, lease.Evict, "a", "L", 0)
		a.want(t, "withdrawn L token 0 at 0, evicted")
		ask(t, engine, lease.Evict, "b", "L", 0)
		b.want(t, "lost L token 2 at 0, evicted")

		ask(t, engine, lease.Acquire, "a", "L", 100)
		ask(t, engine, lease.Acquire, "b", "M", 100)
		ask(t, engine, lease.Acquire, "b", "L", 100)
		answer := ask(t, engine, lease.Acquire, "a", "M", 100)
		if answer.Outcome != lease.Granted || !slices.Equal(answer.Victims(), []string{"b"}) {
			t.Errorf("%+v", answer)
		}
		cycle := "deadlock by a, a waits for M of b (exclusive, token 1, age 2), b waits for L of a (exclusive, token 3, age 1)"
		b.want(t, "withdrawn L token 0 at 0, aborted; lost M token 1 at 0, aborted; "+cycle)
		a.want(t, "") // it has been answered so
		late := subscribe(t, engine, "a")
		late.want(t, "current: age 1, L token 3 until 100000000, M token 2 until 100000000")
		if err := engine.Stop(t.Context()); err != nil {
			t.Fatal(err)
		}
		b.want(t, "ended: "+actors.ErrStopped.Error())
	})
}

// Whoever closes a cycle and is the youngest on it is answered with the cycle.
func TestD7_TheVictimIsToldTheCycle(t *testing.T) {
	live(t, func(t *testing.T, engine *actors.Engine) {
		ask(t, engine, lease.Acquire, "a", "L", 100)
		ask(t, engine, lease.Acquire, "b", "M", 100)
		ask(t, engine, lease.Acquire, "a", "M", 100)
		answer := ask(t, engine, lease.Acquire, "b", "L", 100)
		if answer.Outcome != lease.Deadlocked || answer.Detail.Why == nil {
			t.Fatalf("%+v", answer)
		}
		cycle := answer.Detail.Why.Cycle
		if len(cycle) != 2 || cycle[0] != (lease.Wait{Waiter: "b", Lock: "L", Blocker: "a", Token: 1, Age: 1}) ||
			cycle[1] != (lease.Wait{Waiter: "a", Lock: "M", Blocker: "b", Token: 1, Age: 2}) {
			t.Errorf("%+v", cycle)
		}
	})
}

// A subscription ends when its subscriber says so, and the others' go on.
func TestUnsubscribe(t *testing.T) {
	live(t, func(t *testing.T, engine *actors.Engine) {
		gone, kept := new(listener), subscribe(t, engine, "a")
		cancel, err := engine.Subscribe(t.Context(), "a", "", gone)
		if err != nil {
			t.Fatal(err)
		}
		cancel()
		cancel()
		gone.take()
		kept.take()
		ask(t, engine, lease.Acquire, "a", "L", 100)
		ask(t, engine, lease.Release, "a", "L", 0)
		gone.want(t, "")
		kept.want(t, "lost L token 1 at 0, released")
		if _, err := engine.Subscribe(t.Context(), "", "", gone); !errors.Is(err, lease.InvalidArguments) {
			t.Errorf("a client without a name: %v", err)
		}
	})
}

// The instant of an operation is when the engine takes it, whatever it carries, and
// never goes back (O11).
func TestO11_LiveStamps(t *testing.T) {
	clock := newHandClock()
	engine := start(t, newSystem(t), actors.WithClock(clock))
	var last actors.Answer
	for i := range 50 {
		clock.advance(time.Duration(i%3) * time.Microsecond)
		clock.step([]time.Duration{time.Hour, -time.Hour, time.Millisecond}[i%3])
		answer, err := engine.Ask(t.Context(), lease.Operation{Kind: lease.Inspect, At: lease.Instant(1000 - i), Lock: "L"})
		if err != nil || answer.Seq != last.Seq+1 || answer.Now != last.Now+lease.Instant(i%3*1000) {
			t.Fatalf("after seq %d, now %d: seq %d, now %d, %v", last.Seq, last.Now, answer.Seq, answer.Now, err)
		}
		last = answer
	}
	if err := engine.Stop(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// What waits in the queue is stamped when it is taken, not when it was submitted.
func TestO11_StampedWhenTaken(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		engine, goOn := stalled(t, 10)
		var late actors.Answer
		go func() { // at instant 0
			if _, err := engine.Do(t.Context(), live0(lease.Acquire, "a", "L")); err != nil {
				t.Error(err)
			}
		}()
		synctest.Wait()
		go func() { late = ask(t, engine, lease.Inspect, "", "M", 0) }()
		synctest.Wait()
		time.Sleep(300 * time.Millisecond)
		goOn()
		synctest.Wait()
		if late.Now != 300*ms {
			t.Errorf("submitted at instant 0 and taken 300 ms later: stamped %v", time.Duration(late.Now))
		}
		if err := engine.Stop(t.Context()); err != nil {
			t.Fatal(err)
		}
	})
}

// A restarted clock goes on from the later of the last instant and the wall
// clock's distance from zero (E5).
func TestE5_TheClockGoesOn(t *testing.T) {
	for _, c := range []struct {
		name       string
		down, step time.Duration // how long the engine is away, what the wall clock does meanwhile
		want       time.Duration // instant of the first operation
	}{
		{"a minute later", time.Minute, 0, 2 * time.Minute},
		{"an hour forward", time.Minute, time.Hour, time.Hour + 2*time.Minute},
		{"an hour back", time.Minute, -time.Hour, time.Minute},
		{"a little forward", 0, time.Millisecond, time.Minute + time.Millisecond},
	} {
		clock := newHandClock()
		system := newSystem(t)
		engine := start(t, system, actors.WithClock(clock))
		zero := engine.Zero()
		clock.advance(time.Minute)
		last := ask(t, engine, lease.Inspect, "", "L", 0).Now
		if err := engine.Stop(t.Context()); err != nil {
			t.Fatal(err)
		}
		clock.advance(c.down)
		clock.step(c.step)
		engine = start(t, system, actors.WithClock(clock), actors.WithOrigin(zero, last))
		if got := ask(t, engine, lease.Inspect, "", "L", 0).Now; got != lease.Instant(c.want) {
			t.Errorf("%s: %v, want %v", c.name, time.Duration(got), c.want)
		}
		if !engine.Zero().Equal(zero) {
			t.Errorf("%s: zero has moved to %v", c.name, engine.Zero())
		}
		if err := engine.Stop(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
}

// An engine is woken when something may be due and never otherwise; a wake-up that
// finds nothing due is no operation.
func TestE2_NoWakingForNothing(t *testing.T) {
	clock := newHandClock()
	engine := start(t, newSystem(t), actors.WithClock(clock), actors.WithForget(0))
	operations := func() uint64 {
		t.Helper()
		counts, err := engine.Counts(t.Context()) // behind the alarm in the queue
		if err != nil {
			t.Fatal(err)
		}
		return counts.Operations
	}
	ask(t, engine, lease.Acquire, "a", "L", 10)
	clock.advance(9 * time.Millisecond)
	ask(t, engine, lease.Renew, "a", "L", 10)
	clock.advance(time.Millisecond) // due until it was renewed
	if n := operations(); n != 2 || clock.alarms() != 1 {
		t.Errorf("%d operations, %d alarms", n, clock.alarms())
	}
	clock.advance(8 * time.Millisecond)
	if n := operations(); n != 2 || clock.alarms() != 1 {
		t.Errorf("%d operations, %d alarms", n, clock.alarms())
	}
	clock.advance(time.Millisecond)
	if n := operations(); n != 3 || clock.alarms() != 2 {
		t.Errorf("%d operations, %d alarms at the end of the lease", n, clock.alarms())
	}
	clock.advance(24 * time.Hour)
	if n := operations(); n != 3 || clock.alarms() != 2 {
		t.Errorf("%d operations, %d alarms of an idle engine", n, clock.alarms())
	}
	if err := engine.Stop(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// An engine without a clock has no events.
func TestNoEventsWithoutAClock(t *testing.T) {
	engine := start(t, newSystem(t))
	if _, err := engine.Subscribe(t.Context(), "a", "", new(listener)); !errors.Is(err, actors.ErrNoClock) {
		t.Errorf("subscribed: %v", err)
	}
	if n, err := engine.Abandon(t.Context(), "a"); !errors.Is(err, actors.ErrNoClock) {
		t.Errorf("abandoned %d: %v", n, err)
	}
	if err := engine.Stop(t.Context()); err != nil {
		t.Fatal(err)
	}
}
