package actors_test

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"time"

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

// backup is a job that is an actor: it asks for a lock and goes on when it is told
// that it has it.
type backup struct {
	engine *actor.PID
	name   string
	told   chan<- string
}

func (b *backup) Receive(ctx actor.Context) {
	switch m := ctx.Message().(type) {
	case *actor.Started:
		ctx.Request(b.engine, &actors.Attach{Client: b.name, AtEnd: actors.ReleaseAll})
		ctx.Request(b.engine, &actors.Request{Op: lease.Operation{
			Kind: lease.Acquire, Client: b.name, Lock: "tape", TTL: lease.Duration(time.Hour),
		}})
	case *actors.Reply:
		if m.Result.Outcome == lease.Queued {
			b.told <- fmt.Sprintf("%s waits at place %d", b.name, m.Result.Position)
		} else {
			b.told <- fmt.Sprintf("%s has token %d", b.name, m.Result.Token)
		}
	case *actors.Notice:
		for _, e := range m.Events {
			if e.Kind == lease.EventGranted {
				b.told <- fmt.Sprintf("%s is told of token %d", b.name, e.Token)
			}
		}
		ctx.Respond(m.Confirm())
	}
}

// Jobs that are actors wait without blocking anybody. When one of them terminates, its
// lock goes to the next.
func Example_actors() {
	system := actor.NewActorSystem(actor.WithLoggerFactory(func(*actor.ActorSystem) *slog.Logger {
		return slog.New(slog.DiscardHandler)
	}))
	defer system.Shutdown()
	engine, err := actors.Start(system, actors.WithClock(actors.SystemClock()))
	if err != nil {
		fmt.Println(err)
		return
	}
	told := make(chan string)
	job := func(name string) *actor.PID {
		return system.Root.Spawn(actor.PropsFromProducer(func() actor.Actor {
			return &backup{engine: engine.PID(), name: name, told: told}
		}))
	}
	first := job("daily")
	fmt.Println(<-told)
	job("weekly")
	fmt.Println(<-told)
	system.Root.Stop(first)
	fmt.Println(<-told)
	if err := engine.Stop(context.Background()); err != nil {
		fmt.Println(err)
	}
	// Output:
	// daily has token 1
	// weekly waits at place 1
	// weekly is told of token 2
}
