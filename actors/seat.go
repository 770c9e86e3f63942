package actors

import (
	"github.com/asynkron/protoactor-go/actor"

	"github.com/leasekeeper/lkactor/actors/internal/mailbox"
	"github.com/leasekeeper/lkactor/sequencer"
)

// A seat of an actor is its mailbox. The sequencer posts there and not by PID:
// the way from a PID to its mailbox touches more memory than a lane does.

type inlineSeat[M any] struct{ *mailbox.Inline }

func (s inlineSeat[M]) Run(message *M) { s.Serve(message) }

type ownSeat[M any] struct{ *mailbox.Own }

func (s ownSeat[M]) Run(message *M) { s.Serve(message) }

type guardedSeat[M any] struct{ *mailbox.Guarded }

func (s guardedSeat[M]) Run(message *M) { s.Serve(message) }

// role is that of actors whose mailboxes are made by box; seat makes a mailbox the
// seat of its actor.
func role[M any, B actor.Mailbox](p *actor.Props, box func() B, seat func(B) sequencer.Seat[M]) sequencer.Role[M] {
	var made B // by the last spawn, which ends before it returns
	p.Configure(actor.WithMailbox(func() actor.Mailbox {
		made = box()
		return made
	}))
	return sequencer.Role[M]{Spawn: func(ctx actor.Context) sequencer.Seat[M] {
		ctx.Spawn(p)
		return seat(made)
	}}
}

// inline is the role of actors that are served on the sequencer's turn.
func inline[M any](p *actor.Props, crew *mailbox.Crew) sequencer.Role[M] {
	r := role(p, func() *mailbox.Inline { return mailbox.NewInline(crew) },
		func(m *mailbox.Inline) sequencer.Seat[M] { return inlineSeat[M]{m} })
	r.Prompt = true
	return r
}

// own is the role of actors that have a goroutine each.
func own[M any](p *actor.Props, crew *mailbox.Crew) sequencer.Role[M] {
	r := role(p, func() *mailbox.Own { return mailbox.NewOwn(crew) },
		func(m *mailbox.Own) sequencer.Seat[M] { return ownSeat[M]{m} })
	r.Passes = true
	return r
}

// pooled is the role of actors that Proto.Actor serves as it does by default.
func pooled[M any](p *actor.Props, crew *mailbox.Crew) sequencer.Role[M] {
	return role(p, func() *mailbox.Guarded { return mailbox.NewGuarded(crew) },
		func(m *mailbox.Guarded) sequencer.Seat[M] { return guardedSeat[M]{m} })
}
