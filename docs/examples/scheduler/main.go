// Command scheduler is a small batch scheduler made of actors, with an lkactor
// engine inside: a scheduler actor hands out jobs, worker actors do them under
// leases, and every event is printed as it happens.
//
// Two jobs take the same two locks in opposite orders and run into each other: one
// is aborted and comes back. A third one stalls past the end of its lease; the job
// is given to another worker, which takes over, and when the first one wakes up the
// store refuses what it writes.
//
//	go run ./docs/examples/scheduler
package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"

	"github.com/asynkron/protoactor-go/actor"

	"github.com/leasekeeper/lkactor/actors"
	"github.com/leasekeeper/lkactor/lockactor/fence"
)

func main() {
	if err := run(context.Background(), os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// run plays the plan from beginning to end.
func run(ctx context.Context, out io.Writer) error {
	system := actor.NewActorSystem(actor.WithLoggerFactory(func(*actor.ActorSystem) *slog.Logger {
		return slog.New(slog.NewTextHandler(io.Discard, nil))
	}))
	defer system.Shutdown()
	engine, err := actors.Start(system, actors.WithClock(actors.SystemClock()))
	if err != nil {
		return err
	}
	store := new(fence.Memory)
	done := make(chan struct{})
	system.Root.Spawn(actor.PropsFromProducer(func() actor.Actor {
		return &scheduler{engine: engine, store: store, out: out, plan: plan, done: done}
	}))
	select {
	case <-done:
	case <-ctx.Done():
		return ctx.Err()
	}
	if err := show(ctx, store, out); err != nil {
		return err
	}
	return engine.Stop(ctx)
}

// show prints what the jobs have left in the store.
func show(ctx context.Context, store fence.Store, out io.Writer) error {
	fmt.Fprintln(out, "the store:")
	for _, scope := range []string{"catalog", "exports/daily", "warehouse"} {
		for part := 1; part <= 3; part++ {
			value, ok, err := store.Read(ctx, scope, key(part))
			if err != nil {
				return err
			}
			if ok {
				fmt.Fprintf(out, "  %s, %s: %s\n", scope, key(part), value)
			}
		}
	}
	return nil
}
