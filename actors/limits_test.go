package actors_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/leasekeeper/lkactor/actors"
	"github.com/leasekeeper/lkactor/actors/client"
	"github.com/leasekeeper/lkactor/actors/lease"
)

// stalled gives an engine with room for so many operations that handles none, from
// the first on, until go on is called.
func stalled(t *testing.T, room int, options ...actors.Option) (engine *actors.Engine, goOn func()) {
	var once sync.Once
	held := make(chan struct{})
	engine = start(t, newSystem(t), append(options, actors.WithClock(actors.SystemClock()), actors.WithLimits(actors.Limits{Operations: room}),
		actors.WithWatch(func(*lease.Effect) { <-held }))...)
	return engine, func() { once.Do(func() { close(held) }) }
}

// Callers wait for room as long as their context lasts; what found no room has no
// effect, and what did is answered.
func TestOverload(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		engine, goOn := stalled(t, 3)
		var group sync.WaitGroup
		for i := range 3 {
			group.Go(func() {
				if r, err := engine.Do(t.Context(), live0(lease.Acquire, "a", fmt.Sprint("L", i))); err != nil || r.Outcome != lease.Granted {
					t.Errorf("%+v, %v", r, err)
				}
			})
			synctest.Wait()
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_, err := engine.Do(ctx, live0(lease.Acquire, "b", "M"))
		if !errors.Is(err, actors.ErrOverloaded) || !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("no room: %v", err)
		}
		done := func(client.Answer) { t.Error("answered") }
		if err := engine.Submit(ctx, live0(lease.Acquire, "b", "M"), done); err == nil {
			t.Error("Submit found room")
		}
		group.Go(func() { // this one has patience
			if _, err := engine.Do(t.Context(), live0(lease.Inspect, "", "L0")); err != nil {
				t.Error(err)
			}
		})
		synctest.Wait()
		goOn()
		group.Wait()
		counts, err := engine.Counts(t.Context())
		if err != nil || counts.Operations != 4 {
			t.Errorf("%d operations, %v", counts.Operations, err)
		}
		if err := engine.Stop(t.Context()); err != nil {
			t.Fatal(err)
		}
	})
}

// live0 is an operation for an engine with a clock.
func live0(kind lease.Kind, client, lock string) lease.Operation {
	return lease.Operation{Kind: kind, Client: client, Lock: lock, TTL: lease.Duration(time.Second)}
}

// Actors cannot wait for room: they are told at once, as callers are who do not want
// to wait.
func TestOverloadAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		engine, goOn := stalled(t, 2, actors.WithoutWaiting())
		var group sync.WaitGroup
		for i := range 2 {
			group.Go(func() {
				if _, err := engine.Do(t.Context(), live0(lease.Acquire, "a", fmt.Sprint("L", i))); err != nil {
					t.Error(err)
				}
			})
			synctest.Wait()
		}
		if _, err := engine.Do(t.Context(), live0(lease.Acquire, "b", "M")); !errors.Is(err, actors.ErrOverloaded) {
			t.Errorf("no room: %v", err)
		}
		goOn()
		group.Wait()
		if err := engine.Stop(t.Context()); err != nil {
			t.Fatal(err)
		}
	})
	synctest.Test(t, func(t *testing.T) {
		held := make(chan struct{})
		system := newSystem(t)
		engine := start(t, system, actors.WithClock(actors.SystemClock()), actors.WithLimits(actors.Limits{Operations: 2}),
			actors.WithWatch(func(*lease.Effect) { <-held }))
		j, pid := hire(system, engine)
		for i := range 3 {
			system.Root.Send(pid, request(lease.Acquire, "a", fmt.Sprint("L", i), ""))
			synctest.Wait()
		}
		j.want(t, "reply: "+actors.ErrOverloaded.Error())
		close(held)
		j.want(t, "reply 1: token 1, position 0; reply 2: token 1, position 0")
		if err := engine.Stop(t.Context()); err != nil {
			t.Fatal(err)
		}
		system.Root.Send(pid, request(lease.Acquire, "a", "L", ""))
		synctest.Wait()
		time.Sleep(time.Minute)
	})
}

