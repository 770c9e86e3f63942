package lockactor

import (
	"github.com/asynkron/protoactor-go/actor"

	"github.com/leasekeeper/lkactor/actors/lease"
)

// Actor puts a [Lock] behind a mailbox. It takes *lease.Lane messages from the
// sequencer and from nobody else.
type Actor struct {
	lock   Lock // not open while it has none
	failed error
}

// NewActor is the producer of lock actors. The actor learns which lock it is from
// its first lane, or the first after one in which its lock has left.
func NewActor() actor.Actor { return &Actor{} }

// Receive runs one lane.
func (a *Actor) Receive(ctx actor.Context) {
	if lane, ok := ctx.Message().(*lease.Lane); ok {
		a.run(lane)
	}
}

// run has the lock take the lane. Should it panic, the actor keeps the panic to
// itself and refuses everything after: Proto.Actor would go on with a new, empty
// lock, which would issue its tokens again.
//
// An actor whose lock has left has room for another one.
func (a *Actor) run(lane *lease.Lane) {
	defer func() {
		if cause := recover(); cause != nil {
			a.failed = lease.Fault("lock", lane.Lock.Name, lane.Current, cause)
		}
		lane.Failure = a.failed
		if lane.Done != nil {
			lane.Done()
		}
	}()
	if a.failed != nil {
		return
	}
	if a.lock.id == nil {
		a.lock.open(lane.Lock, *lane.Rest, lane.Claims)
		lane.Claims = nil
	}
	a.lock.Run(lane)
	if lane.Leave {
		a.lock = Lock{}
	}
}
