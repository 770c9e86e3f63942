package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"

	"github.com/asynkron/protoactor-go/actor"

	"github.com/leasekeeper/lkactor/actors"
	"github.com/leasekeeper/lkactor/actors/durable"
	"github.com/leasekeeper/lkactor/actors/lease"
)

// service is a durable engine in an actor system of its own.
type service struct {
	store  *durable.Store
	engine *actors.Engine
	system *actor.ActorSystem
}

func open(dir string, o durable.Options, more ...actors.Option) (*service, error) {
	store, err := durable.Open(dir, o)
	if err != nil {
		return nil, err
	}
	system := actor.NewActorSystem(actor.WithLoggerFactory(func(*actor.ActorSystem) *slog.Logger { return slog.New(slog.DiscardHandler) }))
	engine, err := actors.Start(system, append(more, actors.WithJournal(store))...)
	if err != nil {
		return nil, errors.Join(err, store.Close())
	}
	return &service{store, engine, system}, nil
}

func (s *service) close() error {
	err := errors.Join(s.engine.Stop(context.Background()), s.store.Close())
	s.system.Shutdown()
	return err
}

// hour is longer than anything here takes.
const hour = lease.Duration(3600e9)

func acquire(client, lock string) lease.Operation {
	return lease.Operation{Kind: lease.Acquire, Client: client, Lock: lock, TTL: hour}
}

func release(client, lock string) lease.Operation {
	return lease.Operation{Kind: lease.Release, Client: client, Lock: lock}
}

// do does one operation; that it is refused is no error.
func (s *service) do(op lease.Operation) (lease.Result, error) {
	return s.engine.Do(context.Background(), op)
}

// bulk does operations many at a time.
func (s *service) bulk(n int, op func(i int) lease.Operation) error {
	const slice = 4096
	ops, results := make([]lease.Operation, 0, slice), make([]lease.Result, slice)
	for i := 0; i < n; i++ {
		if ops = append(ops, op(i)); len(ops) < slice && i < n-1 {
			continue
		}
		if err := s.engine.Run(context.Background(), ops, results[:len(ops)]); err != nil {
			return fmt.Errorf("operation %d: %w", i, err)
		}
		ops = ops[:0]
	}
	return nil
}
