package durable_test

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"

	"github.com/asynkron/protoactor-go/actor"

	"github.com/leasekeeper/lkactor/actors"
	"github.com/leasekeeper/lkactor/actors/durable"
	"github.com/leasekeeper/lkactor/actors/lease"
)

// The second run of a program finds what the first one left: a lock that is held, under
// its token.
func Example() {
	dir, err := os.MkdirTemp("", "locks-")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	for range 2 {
		if err := program(dir); err != nil {
			panic(err)
		}
	}
	// Output:
	// acquire: outcome granted, token 1
	// acquire: client busy
}

// program is one run of it.
func program(dir string) error {
	quiet := slog.New(slog.NewTextHandler(io.Discard, nil))
	system := actor.NewActorSystem(actor.WithLoggerFactory(func(*actor.ActorSystem) *slog.Logger { return quiet }))
	defer system.Shutdown()
	store, err := durable.Open(dir, durable.Options{})
	if err != nil {
		return err
	}
	engine, err := actors.Start(system, actors.WithJournal(store))
	if err != nil {
		return err
	}
	ctx := context.Background()
	result, err := engine.Do(ctx, lease.Operation{Kind: lease.Acquire, Client: "etl-a", Lock: "exports/daily", TTL: 3600e9})
	if err != nil {
		return err // it may have happened: the journal failed
	}
	if result.Outcome == lease.Granted {
		fmt.Printf("acquire: outcome granted, token %d\n", result.Token)
	} else {
		fmt.Printf("acquire: %v\n", result.Code)
	}
	if err := engine.Stop(ctx); err != nil {
		return err
	}
	return store.Close()
}
