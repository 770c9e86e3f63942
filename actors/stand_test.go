package actors_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/asynkron/protoactor-go/actor"

	"github.com/leasekeeper/lkactor/actors"
	"github.com/leasekeeper/lkactor/actors/lease"
	"github.com/leasekeeper/lkactor/actors/model"
	"github.com/leasekeeper/lkactor/actors/oplog"
	"github.com/leasekeeper/lkactor/sequencer"
)

// stand is one way to run a log: the model, or an engine under some policy.
type stand struct {
	name string
	run  func(ops []lease.Operation) ([]lease.Result, error)
}

// stands gives every way to run a log in the system; batches are of random sizes
// drawn from seed.
func stands(system *actor.ActorSystem, seed uint64) []stand {
	all := []stand{{"model", func(ops []lease.Operation) ([]lease.Result, error) {
		results := make([]lease.Result, len(ops))
		model.New().Run(ops, results)
		return results, nil
	}}}
	for _, d := range dispatches {
		all = append(all, stand{d.String(), func(ops []lease.Operation) ([]lease.Result, error) {
			keep := int(seed % 5) // few enough that locks and clients come and go all the time
			return runEngine(system, ops, actors.WithDispatch(d),
				actors.WithBatchLimits(randomLimits(seed)), actors.WithKeep(keep, keep))
		}})
	}
	return all
}

var dispatches = []actors.Dispatch{actors.Inline, actors.OwnGoroutine, actors.ProtoDefault}

// randomLimits draws small batches more often than large ones: that is where
// operations that belong together come apart.
func randomLimits(seed uint64) func() int {
	rng := rand.New(rand.NewPCG(seed, 3))
	return func() int {
		if rng.IntN(4) == 0 {
			return sequencer.MaxBatch
		}
		return 1 + rng.IntN(9)
	}
}

func runEngine(system *actor.ActorSystem, ops []lease.Operation, options ...actors.Option) ([]lease.Result, error) {
	engine, err := actors.Start(system, options...)
	if err != nil {
		return nil, err
	}
	results := make([]lease.Result, len(ops))
	err = engine.Run(context.Background(), ops, results)
	return results, errors.Join(err, engine.Stop(context.Background()))
}

// newSystem gives an actor system that keeps its log to itself.
func newSystem(t testing.TB) *actor.ActorSystem {
	quiet := slog.New(slog.NewTextHandler(io.Discard, nil))
	system := actor.NewActorSystem(actor.WithLoggerFactory(func(*actor.ActorSystem) *slog.Logger { return quiet }))
	t.Cleanup(system.Shutdown)
	return system
}

// decode reads a log, a JSON array.
func decode(t testing.TB, log []byte) []lease.Operation {
	t.Helper()
	d := oplog.NewDecoder(bytes.NewReader(log), "log", oplog.Array)
	var ops []lease.Operation
	for {
		var op lease.Operation
		err := d.Next(&op)
		if errors.Is(err, io.EOF) {
			return ops
		}
		if err != nil {
			t.Fatal(err)
		}
		ops = append(ops, op)
	}
}

// compare gives a text for the first result that is not as wanted, or nothing.
func compare(results []lease.Result, want []string) string {
	for i := range results {
		if got := string(oplog.AppendResult(nil, &results[i])); got != want[i] {
			return fmt.Sprintf("operation %d: got %s, want %s", i, got, want[i])
		}
	}
	return ""
}

func join(log [][]byte) []byte {
	return append(append([]byte("["), bytes.Join(log, []byte(",\n"))...), ']')
}

func lines(log [][]byte) string {
	var b strings.Builder
	for i, op := range log {
		fmt.Fprintf(&b, "%4d  %s\n", i, op)
	}
	return b.String()
}
