package actors_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/asynkron/protoactor-go/actor"
	"go.uber.org/goleak"

	"github.com/leasekeeper/lkactor/actors"
	"github.com/leasekeeper/lkactor/actors/lease"
	"github.com/leasekeeper/lkactor/sequencer"
)

func acquire(at lease.Instant, client, lock string) lease.Operation {
	return lease.Operation{Kind: lease.Acquire, At: at, Client: client, Lock: lock, TTL: 100}
}

func start(t testing.TB, system *actor.ActorSystem, options ...actors.Option) *actors.Engine {
	t.Helper()
	engine, err := actors.Start(system, options...)
	if err != nil {
		t.Fatal(err)
	}
	return engine
}

// An engine leaves neither goroutines nor actors behind.
func TestStopLeavesNothing(t *testing.T) {
	system := newSystem(t)
	// The first engine of a system brings the guardian that all of them share.
	if err := start(t, system).Stop(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, d := range dispatches {
		t.Run(d.String(), func(t *testing.T) {
			base := goleak.IgnoreCurrent()
			before := population(system)
			engine := start(t, system, actors.WithDispatch(d))
			for i := range 300 {
				op := acquire(lease.Instant(i), fmt.Sprint("c", i%20), fmt.Sprint("L", i%30))
				if _, err := engine.Do(t.Context(), op); err != nil {
					t.Fatal(err)
				}
			}
			if population(system) < before+30 {
				t.Fatal("the engine made no actors for its locks")
			}
			for range 2 { // twice is harmless
				if err := engine.Stop(t.Context()); err != nil {
					t.Fatal(err)
				}
			}
			if _, err := engine.Do(t.Context(), acquire(400, "c", "L")); !errors.Is(err, actors.ErrStopped) {
				t.Fatalf("Do after Stop: %v", err)
			}
			if _, err := engine.Counts(t.Context()); !errors.Is(err, actors.ErrStopped) {
				t.Fatalf("Counts after Stop: %v", err)
			}
			if after := population(system); after != before {
				t.Fatalf("%d actors before, %d after", before, after)
			}
			goleak.VerifyNone(t, base)
		})
	}
}

// population is how many processes the system has.
func population(system *actor.ActorSystem) int {
	n := 0
	for _, bucket := range system.ProcessRegistry.LocalPIDs.LocalPIDs {
		n += bucket.Count()
	}
	return n
}

// Stop answers whatever was accepted before it.
func TestStopAnswersEverybody(t *testing.T) {
	system := newSystem(t)
	for _, d := range dispatches {
		engine := start(t, system, actors.WithDispatch(d))
		var group sync.WaitGroup
		for caller := range 32 {
			group.Go(func() {
				for i := 0; ; i++ {
					_, err := engine.Do(t.Context(), acquire(lease.Instant(i), fmt.Sprint("c", caller), "L"))
					if err != nil {
						if !errors.Is(err, actors.ErrStopped) {
							t.Errorf("%v: %v", d, err)
						}
						return
					}
				}
			})
		}
		if err := engine.Stop(t.Context()); err != nil {
			t.Fatal(err)
		}
		group.Wait()
	}
}

// A stop of the sequencer from outside, as a system that shuts down does it,
// answers everybody, too.
func TestStopFromOutside(t *testing.T) {
	system := newSystem(t)
	engine := start(t, system)
	system.Root.Stop(engine.PID())
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	var err error
	for i := 0; err == nil; i++ {
		_, err = engine.Do(ctx, acquire(lease.Instant(i), "c", "L"))
	}
	if !errors.Is(err, actors.ErrStopped) {
		t.Fatal(err)
	}
	if err := engine.Stop(ctx); err != nil {
		t.Fatal(err)
	}
}

// An engine leaves the supervision of other actors in its system as it was, and
// many can be started at once.
func TestStartChangesNothingElse(t *testing.T) {
	system := newSystem(t)
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			if err := start(t, system).Stop(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	fragile := actor.PropsFromFunc(func(ctx actor.Context) {
		switch ctx.Message() {
		case "fail":
			panic("as asked")
		case "alive?":
			ctx.Respond("alive")
		}
	})
	pid := system.Root.Spawn(fragile)
	system.Root.Send(pid, "fail")
	if answer, err := system.Root.RequestFuture(pid, "alive?", time.Minute).Result(); answer != "alive" {
		t.Errorf("an actor of the embedder's was not restarted: %v, %v", answer, err)
	}
}

// What strangers send to the engine's PID does it no harm.
func TestStrangersAtTheEngine(t *testing.T) {
	system := newSystem(t)
	for _, options := range [][]actors.Option{nil, {actors.WithClock(actors.SystemClock())}} {
		engine := start(t, system, append(options, actors.WithIdle(-time.Second))...)
		strangersAt(t, system, engine)
	}
}

func strangersAt(t *testing.T, system *actor.ActorSystem, engine *actors.Engine) {
	job := system.Root.Spawn(actor.PropsFromFunc(func(actor.Context) {}))
	for _, message := range []any{
		&actors.Attach{}, (*actors.Attach)(nil), &actors.Attach{To: engine.PID()}, &actors.Attach{Client: "x", To: engine.PID()},
		&actors.Attach{Client: "c", To: job, AtEnd: actors.ReleaseAll},
		&actors.Detach{}, (*actors.Detach)(nil), &actors.Detach{Client: "c"}, &actors.Confirm{}, (*actors.Confirm)(nil), &actors.Notice{},
		&actor.Terminated{}, &actor.Terminated{Who: job}, (*actor.Terminated)(nil),
		&sequencer.Due{}, &sequencer.Tidy{}, &sequencer.Durable{}, &sequencer.Subscription{}, &sequencer.Unsubscribe{},
		(*sequencer.Unsubscribe)(nil), &sequencer.Abandon{}, &sequencer.Survey{}, (*sequencer.Survey)(nil), (*sequencer.Subscription)(nil),
		nil, "nonsense", (*sequencer.Request)(nil), (*sequencer.Call)(nil), &sequencer.Call{}, &sequencer.Intake{},
		(*sequencer.Intake)(nil), &sequencer.Look{}, (*sequencer.Look)(nil), &sequencer.Sweep{}, &actor.Started{}, &actor.Stopped{}, &lease.Lane{},
	} {
		system.Root.Send(engine.PID(), message)
	}
	op := acquire(0, "c", "L")
	if !engine.Zero().IsZero() {
		op.TTL = lease.MaxTTLNanoseconds
	}
	if r, err := engine.Do(t.Context(), op); err != nil || r.Token != 1 {
		t.Fatalf("%+v, %v", r, err)
	}
	system.Root.Send(engine.PID(), &actor.Terminated{Who: job}) // it has not: the lease stays
	op.Kind = lease.Renew
	if r, err := engine.Do(t.Context(), op); err != nil || r.Outcome != lease.Renewed {
		t.Fatalf("%+v, %v", r, err)
	}
	if err := engine.Stop(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// A caller whose context ends gets away from a repeat that takes long, its own or
// another's; and a Stop that does not want to wait ends it.
func TestLongRepeatHoldsNobody(t *testing.T) {
	for _, d := range dispatches {
		t.Run(d.String(), func(t *testing.T) {
			engine := start(t, newSystem(t), actors.WithDispatch(d))
			var setup []lease.Operation
			for i := range 2_000 {
				setup = append(setup, acquire(0, "c", fmt.Sprint("L", i)))
			}
			if err := engine.Run(t.Context(), setup, make([]lease.Result, len(setup))); err != nil {
				t.Fatal(err)
			}
			long := lease.Operation{Kind: lease.Repeat, Repeat: &lease.Repetition{
				Count: lease.MaxRepeatCount, Template: lease.Template{Op: lease.Operation{Kind: lease.Status, Client: "c"}},
			}}
			for _, op := range []lease.Operation{long, {Kind: lease.Inspect, Lock: "L1"}} {
				ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
				if _, err := engine.Do(ctx, op); !errors.Is(err, context.DeadlineExceeded) {
					t.Errorf("%v: %v", op.Kind, err)
				}
				cancel()
			}
			ended, cancel := context.WithCancel(t.Context())
			cancel()
			if err := engine.Stop(ended); !errors.Is(err, context.Canceled) {
				t.Errorf("Stop: %v", err)
			}
			if err := engine.Stop(t.Context()); err != nil { // waits for the end
				t.Error(err)
			}
		})
	}
}

// Others cannot stop an engine's actors, nor confuse them, under load or not.
func TestStrangersAtTheActors(t *testing.T) {
	system := newSystem(t)
	for _, d := range dispatches {
		t.Run(d.String(), func(t *testing.T) {
			engine := start(t, system, actors.WithDispatch(d))
			var group sync.WaitGroup
			for caller := range 8 {
				group.Go(func() {
					for i := range 300 {
						op := acquire(lease.Instant(i), fmt.Sprint("c", caller), fmt.Sprint("L", (i+caller)%10))
						if _, err := engine.Do(t.Context(), op); err != nil {
							t.Errorf("caller %d: %v", caller, err)
							return
						}
					}
				})
			}
			group.Go(func() {
				for range 20 {
					for _, pid := range members(system, engine) {
						system.Root.Stop(pid)
						system.Root.Poison(pid)
						system.Root.Send(pid, "nonsense")
						system.Root.Send(pid, nil)
						system.Root.Send(pid, &lease.Lane{})
					}
				}
			})
			group.Wait()
			if err := engine.Stop(t.Context()); err != nil {
				t.Fatal(err)
			}
			if left := members(system, engine); len(left) != 0 {
				t.Errorf("%d actors are left", len(left))
			}
		})
	}
}

// members gives the actors under an engine's sequencer.
func members(system *actor.ActorSystem, engine *actors.Engine) (all []*actor.PID) {
	for _, bucket := range system.ProcessRegistry.LocalPIDs.LocalPIDs {
		for _, id := range bucket.Keys() {
			if strings.HasPrefix(id, engine.PID().Id+"/") {
				all = append(all, system.NewLocalPID(id))
			}
		}
	}
	return all
}

// A context that has ended submits nothing; one that ends while the operation
// waits gives the caller back and leaves the engine in order.
func TestDoHonoursContext(t *testing.T) {
	engine := start(t, newSystem(t))
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := engine.Do(ended, acquire(0, "c", "L")); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	result, err := engine.Do(t.Context(), lease.Operation{Kind: lease.Inspect, Lock: "L"})
	if err != nil || len(result.Detail.Lock.Holders) != 0 {
		t.Fatalf("%+v, %v", result, err)
	}
	if err := engine.Stop(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// Engines in one system share nothing.
func TestManyEnginesInOneSystem(t *testing.T) {
	system := newSystem(t)
	var engines []*actors.Engine
	for range 5 {
		engines = append(engines, start(t, system))
	}
	for _, e := range engines {
		result, err := e.Do(t.Context(), acquire(0, "c", "L"))
		if err != nil || result.Outcome != lease.Granted || result.Token != 1 {
			t.Fatalf("%+v, %v", result, err)
		}
	}
	for _, e := range engines {
		if err := e.Stop(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
}

// Another actor may send operations to the engine's PID.
func TestRequestByActor(t *testing.T) {
	system := newSystem(t)
	engine := start(t, system)
	for i, want := range []lease.Outcome{lease.Granted, lease.Failed} {
		request := &sequencer.Request{Op: acquire(lease.Instant(i), "c", "L")}
		answer, err := system.Root.RequestFuture(engine.PID(), request, time.Minute).Result()
		if err != nil {
			t.Fatal(err)
		}
		if reply := answer.(*sequencer.Reply); reply.Err != nil || reply.Result.Outcome != want {
			t.Fatalf("%+v", reply)
		}
	}
	if err := engine.Stop(t.Context()); err != nil {
		t.Fatal(err)
	}
	answer, err := system.Root.RequestFuture(engine.PID(), &sequencer.Request{}, time.Second).Result()
	if err == nil {
		t.Fatalf("an engine that has stopped answers %+v", answer)
	}
}
