package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"github.com/leasekeeper/lkactor/actors"
	"github.com/leasekeeper/lkactor/actors/client"
	"github.com/leasekeeper/lkactor/lockactor/fence"
)

// worker does one job at a time, as a client of the lock service that has its name.
// What takes time is done on a goroutine beside the actor, which goes on to take
// messages.
type worker struct {
	name   string
	engine *actors.Engine
	store  fence.Store
	client *client.Client
	tell   func(format string, args ...any)
}

// Receive handles one message.
func (w *worker) Receive(ctx actor.Context) {
	switch m := ctx.Message().(type) {
	case *actor.Started:
		root, boss := ctx.ActorSystem().Root, ctx.Parent()
		w.tell = func(format string, args ...any) {
			root.Send(boss, &happened{w.name + ": " + fmt.Sprintf(format, args...)})
		}
		var err error
		if w.client, err = client.Open(context.Background(), w.engine, w.name); err != nil {
			w.tell("%v", err)
			ctx.Stop(ctx.Self())
			return
		}
		ctx.Send(boss, &idle{worker: ctx.Self()})
	case *job:
		root, boss, self := ctx.ActorSystem().Root, ctx.Parent(), ctx.Self()
		go func() {
			w.do(m)
			root.Send(boss, &idle{worker: self, done: m})
		}()
	case *actor.Stopping:
		if w.client != nil {
			_ = w.client.Close(context.Background()) // it has no job, so it holds nothing
		}
	}
}

// do does a job and tells how it has ended.
func (w *worker) do(j *job) {
	work := w.several
	if len(j.locks) == 1 {
		work = w.single
	}
	var stale *fence.StaleError
	switch err := work(j); {
	case err == nil:
		w.tell("%s is done", j.name)
	case errors.As(err, &stale):
		w.tell("%s is refused by the store: token %d, and %d has written since", j.name, stale.Refused, stale.Accepted)
	default:
		w.tell("%s failed: %v", j.name, err)
	}
}

// several does a job that takes its locks as it goes. If that ends in a deadlock it
// begins again, and then with all of them in order.
func (w *worker) several(j *job) error {
	attempt := 0
	retry := client.Retry{Attempts: 10, InOrder: true}
	return w.client.Transact(context.Background(), client.Terms{TTL: ttl}, retry, func(tx *client.Transaction) error {
		if attempt++; attempt > 1 {
			w.tell("%s tries again", j.name)
		}
		var leases []*client.Lease
		for _, lock := range j.locks {
			l, err := tx.Acquire(lock)
			if errors.Is(err, client.ErrDeadlock) {
				w.explain(j, err)
			}
			if err != nil {
				return err
			}
			w.tell("%s has %s with token %d", j.name, lock, l.Token())
			leases = append(leases, l)
			time.Sleep(step)
		}
		for part := 1; part <= j.parts; part++ {
			for _, l := range leases {
				if err := w.store.Write(tx.Context(), l.Lock(), key(part), j.name, l.Token()); err != nil {
					return err
				}
			}
			time.Sleep(step)
		}
		return nil
	})
}

// explain tells how a job came to be aborted.
func (w *worker) explain(j *job, err error) {
	w.tell("%s is aborted", j.name)
	var d *client.DeadlockError
	if !errors.As(err, &d) || d.Why == nil {
		return
	}
	for _, wait := range d.Why.Cycle {
		w.tell("  %s waits for %s of %s, of age %d", wait.Waiter, wait.Lock, wait.Blocker, wait.Age)
	}
}

// single does a job under one lock. It renews its lease as it gets on and not
// by KeepAlive, which would only say that the process is alive.
func (w *worker) single(j *job) error {
	ctx := context.Background()
	l, err := w.client.Acquire(ctx, j.locks[0], client.Terms{TTL: ttl})
	if err != nil {
		return err
	}
	w.tell("%s has %s with token %d", j.name, l.Lock(), l.Token())
	defer func() {
		if err := l.Release(ctx); errors.Is(err, client.ErrLost) {
			w.tell("%s had lost %s", j.name, l.Lock())
		}
	}()
	for part := 1; part <= j.parts; part++ {
		if part == j.stall {
			w.tell("%s stalls", j.name)
			time.Sleep(stalled) // no look at l.Context() helps who is not running
			w.tell("%s goes on", j.name)
		} else if err := l.Renew(ctx, ttl); err != nil {
			return err
		}
		if err := w.store.Write(ctx, l.Lock(), key(part), j.name, l.Token()); err != nil {
			return err
		}
		time.Sleep(step)
	}
	return nil
}
