package clientactor

import (
	"github.com/asynkron/protoactor-go/actor"

	"github.com/leasekeeper/lkactor/actors/lease"
)

// Actor puts a [Session] behind a mailbox. It takes *lease.Post messages from
// the sequencer and from nobody else.
type Actor struct {
	session Session // not open while it has none
	failed  error
}

// NewActor is the producer of client actors. The actor learns which client it is
// from its first post, or the first after one with which its client has left.
func NewActor() actor.Actor { return &Actor{} }

// Receive takes one post.
func (a *Actor) Receive(ctx actor.Context) {
	if post, ok := ctx.Message().(*lease.Post); ok {
		a.run(post)
	}
}

// run has the session take the post; a panic ends the actor's work for good.
func (a *Actor) run(post *lease.Post) {
	defer func() {
		if cause := recover(); cause != nil {
			a.failed = lease.Fault("client", post.Client.Name, nil, cause)
		}
		post.Failure = a.failed
		if post.Done != nil {
			post.Done()
		}
	}()
	if a.failed != nil {
		return
	}
	if a.session.id == nil {
		a.session.open(post.Client, post.Rest)
	}
	a.session.Run(post)
	if post.Leave {
		a.session = Session{}
	}
}
