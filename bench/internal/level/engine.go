package level

import (
	"context"
	"fmt"
	"log/slog"

	"github.com/asynkron/protoactor-go/actor"

	"github.com/leasekeeper/lkactor/actors"
	"github.com/leasekeeper/lkactor/actors/lease"
)

// Slice is how many operations a bulk run hands to the engine at a time.
const Slice = 4_096

// engine is the engine in an actor system of its own. Whatever goes wrong with
// it panics, since a benchmark has nothing better to do.
type engine struct {
	*actors.Engine
	system *actor.ActorSystem
}

func openEngine(d actors.Dispatch) *engine {
	system := actor.NewActorSystem(actor.WithLoggerFactory(silent))
	e, err := actors.Start(system, actors.WithDispatch(d))
	if err != nil {
		panic(fmt.Errorf("level: start the engine: %w", err))
	}
	return &engine{e, system}
}

// silent keeps the actor system's own log out of the reports.
func silent(*actor.ActorSystem) *slog.Logger { return slog.New(slog.DiscardHandler) }

func (e *engine) Do(op *lease.Operation) lease.Result {
	result, err := e.Engine.Do(context.Background(), *op)
	if err != nil {
		panic(fmt.Errorf("level: do: %w", err))
	}
	return result
}

// Run hands the operations on in slices.
func (e *engine) Run(ops []lease.Operation, results []lease.Result) {
	for first := 0; first < len(ops); first += Slice {
		end := min(first+Slice, len(ops))
		if err := e.Engine.Run(context.Background(), ops[first:end], results[first:end]); err != nil {
			panic(fmt.Errorf("level: run: %w", err))
		}
	}
}

func (e *engine) Work() Work {
	counts, err := e.Counts(context.Background())
	if err != nil {
		panic(fmt.Errorf("level: counts: %w", err))
	}
	return Work{counts}
}

func (e *engine) Actors() int {
	n := 0
	for _, bucket := range e.system.ProcessRegistry.LocalPIDs.LocalPIDs {
		n += bucket.Count()
	}
	return n
}

func (e *engine) Close() {
	if err := e.Stop(context.Background()); err != nil {
		panic(fmt.Errorf("level: stop the engine: %w", err))
	}
	e.system.Shutdown()
}
