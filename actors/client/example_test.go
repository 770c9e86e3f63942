package client_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"github.com/leasekeeper/lkactor/actors"
	"github.com/leasekeeper/lkactor/actors/client"
	"github.com/leasekeeper/lkactor/lockactor/fence"
)

// engine starts a lock service for an example, and gives what ends it.
func engine() (*actors.Engine, func()) {
	system := actor.NewActorSystem(actor.WithLoggerFactory(func(*actor.ActorSystem) *slog.Logger {
		return slog.New(slog.NewTextHandler(io.Discard, nil))
	}))
	e, err := actors.Start(system, actors.WithClock(actors.SystemClock()))
	if err != nil {
		panic(err)
	}
	return e, func() {
		if err := e.Stop(context.Background()); err != nil {
			fmt.Println(err)
		}
		system.Shutdown()
	}
}

// A job works under a lease that is kept alive, and its writes carry the token.
func Example() {
	ctx := context.Background()
	system := actor.NewActorSystem(actor.WithLoggerFactory(func(*actor.ActorSystem) *slog.Logger {
		return slog.New(slog.NewTextHandler(io.Discard, nil))
	}))
	defer system.Shutdown()
	engine, err := actors.Start(system, actors.WithClock(actors.SystemClock()))
	if err != nil {
		fmt.Println(err)
		return
	}
	var store fence.Memory // stands for the data that the lock protects

	job, err := client.Open(ctx, engine, "etl-a")
	if err != nil {
		fmt.Println(err)
		return
	}
	l, err := job.Acquire(ctx, "exports/daily", client.Terms{TTL: 30 * time.Second, KeepAlive: true})
	if err != nil {
		fmt.Println(err)
		return
	}
	// The context ends before the lease does; the token makes sure of the rest.
	if err := store.Write(l.Context(), l.Lock(), "part-1", "rows 1-100", l.Token()); err != nil {
		fmt.Println(err)
	}
	fmt.Println(l.Lock(), "written with token", l.Token())
	if err := l.Release(ctx); err != nil {
		fmt.Println("what was written last may have come too late:", err)
	}

	if err := errors.Join(job.Close(ctx), engine.Stop(ctx)); err != nil {
		fmt.Println(err)
	}
	// Output:
	// exports/daily written with token 1
}

// Who will not wait, or not for long, says so.
func ExampleClient_TryAcquire() {
	engine, stop := engine()
	defer stop()
	ctx := context.Background()
	a, _ := client.Open(ctx, engine, "a")
	b, _ := client.Open(ctx, engine, "b")
	if _, err := a.Acquire(ctx, "L", client.Terms{TTL: time.Minute}); err != nil {
		fmt.Println(err)
	}
	_, err := b.TryAcquire(ctx, "L", client.Terms{TTL: time.Minute})
	fmt.Println(err)
	_, err = b.Acquire(ctx, "L", client.Terms{TTL: time.Minute, Wait: time.Millisecond})
	fmt.Println(errors.Is(err, client.ErrWaitLimit))
	// Output:
	// lkactor: acquire "L" by client "b": lock is taken
	// true
}

// All locks or none, in ascending order of their names: so nobody runs into a
// deadlock.
func ExampleClient_AcquireAll() {
	engine, stop := engine()
	defer stop()
	ctx := context.Background()
	c, _ := client.Open(ctx, engine, "reindex")
	set, err := c.AcquireAll(ctx, client.Terms{TTL: time.Minute, KeepAlive: true}, "warehouse", "catalog")
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, l := range set.Leases() {
		fmt.Println(l.Lock(), l.Token())
	}
	if err := set.Release(ctx); err != nil {
		fmt.Println(err)
	}
	// Output:
	// catalog 1
	// warehouse 1
}

// Who learns only on the way which locks it needs may end up in a deadlock. The work
// is then done again, and from the second time on with all its locks taken in order.
func ExampleClient_Transact() {
	engine, stop := engine()
	defer stop()
	ctx := context.Background()
	c, _ := client.Open(ctx, engine, "rollup")
	err := c.Transact(ctx, client.Terms{TTL: time.Minute}, client.Retry{InOrder: true}, func(tx *client.Transaction) error {
		source, err := tx.Acquire("warehouse")
		if err != nil {
			return err
		}
		target, err := tx.Acquire("catalog")
		if err != nil {
			return err
		}
		fmt.Println(source.Token(), target.Token(), tx.Context().Err())
		return nil
	})
	fmt.Println(err)
	// Output:
	// 1 1 <nil>
	// <nil>
}
