package actors

import (
	"github.com/asynkron/protoactor-go/actor"

	"github.com/leasekeeper/lkactor/actors/internal/mailbox"
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

// cast gives the makers of the actors under the policy.
func (d Dispatch) cast() sequencer.Cast {
	inline := func(p actor.Producer) sequencer.Role {
		return sequencer.Role{Props: props(p, actor.WithMailbox(mailbox.NewInline)), Prompt: true}
	}
	own := func(p actor.Producer) sequencer.Role {
		return sequencer.Role{Props: props(p, actor.WithMailbox(mailbox.NewOwn))}
	}
	pooled := func(p actor.Producer) sequencer.Role {
		return sequencer.Role{Props: props(p)}
	}
	locks, others := own, inline
	switch d {
	case Inline:
		locks = inline
	case ProtoDefault:
		locks, others = pooled, pooled
	}
	return sequencer.Cast{
		Locks:   locks(lockactor.NewActor),
		Clients: others(clientactor.NewActor),
		Graph:   others(deadlock.NewActor),
	}
}

func props(p actor.Producer, options ...actor.PropsOption) *actor.Props {
	return actor.PropsFromProducer(p, options...)
}

// neverRestart is the supervision of a sequencer. Actors keep their panics to
// themselves and report them; should one get out all the same, the engine ends
// rather than go on with a new, empty one.
var neverRestart = actor.NewOneForOneStrategy(0, 0, func(any) actor.Directive { return actor.StopDirective })

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
