package command

import (
	"context"
	"io"
	"log/slog"

	"github.com/asynkron/protoactor-go/actor"

	"github.com/leasekeeper/lkactor/actors"
	"github.com/leasekeeper/lkactor/actors/lease"
)

// engine is the actor engine as a replay.Runner. An actor system takes
// milliseconds to make, so it is made when there is a first operation. The zero
// value is ready to use.
type engine struct {
	dialect lease.Dialect // of the log
	system  *actor.ActorSystem
	engine  *actors.Engine
}

// Run implements replay.Runner.
func (e *engine) Run(ctx context.Context, ops []lease.Operation, results []lease.Result) error {
	if e.engine == nil {
		if err := e.start(); err != nil {
			return err
		}
	}
	return e.engine.Run(ctx, ops, results)
}

// start starts an engine that works on the caller's turn. What Proto.Actor has
// to say is kept off the terminal: a failure of the engine comes back as an
// error.
func (e *engine) start() (err error) {
	quiet := slog.New(slog.NewTextHandler(io.Discard, nil))
	e.system = actor.NewActorSystem(actor.WithLoggerFactory(func(*actor.ActorSystem) *slog.Logger { return quiet }))
	e.engine, err = actors.Start(e.system, actors.WithDispatch(actors.Inline), actors.WithDialect(e.dialect))
	return err
}

// stop ends the engine if it was started. If ctx has ended it does not wait for what
// is in hand.
func (e *engine) stop(ctx context.Context) error {
	if e.system == nil {
		return nil
	}
	defer e.system.Shutdown()
	if e.engine == nil {
		return nil
	}
	if err := e.engine.Stop(ctx); ctx.Err() == nil {
		return err
	}
	return nil
}
