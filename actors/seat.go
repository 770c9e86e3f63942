package actors

import (
	"github.com/asynkron/protoactor-go/actor"

	"github.com/leasekeeper/lkactor/actors/internal/mailbox"
	"github.com/leasekeeper/lkactor/sequencer"
)

// A seat of an actor is its mailbox. The sequencer posts there and not by PID:
// the way from a PID to its mailbox touches more memory than a lane does.

type inlineSeat[M any] struct{ *mailbox.Inline }

func (s inlineSeat[M]) Run(message *M) { s.PostUserMessage(message) }

type ownSeat[M any] struct{ *mailbox.Own }

func (s ownSeat[M]) Run(message *M) { s.PostUserMessage(message) }

// pidSeat is the seat of an actor whose mailbox is Proto.Actor's.
type pidSeat[M any] struct {
	root *actor.RootContext
	pid  *actor.PID
}

func (s *pidSeat[M]) Run(message *M) { s.root.Send(s.pid, message) }

// inline is the role of actors that are served on the sequencer's turn.
func inline[M any](p *actor.Props) sequencer.Role[M] {
	var made *mailbox.Inline // by the last spawn, which ends before it returns
	p.Configure(actor.WithMailbox(func() actor.Mailbox {
		made = mailbox.NewInline()
		return made
	}))
	return sequencer.Role[M]{Prompt: true, Spawn: func(ctx actor.Context) sequencer.Seat[M] {
		ctx.Spawn(p)
		return inlineSeat[M]{made}
	}}
}

// own is the role of actors that have a goroutine each.
func own[M any](p *actor.Props) sequencer.Role[M] {
	var made *mailbox.Own
	p.Configure(actor.WithMailbox(func() actor.Mailbox {
		made = mailbox.NewOwn()
		return made
	}))
	return sequencer.Role[M]{Spawn: func(ctx actor.Context) sequencer.Seat[M] {
		ctx.Spawn(p)
		return ownSeat[M]{made}
	}}
}

// pooled is the role of actors that Proto.Actor serves as it does by default.
func pooled[M any](p *actor.Props) sequencer.Role[M] {
	return sequencer.Role[M]{Spawn: func(ctx actor.Context) sequencer.Seat[M] {
		return &pidSeat[M]{root: ctx.ActorSystem().Root, pid: ctx.Spawn(p)}
	}}
}
