package actors_test

import (
	"fmt"
	"sync"
	"testing"

	"github.com/asynkron/protoactor-go/actor"

	"github.com/leasekeeper/lkactor/actors"
	"github.com/leasekeeper/lkactor/actors/lease"
	"github.com/leasekeeper/lkactor/actors/model"
)

// A client with 100,000 locks pays for its next acquire and its renewals what one
// with ten pays, in visits to the graph and in messages (S).
func TestS_ManyLocksCostNothingLater(t *testing.T) {
	type price struct{ steps, lanes, inquiries uint64 }
	prices := map[int]price{}
	for _, locks := range []int{10, 100_000} {
		m := model.New()
		engine := start(t, newSystem(t), actors.WithDispatch(actors.Inline), actors.WithKeep(1<<20, 1<<20))
		both := func(ops ...lease.Operation) {
			t.Helper()
			results := make([]lease.Result, len(ops))
			if err := engine.Run(t.Context(), ops, results); err != nil {
				t.Fatal(err)
			}
			for i := range ops {
				if got := m.Do(&ops[i]); got.Outcome != results[i].Outcome || got.Outcome == lease.Failed {
					t.Fatalf("%+v: %+v by the model, %+v by the engine", ops[i], got, results[i])
				}
			}
		}
		var setup []lease.Operation
		for i := range locks {
			setup = append(setup, acquire(0, "rich", fmt.Sprint("L", i)))
		}
		// Half of the first ten are awaited by clients that hold something.
		for i := range 5 {
			setup = append(setup, acquire(0, fmt.Sprint("w", i), fmt.Sprint("M", i)), acquire(0, fmt.Sprint("w", i), fmt.Sprint("L", i)))
		}
		setup = append(setup, acquire(0, "other", "taken"))
		both(setup...)

		before, err := engine.Counts(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		steps := m.GraphSteps()
		both(acquire(1, "rich", "taken"))
		for i := range 5 {
			both(lease.Operation{Kind: lease.Renew, At: 1, Client: "rich", Lock: fmt.Sprint("L", i), TTL: 60})
		}
		after, err := engine.Counts(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		prices[locks] = price{
			m.GraphSteps() - steps, after.Lanes - before.Lanes, after.Inquiries - before.Inquiries,
		}
		if err := engine.Stop(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if prices[10] != prices[100_000] {
		t.Errorf("with ten locks %+v, with 100,000 %+v", prices[10], prices[100_000])
	}
}

// Under own-goroutine dispatch a lock that takes its time over its lane keeps no
// other lock of the batch from running its own.
func TestLongLaneHoldsUpNoOtherLock(t *testing.T) {
	slow, others := make(chan struct{}), make(chan struct{})
	var once sync.Once
	engine := start(t, newSystem(t), actors.WithRecast(func(part string, p *actor.Props) {
		if part != "lock" {
			return
		}
		p.Configure(actor.WithReceiverMiddleware(func(next actor.ReceiverFunc) actor.ReceiverFunc {
			return func(ctx actor.ReceiverContext, envelope *actor.MessageEnvelope) {
				lane, ok := envelope.Message.(*lease.Lane)
				if !ok {
					next(ctx, envelope)
					return
				}
				name, last := lane.Lock.Name, lane.Lock.Name == "L9"
				if name == "crowd" {
					<-slow // the long lane of this test
				}
				next(ctx, envelope)
				if last {
					once.Do(func() { close(others) })
				}
			}
		}))
	}))
	ops := []lease.Operation{acquire(0, "c", "crowd")}
	for i := range 10 {
		ops = append(ops, acquire(0, "c", fmt.Sprint("L", i)))
	}
	done := make(chan error, 1)
	results := make([]lease.Result, len(ops))
	go func() { done <- engine.Run(t.Context(), ops, results) }()
	<-others // ran while the long lane had not even begun
	close(slow)
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	for i, r := range results {
		if r.Outcome != lease.Granted {
			t.Errorf("operation %d: %+v", i, r)
		}
	}
	if err := engine.Stop(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// In the steady state neither the model nor the engine allocates for a lease that
// comes and goes.
func TestSteadyStateAllocatesNothing(t *testing.T) {
	var ops []lease.Operation
	for i := range 200 {
		client, lock := fmt.Sprint("c", i%10), fmt.Sprint("L", i%7)
		take, leave := acquire(0, client, lock), acquire(0, client, lock)
		leave.Kind = lease.Release
		ops = append(ops, take, leave)
	}
	results := make([]lease.Result, len(ops))
	m := model.New()
	if n := testing.AllocsPerRun(50, func() { m.Run(ops, results) }); n > 1 {
		t.Errorf("the model allocates %v times for %d operations", n, len(ops))
	}
	if raceEnabled {
		return // the detector itself allocates
	}
	engine := start(t, newSystem(t), actors.WithDispatch(actors.Inline))
	if n := testing.AllocsPerRun(50, func() {
		if err := engine.Run(t.Context(), ops, results); err != nil {
			t.Error(err)
		}
	}); n > 10 { // of the call, not of its operations
		t.Errorf("the engine allocates %v times for %d operations", n, len(ops))
	}
	if err := engine.Stop(t.Context()); err != nil {
		t.Fatal(err)
	}
}