// An engine takes on so many locks, clients, waiters and no more, and names of so
// many bytes. What is refused is no operation: it has no number.
func TestLimits(t *testing.T) {
	engine := start(t, newSystem(t), actors.WithClock(newHandClock()),
		actors.WithLimits(actors.Limits{Locks: 3, Clients: 4, Waiters: 2, NameBytes: 10}))
	for _, c := range []struct {
		op   lease.Operation
		want string // nothing for taken
	}{
		{live0(lease.Acquire, "a", "L1"), ""},
		{live0(lease.Acquire, "b", "L1"), ""},
		{live0(lease.Acquire, "c", "L1"), ""},
		{live0(lease.Acquire, "d", "L1"), `"L1" is over 2 waiters for lock`},
		{live0(lease.Release, "b", "L1"), ""},
		{live0(lease.Acquire, "d", "L1"), ""},
		{live0(lease.Acquire, "e", "L2"), `"e" is over 4 clients`},
		{lease.Operation{Kind: lease.Status, Client: "e", ID: "1"}, `"e" is over 4 clients`},
		{live0(lease.Acquire, "a", "L2"), ""},
		{lease.Operation{Kind: lease.Write, Lock: "L3", Key: "k", Value: strings.Repeat("v", 99), Token: 1}, ""},
		{live0(lease.Acquire, "a", "L4"), `"L4" is over 3 locks`},
		{lease.Operation{Kind: lease.Bump, Lock: "L4", Token: 7}, `"L4" is over 3 locks`},
		{live0(lease.Inspect, "", "L4"), ""},
		{live0(lease.Inspect, "", "L4567890123"), `the engine: "L456789012" is over 10 bytes in a name`},
		{live0(lease.Forget, "", "L9"), ""},
	} {
		before, err := engine.Counts(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		_, err = engine.Do(t.Context(), c.op)
		if c.want == "" {
			if err != nil {
				t.Errorf("%+v: %v", c.op, err)
			}
			continue
		}
		limit := (*actors.LimitError)(nil)
		if !errors.Is(err, actors.ErrLimit) || !errors.As(err, &limit) || !strings.HasSuffix(err.Error(), c.want) {
			t.Errorf("%+v: %v, want %s", c.op, err, c.want)
		}
		if after, _ := engine.Counts(t.Context()); after.Operations != before.Operations {
			t.Errorf("%+v was refused and counts as an operation", c.op)
		}
	}
	// Of operations that are submitted together all count, and none is taken.
	for _, c := range []struct {
		op   func(i int) lease.Operation
		want string
	}{
		{func(i int) lease.Operation { return live0(lease.Acquire, "a", fmt.Sprint("M", i)) }, `"M1" is over 3 locks`},
		{func(i int) lease.Operation { return live0(lease.Acquire, fmt.Sprint("f", i), "L3") }, `"f0" is over 4 clients`},
	} {
		if err := engine.Forget(t.Context(), "L2"); err != nil && !errors.Is(err, lease.LockInUse) {
			t.Fatal(err)
		}
		if _, err := engine.Do(t.Context(), live0(lease.Release, "a", "L2")); err != nil {
			t.Fatal(err)
		}
		if err := engine.Forget(t.Context(), "L2"); err != nil { // room for one
			t.Fatal(err)
		}
		ops := make([]lease.Operation, 3)
		for i := range ops {
			ops[i] = c.op(i)
		}
		if err := engine.Run(t.Context(), ops, make([]lease.Result, len(ops))); err == nil || !strings.HasSuffix(err.Error(), c.want) {
			t.Errorf("together: %v, want %s", err, c.want)
		}
		if locks, err := engine.Locks(t.Context()); err != nil || len(locks) != 2 {
			t.Errorf("%v, %v", locks, err)
		}
	}
	if err := engine.Stop(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// Many callers together do not take an engine over its limits.
func TestLimitsHoldTogether(t *testing.T) {
	const most = 40
	engine := start(t, newSystem(t), actors.WithClock(newHandClock()),
		actors.WithLimits(actors.Limits{Locks: most, Clients: most, Waiters: most / 4}))
	var group sync.WaitGroup
	for caller := range 16 {
		group.Go(func() {
			ops := make([]lease.Operation, 50)
			for i := range ops {
				ops[i] = live0(lease.Acquire, fmt.Sprint("c", caller, i), fmt.Sprint("L", (caller*i)%97))
			}
			for range 3 {
				for i := range ops {
					if _, err := engine.Do(t.Context(), ops[i]); err != nil && !errors.Is(err, actors.ErrLimit) {
						t.Error(err)
					}
				}
				if err := engine.Run(t.Context(), ops, make([]lease.Result, len(ops))); err != nil && !errors.Is(err, actors.ErrLimit) {
					t.Error(err)
				}
			}
		})
	}
	group.Wait()
	locks, err := engine.Locks(t.Context())
	if err != nil || len(locks) > most || len(locks) < most/4 {
		t.Errorf("%d locks, %v", len(locks), err)
	}
	for _, l := range locks {
		if l.Waiters > most/4 {
			t.Errorf("%d wait for %s", l.Waiters, l.Name)
		}
	}
	clients, err := engine.Clients(t.Context())
	if err != nil || len(clients) != most {
		t.Errorf("%d clients, %v", len(clients), err)
	}
	if err := engine.Stop(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// Names that never come back are forgotten, by and by; whatever is in use stays, and
// so does what is stored. No token is given twice (E4).
func TestE4_IdleNamesAreForgotten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		engine := start(t, newSystem(t), actors.WithClock(actors.SystemClock()), actors.WithForget(time.Minute), actors.WithKeep(10, 10))
		do := func(op lease.Operation) lease.Result {
			t.Helper()
			r, err := engine.Do(t.Context(), op)
			if err != nil || r.Outcome == lease.Failed {
				t.Fatalf("%+v: %+v, %v", op, r, err)
			}
			return r
		}
		watched := subscribe(t, engine, "watched")
		held := live0(lease.Acquire, "holder", "held")
		held.TTL = lease.Duration(time.Hour)
		do(held)
		do(live0(lease.Acquire, "waiter", "held"))
		do(live0(lease.Acquire, "watched", "L"))
		do(lease.Operation{Kind: lease.Write, Lock: "stored", Key: "k", Value: "v", Token: 1})
		const names = 10_000
		for i := range names {
			do(live0(lease.Acquire, fmt.Sprint("c", i), fmt.Sprint("L", i)))
		}
		do(lease.Operation{Kind: lease.Bump, Lock: "L7", Token: 99})
		locks := func() int {
			t.Helper()
			list, err := engine.Locks(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			return len(list)
		}
		if n := locks(); n != names+3 {
			t.Fatalf("%d locks", n)
		}
		for range 4 { // in use all the time
			time.Sleep(30 * time.Second)
			do(live0(lease.Acquire, "c5", "L5"))
		}
		time.Sleep(10 * time.Second)
		if n := locks(); n != 3 {
			t.Errorf("%d locks are left", n)
		}
		clients, err := engine.Clients(t.Context())
		if err != nil || len(clients) != 4 {
			t.Errorf("clients are left: %+v, %v", clients, err)
		}
		if r := do(live0(lease.Acquire, "c", "L7")); r.Token != 100 {
			t.Errorf("token %d after one of 99", r.Token)
		}
		if r := do(lease.Operation{Kind: lease.Read, Lock: "stored", Key: "k"}); r.Value != "v" {
			t.Errorf("%+v", r)
		}
		watched.take()
		if err := engine.Stop(t.Context()); err != nil {
			t.Fatal(err)
		}
	})
}

// An engine with nothing left to tidy up is not woken any more.
func TestNothingToTidyUp(t *testing.T) {
	clock := newHandClock()
	engine := start(t, newSystem(t), actors.WithClock(clock), actors.WithForget(time.Second), actors.WithIdle(0), actors.WithKeep(0, 0))
	for i := range 20 {
		if _, err := engine.Do(t.Context(), live0(lease.Acquire, fmt.Sprint("c", i), fmt.Sprint("L", i))); err != nil {
			t.Fatal(err)
		}
	}
	for range 1000 { // rounds; a seat may go between two of them
		clock.advance(time.Second)
		if list, err := engine.Clients(t.Context()); err != nil || len(list) == 0 {
			break
		}
		time.Sleep(time.Millisecond)
	}
	clock.advance(time.Second) // the last round finds nothing
	if _, err := engine.Locks(t.Context()); err != nil {
		t.Fatal(err)
	}
	before := clock.alarms()
	for range 10 {
		clock.advance(time.Hour)
	}
	if after := clock.alarms(); after != before {
		t.Errorf("woken %d times", after-before)
	}
	if err := engine.Stop(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// Operators see who holds and awaits what, and can take it.
func TestOperatorsVerbs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		engine := start(t, newSystem(t), actors.WithClock(actors.SystemClock()))
		for _, pair := range []string{"a L", "b L", "c L", "a M", "d M"} {
			client, lock, _ := strings.Cut(pair, " ")
			ask(t, engine, lease.Acquire, client, lock, 1000)
		}
		locks, err := engine.Locks(t.Context())
		want := []actors.LockInfo{{Name: "L", Holders: 1, Waiters: 2, Until: 1000 * ms}, {Name: "M", Holders: 1, Waiters: 1, Until: 1000 * ms}}
		if err != nil || fmt.Sprint(locks) != fmt.Sprint(want) {
			t.Errorf("%+v, %v", locks, err)
		}
		clients, err := engine.Clients(t.Context())
		if err != nil || fmt.Sprint(clients) != "[{a 1 2 } {b 2 0 L} {c 3 0 L} {d 4 0 M}]" {
			t.Errorf("%v, %v", clients, err)
		}
		graph, err := engine.WaitGraph(t.Context())
		if err != nil || fmt.Sprint(graph) != "[{L {[{a exclusive 1 1000000000}] [{b exclusive} {c exclusive}]}} {M {[{a exclusive 1 1000000000}] [{d exclusive}]}}]" {
			t.Errorf("%v, %v", graph, err)
		}
		if err := engine.CloseClient(t.Context(), "d"); !errors.Is(err, lease.ClientBusy) {
			t.Errorf("close: %v", err)
		}
		if err := engine.Forget(t.Context(), "M"); !errors.Is(err, lease.LockInUse) {
			t.Errorf("forget: %v", err)
		}
		if n, err := engine.Abandon(t.Context(), "a"); n != 2 || err != nil {
			t.Errorf("abandon: %d, %v", n, err)
		}
		if err := engine.Evict(t.Context(), "c", "L"); err != nil {
			t.Errorf("evict: %v", err)
		}
		if err := engine.Evict(t.Context(), "c", "L"); !errors.Is(err, lease.NotHolder) {
			t.Errorf("evict twice: %v", err)
		}
		if _, err := engine.Abandon(t.Context(), ""); !errors.Is(err, lease.InvalidArguments) {
			t.Errorf("abandon nobody: %v", err)
		}
		for _, err := range []error{engine.Evict(t.Context(), "b", "L"), engine.Evict(t.Context(), "d", "M"),
			engine.Forget(t.Context(), "L"), engine.CloseClient(t.Context(), "d"), engine.Stop(t.Context())} {
			if err != nil {
				t.Error(err)
			}
		}
		if _, err := engine.Locks(t.Context()); !errors.Is(err, actors.ErrStopped) {
			t.Errorf("Locks of a stopped engine: %v", err)
		}
	})
}

// Stops at the same time end each with its own context, and what was accepted is
// answered.
func TestStopsTogether(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		engine, goOn := stalled(t, 10)
		var group sync.WaitGroup
		group.Go(func() {
			if _, err := engine.Do(t.Context(), live0(lease.Acquire, "a", "L")); err != nil {
				t.Errorf("accepted before the stop: %v", err)
			}
		})
		synctest.Wait()
		group.Go(func() {
			if err := engine.Stop(t.Context()); err != nil {
				t.Error(err)
			}
		})
		group.Go(func() {
			if err := engine.Stop(t.Context()); err != nil {
				t.Error(err)
			}
		})
		synctest.Wait()
		if _, err := engine.Do(t.Context(), live0(lease.Acquire, "b", "L")); !errors.Is(err, actors.ErrStopped) {
			t.Errorf("after the stop: %v", err)
		}
		goOn()
		group.Wait()
	})
	synctest.Test(t, func(t *testing.T) {
		engine, goOn := stalled(t, 10)
		var group sync.WaitGroup
		for i := range 3 {
			group.Go(func() {
				_, err := engine.Do(t.Context(), live0(lease.Acquire, "a", fmt.Sprint("L", i)))
				if err != nil && !errors.Is(err, actors.ErrStopped) {
					t.Error(err)
				}
			})
		}
		synctest.Wait()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		begin := time.Now()
		if err := engine.Stop(ctx); !errors.Is(err, context.DeadlineExceeded) || time.Since(begin) != time.Second {
			t.Errorf("Stop: %v after %v", err, time.Since(begin))
		}
		goOn()
		if err := engine.Stop(t.Context()); err != nil {
			t.Error(err)
		}
		group.Wait()
	})
}

// A request that an ending engine no longer handles is answered all the same.
func TestRequestsAtTheEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		held := make(chan struct{})
		system := newSystem(t)
		engine := start(t, system, actors.WithClock(actors.SystemClock()), actors.WithWatch(func(*lease.Effect) { <-held }))
		j, pid := hire(system, engine)
		for i := range 5 {
			system.Root.Send(pid, request(lease.Acquire, "a", fmt.Sprint("L", i), ""))
		}
		synctest.Wait()
		ended, cancel := context.WithCancel(t.Context())
		cancel()
		if err := engine.Stop(ended); err == nil {
			t.Error("stopped while it was busy")
		}
		close(held)
		if err := engine.Stop(t.Context()); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		j.mu.Lock()
		if len(j.lines) != 5 {
			t.Errorf("5 requests, answers: %q", j.lines)
		}
		for i, line := range j.lines {
			if i > 0 && line != "reply: "+actors.ErrStopped.Error() {
				t.Errorf("answer %d: %s", i, line)
			}
		}
		j.mu.Unlock()
		time.Sleep(time.Minute)
	})
}
