package actors_test

import (
	"fmt"
	"sync"
	"testing"
	"time"

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

// strayAllocations is what is forgiven of a few hundred operations: the call has some of
// its own, and the process may have other things to do.
const strayAllocations = 10

// In the steady state neither the model nor the engine allocates for a lease that
// comes, is renewed and goes, in bulk or by itself, with a clock or without. Only where
// Proto.Actor dispatches, a goroutine for each burst takes an object.
func TestSteadyStateAllocatesNothing(t *testing.T) {
	m := model.New()
	ops := steady(time.Hour / time.Second)
	results := make([]lease.Result, len(ops))
	if n := testing.AllocsPerRun(50, func() { m.Run(ops, results) }); n > 1 {
		t.Errorf("the model allocates %v times for %d operations", n, len(ops))
	}
	if raceEnabled {
		return // the detector itself allocates
	}
	for _, d := range dispatches {
		t.Run(d.String(), func(t *testing.T) { steadyEngine(t, d, ops) })
		t.Run(d.String()+", live", func(t *testing.T) { steadyEngine(t, d, steady(time.Hour), actors.WithClock(actors.SystemClock())) })
	}
}

// steady gives operations that leave everything as it was.
func steady(ttl time.Duration) (ops []lease.Operation) {
	for i := range 200 {
		op := lease.Operation{Client: fmt.Sprint("c", i%10), Lock: fmt.Sprint("L", i%7), TTL: lease.Duration(ttl)}
		for _, op.Kind = range []lease.Kind{lease.Acquire, lease.Renew, lease.Release} {
			ops = append(ops, op)
		}
	}
	return ops
}

func steadyEngine(t *testing.T, d actors.Dispatch, ops []lease.Operation, options ...actors.Option) {
	engine := start(t, newSystem(t), append(options, actors.WithDispatch(d), actors.WithIdle(time.Hour))...)
	results := make([]lease.Result, len(ops))
	bulk := testing.AllocsPerRun(50, func() {
		if err := engine.Run(t.Context(), ops, results); err != nil {
			t.Error(err)
		}
	})
	single := testing.AllocsPerRun(20, func() {
		for i := range ops {
			if r, err := engine.Do(t.Context(), ops[i]); err != nil || r.Outcome != results[i].Outcome || r.Outcome == lease.Failed {
				t.Errorf("%+v, then %+v, %v", results[i], r, err)
			}
		}
	})
	bulkLimit, singleLimit := strayAllocations, strayAllocations
	if d == actors.ProtoDefault {
		bulkLimit, singleLimit = len(ops), len(ops)+strayAllocations
	}
	if bulk > float64(bulkLimit) || single > float64(singleLimit) {
		t.Errorf("%d operations allocate %v times in bulk, and %v times one by one", len(ops), bulk, single)
	}
	if err := engine.Stop(t.Context()); err != nil {
		t.Fatal(err)
	}
}
