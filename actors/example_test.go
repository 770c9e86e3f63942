package actors_test

import (
	"context"
	"fmt"
	"io"
	"log/slog"

	"github.com/asynkron/protoactor-go/actor"

	"github.com/leasekeeper/lkactor/actors"
	"github.com/leasekeeper/lkactor/actors/lease"
)

// A job takes over a lock whose lease has run out; the store then refuses the
// write of the job that was late.
func Example() {
	ctx := context.Background()
	system := actor.NewActorSystem(actor.WithLoggerFactory(func(*actor.ActorSystem) *slog.Logger {
		return slog.New(slog.NewTextHandler(io.Discard, nil))
	}))
	defer system.Shutdown()
	engine, err := actors.Start(system)
	if err != nil {
		fmt.Println(err)
		return
	}

	for _, op := range []lease.Operation{
		{Kind: lease.Acquire, At: 0, Client: "etl-a", Lock: "exports/daily", TTL: 30},
		{Kind: lease.Acquire, At: 5, Client: "etl-b", Lock: "exports/daily", TTL: 20},
		{Kind: lease.Write, At: 31, Lock: "exports/daily", Key: "part-1", Value: "by b", Token: 2},
		{Kind: lease.Write, At: 32, Lock: "exports/daily", Key: "part-1", Value: "by a", Token: 1},
	} {
		result, err := engine.Do(ctx, op)
		if err != nil {
			fmt.Println(err)
			return
		}
		switch result.Outcome {
		case lease.Granted:
			fmt.Println(op.Client, "has token", result.Token, "until", result.Until)
		case lease.Queued:
			fmt.Println(op.Client, "waits at place", result.Position)
		case lease.Written:
			fmt.Println("written:", op.Value)
		case lease.Failed:
			fmt.Println("refused:", result.Code)
		}
	}
	if err := engine.Stop(ctx); err != nil {
		fmt.Println(err)
	}
	// Output:
	// etl-a has token 1 until 30
	// etl-b waits at place 1
	// written: by b
	// refused: stale token
}
