package mailbox

import "github.com/asynkron/protoactor-go/actor"

// Inline serves an actor on the goroutine of its sequencer, before Serve returns.
// It has no lock and no queue; what others send is dropped.
type Inline struct {
	invoker actor.MessageInvoker
	crew    *Crew
}

// NewInline gives a mailbox without a queue.
func NewInline(crew *Crew) *Inline { return &Inline{crew: crew} }

// Serve has the actor take the message now, on the sequencer's turn.
func (m *Inline) Serve(message any) { m.invoker.InvokeUserMessage(message) }

// Dismiss stops the actor, on the sequencer's turn.
func (m *Inline) Dismiss() { m.invoker.InvokeSystemMessage(&actor.Stop{}) }

// PostUserMessage drops the message: it is not from the sequencer.
func (m *Inline) PostUserMessage(any) {}

// PostSystemMessage has the actor take the message if it is one that comes on the
// sequencer's turn.
func (m *Inline) PostSystemMessage(message any) {
	if m.crew.admits(message) {
		m.invoker.InvokeSystemMessage(message)
	}
}

// RegisterHandlers is called once by Proto.Actor when it makes the actor.
func (m *Inline) RegisterHandlers(invoker actor.MessageInvoker, _ actor.Dispatcher) {
	m.invoker = invoker
}

// Start is called once by Proto.Actor when it makes the actor.
func (m *Inline) Start() {}

// UserMessageCount is always zero: nothing is kept.
func (m *Inline) UserMessageCount() int { return 0 }
