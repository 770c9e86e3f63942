package actors

import (
	"github.com/asynkron/protoactor-go/actor"

	"github.com/leasekeeper/lkactor/actors/internal/mailbox"
	"github.com/leasekeeper/lkactor/actors/lease"
	"github.com/leasekeeper/lkactor/clientactor"
	"github.com/leasekeeper/lkactor/deadlock"
	"github.com/leasekeeper/lkactor/lockactor"
	"github.com/leasekeeper/lkactor/sequencer"
)

// Dispatch says whose goroutine serves a lock. One goroutine at a time serves it
// in any case, and all policies give the same results.
type Dispatch uint8

const (
	// OwnGoroutine gives each lock in use a goroutine of its own, so that work
	// on one never delays another. Clients and the deadlock graph, whose work is
	// a few words each, are served on the sequencer's turn. For an embedded
	// engine.
	OwnGoroutine Dispatch = iota
	// Inline serves everything on the sequencer's turn: the fastest where cores
	// are few, and the same schedule every time. For replay and bulk runs.
	Inline
	// ProtoDefault leaves it to Proto.Actor, which starts a goroutine for each
	// burst of messages. Slow, and of use to tests, since everything may happen
	// at once.
	ProtoDefault
)

// cast gives the makers of a crew's actors under the policy. A test may change the
// props of each part.
func (d Dispatch) cast(crew *mailbox.Crew, change func(part string, p *actor.Props)) sequencer.Cast {
	props := func(part string, producer actor.Producer) *actor.Props {
		p := actor.PropsFromProducer(producer)
		if change != nil {
			change(part, p)
		}
		return p
	}
	locks := props("lock", lockactor.NewActor)
	clients := props("client", clientactor.NewActor)
	graph := props("deadlock", deadlock.NewActor)
	if d == ProtoDefault {
		return sequencer.Cast{
			Locks: pooled[lease.Lane](locks, crew), Clients: pooled[lease.Post](clients, crew), Graph: pooled[lease.Inquiry](graph, crew),
		}
	}
	c := sequencer.Cast{
		Locks: own[lease.Lane](locks, crew), Clients: inline[lease.Post](clients, crew), Graph: inline[lease.Inquiry](graph, crew),
	}
	if d == Inline {
		c.Locks = inline[lease.Lane](locks, crew)
	}
	return c
}

// neverRestart is the supervision of a sequencer. Actors keep their panics to
// themselves and report them; should one get out all the same, the engine ends
// rather than go on with a new, empty one.
var neverRestart = actor.NewOneForOneStrategy(0, 0, func(any) actor.Directive { return actor.StopDirective })

// keep is how many actors the policy keeps if nothing else is said.
func (d Dispatch) keep() sequencer.Keep {
	if d == Inline {
		return sequencer.Keep{Locks: InlineKeep, Clients: InlineKeep}
	}
	return sequencer.DefaultKeep
}

// String names the policy.
func (d Dispatch) String() string {
	switch d {
	case OwnGoroutine:
		return "own goroutine"
	case Inline:
		return "inline"
	default:
		return "proto default"
	}
}
