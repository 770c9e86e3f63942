// Package level runs the same operations at each level of the engine: the plain
// yardstick, the model, and the engine under each dispatch policy that is meant
// for use. It owns how a level is started, fed and stopped; it measures nothing.
package level

import (
	"context"
	"fmt"
	"log/slog"

	"github.com/asynkron/protoactor-go/actor"

	"github.com/leasekeeper/lkactor/actors"
	"github.com/leasekeeper/lkactor/actors/lease"
	"github.com/leasekeeper/lkactor/actors/model"
	"github.com/leasekeeper/lkactor/bench/internal/plain"
	"github.com/leasekeeper/lkactor/sequencer"
)

// Slice is how many operations a bulk run hands to the engine at a time.
const Slice = 4_096

// Level is one way to run operations. The ones there are come from [All].
type Level struct {
	Name string
	// Open starts a fresh service.
	Open func() Service
}

// Service is a running service at some level. It is for one goroutine.
type Service interface {
	// Run handles ops in bulk and puts their results into results, which must be
	// as long.
	Run(ops []lease.Operation, results []lease.Result)
	// Work gives what has been done so far, for what can be counted.
	Work() Work
	// Close ends the service.
	Close()
}

// Work is what a service has counted.
type Work struct {
	sequencer.Counts
	GraphSteps uint64 // edges of the wait-for graph visited; the model alone counts them
}

// Messages is how many messages the actors other than the sequencer were sent.
func (w Work) Messages() uint64 { return w.Lanes + w.Posts + w.Inquiries }

// All gives the levels, from the bottom up.
func All() []Level {
	return []Level{
		{Name: "plain", Open: func() Service { return plainService{plain.New()} }},
		{Name: "model", Open: func() Service { return modelService{model.New()} }},
		{Name: "inline", Open: func() Service { return OpenEngine(actors.Inline) }},
		{Name: "own", Open: func() Service { return OpenEngine(actors.OwnGoroutine) }},
	}
}

type plainService struct{ *plain.Service }

func (plainService) Work() Work { return Work{} }
func (plainService) Close()     {}

type modelService struct{ *model.Model }

func (m modelService) Work() Work { return Work{m.Counts(), m.GraphSteps()} }
func (modelService) Close()       {}

// Engine is the engine in an actor system of its own.
type Engine struct {
	*actors.Engine
	system *actor.ActorSystem
}

// OpenEngine starts an engine. It panics where that fails, since a benchmark has
// nothing better to do.
func OpenEngine(d actors.Dispatch) *Engine {
	system := actor.NewActorSystem(actor.WithLoggerFactory(silent))
	e, err := actors.Start(system, actors.WithDispatch(d))
	if err != nil {
		panic(fmt.Errorf("level: start the engine: %w", err))
	}
	return &Engine{e, system}
}

// silent keeps the actor system's own log out of the reports.
func silent(*actor.ActorSystem) *slog.Logger { return slog.New(slog.DiscardHandler) }

// Run hands the operations on in slices.
func (e *Engine) Run(ops []lease.Operation, results []lease.Result) {
	for first := 0; first < len(ops); first += Slice {
		end := min(first+Slice, len(ops))
		if err := e.Engine.Run(context.Background(), ops[first:end], results[first:end]); err != nil {
			panic(fmt.Errorf("level: run: %w", err))
		}
	}
}

// Work gives what the engine has counted.
func (e *Engine) Work() Work {
	counts, err := e.Counts(context.Background())
	if err != nil {
		panic(fmt.Errorf("level: counts: %w", err))
	}
	return Work{Counts: counts}
}

// Close stops the engine and its actor system.
func (e *Engine) Close() {
	if err := e.Stop(context.Background()); err != nil {
		panic(fmt.Errorf("level: stop the engine: %w", err))
	}
	e.system.Shutdown()
}

// Add adds what was counted between before and after.
func (w *Work) Add(after, before Work) {
	w.Operations += after.Operations - before.Operations
	w.Batches += after.Batches - before.Batches
	w.Lanes += after.Lanes - before.Lanes
	w.Posts += after.Posts - before.Posts
	w.Inquiries += after.Inquiries - before.Inquiries
	w.Victims += after.Victims - before.Victims
	w.GraphSteps += after.GraphSteps - before.GraphSteps
}
