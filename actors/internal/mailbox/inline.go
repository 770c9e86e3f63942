package mailbox

import "github.com/asynkron/protoactor-go/actor"

// Inline serves an actor on the goroutine of whoever sends to it, before the
// send returns. It has no lock and no queue, so its actor must have one sender
// only, who sends from one goroutine at a time, and must never send to itself.
// Lock, client and deadlock actors are such: only the sequencer's turn posts to
// them or makes them.
type Inline struct{ invoker actor.MessageInvoker }

// NewInline gives a mailbox without a queue.
func NewInline() *Inline { return &Inline{} }

// PostUserMessage has the actor take the message now.
func (m *Inline) PostUserMessage(message any) { m.invoker.InvokeUserMessage(message) }

// PostSystemMessage has the actor take the message now.
func (m *Inline) PostSystemMessage(message any) { m.invoker.InvokeSystemMessage(message) }

// RegisterHandlers is called once by Proto.Actor when it makes the actor.
func (m *Inline) RegisterHandlers(invoker actor.MessageInvoker, _ actor.Dispatcher) {
	m.invoker = invoker
}

// Start is called once by Proto.Actor when it makes the actor.
func (m *Inline) Start() {}

// UserMessageCount is always zero: nothing is kept.
func (m *Inline) UserMessageCount() int { return 0 }
