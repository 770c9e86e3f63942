package actors

import (
	"github.com/asynkron/protoactor-go/actor"

	"github.com/leasekeeper/lkactor/actors/lease"
	"github.com/leasekeeper/lkactor/sequencer"
)

// WithDeadlocks has told be told of every victim and its cycles, as sequencer.Settings
// says.
func WithDeadlocks(told func(*lease.Deadlock)) Option {
	return func(c *config) { c.order.Deadlock = told }
}

// WithOrder has an engine go on from a frozen order.
func WithOrder(o *sequencer.Sequencer) Option { return func(c *config) { c.from = o } }

// WithRecast lets a test change how the actors of a part are made: "lock",
// "client" or "deadlock".
func WithRecast(change func(part string, p *actor.Props)) Option {
	return func(c *config) { c.recast = change }
}
