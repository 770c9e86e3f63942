package deadlock

import (
	"github.com/asynkron/protoactor-go/actor"

	"github.com/leasekeeper/lkactor/actors/lease"
)

// Actor puts the [Graph] of one engine behind a mailbox. It takes *lease.Inquiry
// messages from the sequencer and from nobody else.
type Actor struct {
	graph  *Graph
	failed error
}

// NewActor is the producer of the deadlock actor.
func NewActor() actor.Actor { return &Actor{graph: New()} }

// Receive answers one inquiry.
func (a *Actor) Receive(ctx actor.Context) {
	if in, ok := ctx.Message().(*lease.Inquiry); ok {
		a.run(in)
	}
}

// run has the graph answer; a panic ends the actor's work for good.
func (a *Actor) run(in *lease.Inquiry) {
	defer func() {
		if cause := recover(); cause != nil {
			a.failed = lease.Fault("deadlock", "", nil, cause)
		}
		in.Failure = a.failed
		if in.Done != nil {
			in.Done()
		}
	}()
	if a.failed != nil {
		return
	}
	a.graph.Answer(in)
}
