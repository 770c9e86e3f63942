package actors

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/uuid"

	"github.com/leasekeeper/lkactor/actors/client"
	"github.com/leasekeeper/lkactor/actors/lease"
	"github.com/leasekeeper/lkactor/sequencer"
)

var _ client.Service = (*Engine)(nil)

// Submit hands over an operation without waiting for its answer; done is called
// once, on the engine's turn, and must neither block nor ask anything of the engine.
// An error, that of ctx, [ErrStopped] or one that matches [ErrFailed] or
// [ErrOverloaded], says that the operation was not taken and done will not be called.
// The caller's goroutine may serve the engine for a while.
//
// A done that panics ends the engine, as a failure of its own would ([ErrFailed]): what
// whoever waits for the answer has to do is not done. So does one that calls
// runtime.Goexit, as a test does that fails there; it ends the goroutine that serves the
// engine, too, which may be another caller's. One that is nil is refused.
//
// It is for package client; most callers want [Engine.Ask].
func (e *Engine) Submit(ctx context.Context, op lease.Operation, done func(client.Answer)) error {
	if done == nil {
		return errNobody("submit " + op.Kind.String())
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := e.enter(ctx, 1); err != nil {
		return err
	}
	c := new(call)
	c.op[0] = op
	c.Ops, c.Results, c.Stamps = c.op[:], c.result[:], c.stamp[:]
	c.Done = func(*sequencer.Call) {
		e.gate.leave(1)
		if c.Err != nil {
			done(client.Answer{Err: e.explain(c.Err)})
			return
		}
		done(client.Answer{Result: c.result[0], Stamp: c.stamp[0]})
	}
	e.queue.Submit(&c.Call)
	e.queue.Drive(true)
	return nil
}

// Watch is [Engine.Subscribe] for the one instance that uses a client's name; while
// it watches, another gets an error that matches client.ErrClientInUse. It is for
// package client.
func (e *Engine) Watch(ctx context.Context, name string, instance uuid.UUID, told func(lease.Event)) (func(), error) {
	if told == nil {
		return nil, errNobody(fmt.Sprintf("watch %q", name))
	}
	stop, err := e.Subscribe(ctx, name, instance.String(), teller(told))
	if errors.Is(err, ErrClientInUse) {
		return nil, client.ErrClientInUse
	}
	return stop, err
}

// errNobody refuses what somebody is to be told of, without saying whom.
func errNobody(what string) error { return fmt.Errorf("lkactor: %s: there is nobody to tell", what) }

// teller is a function as a subscriber.
type teller func(lease.Event)

// Tell calls it.
func (t teller) Tell(e lease.Event) { t(e) }
