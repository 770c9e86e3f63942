package mailbox

import (
	"github.com/asynkron/protoactor-go/actor"

	"github.com/leasekeeper/lkactor/actors/lease"
)

// Own serves an actor on a goroutine of its own: started when the actor is made,
// kept while it lives. A goroutine that stays has a stack that has already grown,
// and another actor's long message never delays it. What others than the actor's
// sequencer send is dropped.
type Own struct {
	invoker actor.MessageInvoker
	crew    *Crew
	inbox   chan letter
}

// letter is a message, whether it is one of Proto.Actor's own, and whether it is that by
// which the sequencer sends the actor away.
type letter struct {
	message   any
	system    bool
	dismissed bool
}

// ownInbox is room for all that one actor can be sent before it answers: that it
// has been made, a message of its sequencer's, and that it is to stop, by its
// sequencer or with it.
const ownInbox = 4

// NewOwn gives a mailbox with a goroutine of its own.
func NewOwn(crew *Crew) *Own { return &Own{crew: crew, inbox: make(chan letter, ownInbox)} }

// Serve sends the message to the actor's goroutine. The sequencer waits for the
// answer before it sends the next.
func (m *Own) Serve(message any) { m.inbox <- letter{message: message} }

// Dismiss stops the actor, and its goroutine with it. Nothing may be sent after.
func (m *Own) Dismiss() {
	m.crew.leaving.Add(1)
	m.inbox <- letter{message: &actor.Stop{}, system: true, dismissed: true}
}

// PostUserMessage drops the message: it is not from the sequencer.
func (m *Own) PostUserMessage(any) {}

// PostSystemMessage sends the message to the actor's goroutine if others may send
// it. An actor that is being dismissed need not be stopped once more.
func (m *Own) PostSystemMessage(message any) {
	if !m.crew.admits(message) {
		return
	}
	select {
	case m.inbox <- letter{message: message, system: true}:
	default:
	}
}

// serve is the actor's goroutine. It ends with the actor.
func (m *Own) serve() {
	for l := range m.inbox {
		if !l.system {
			if lane, ok := l.message.(*lease.Lane); ok && lane.Pass != nil {
				lane.Pass()
			}
			m.invoker.InvokeUserMessage(l.message)
			continue
		}
		m.invoker.InvokeSystemMessage(l.message)
		if l.dismissed {
			m.crew.leaving.Done()
		}
		if _, last := l.message.(*actor.Stop); last {
			return
		}
	}
}

// RegisterHandlers is called once by Proto.Actor when it makes the actor.
func (m *Own) RegisterHandlers(invoker actor.MessageInvoker, _ actor.Dispatcher) {
	m.invoker = invoker
}

// Start is called once by Proto.Actor when it makes the actor.
func (m *Own) Start() { go m.serve() }

// UserMessageCount is how many messages wait.
func (m *Own) UserMessageCount() int { return len(m.inbox) }
