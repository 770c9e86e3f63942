package actors

import (
	"context"
	"fmt"

	"github.com/leasekeeper/lkactor/actors/lease"
	"github.com/leasekeeper/lkactor/sequencer"
)

// ErrNoClock is the error of whoever subscribes to events of an engine without a
// clock.
var ErrNoClock = sequencer.ErrNoClock

// Subscribe has to told of what becomes of a client, on the engine's own turn:
// first how it stands (lease.EventCurrent), as of no operation that is submitted
// after Subscribe has returned; then all that happens to its leases and requests
// and is not the answer to an acquire or renew; last that there will be no more
// (lease.EventEnded), if the engine ends first. Only an engine with a clock has
// events ([ErrNoClock]).
//
// instance, unless empty, is who acts for the client: while it subscribes no other
// instance can, nor can actors send requests in the client's name that do not carry
// it; the error matches [ErrClientInUse]. Instances are in no journal: after a restart the
// first that subscribes has the name.
//
// A subscriber that panics ends the engine ([ErrFailed]): it may have missed what others
// count on; all others are told of the end.
//
// cancel ends the subscription and does not wait; what is on its way may still be
// told. If ctx ends first the subscription is not made.
func (e *Engine) Subscribe(ctx context.Context, client, instance string, to sequencer.Subscriber) (cancel func(), err error) {
	if to == nil {
		return nil, errNobody(fmt.Sprintf("subscribe to %q", client))
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if !e.gate.visit() {
		return nil, e.refusal()
	}
	defer e.gate.part()
	answer := make(chan error, 1)
	s := &sequencer.Subscription{Client: client, Instance: instance, To: listener{e, to}, Done: func(err error) { answer <- err }}
	cancel = func() { e.remind(&sequencer.Unsubscribe{Subscription: s}) }
	e.system.Root.Send(e.pid, s)
	select {
	case err = <-answer:
	case <-e.stopped:
		err = ErrStopped
	case <-ctx.Done():
		err = ctx.Err()
		cancel()
	}
	if err != nil {
		return nil, e.explain(err)
	}
	return cancel, nil
}

// listener has errors told as the engine's own.
type listener struct {
	engine *Engine
	to     sequencer.Subscriber
}

func (l listener) Tell(e lease.Event) {
	if e.Err != nil {
		e.Err = l.engine.explain(e.Err)
	}
	l.to.Tell(e)
}
