package mailbox

import (
	"sync"

	"github.com/asynkron/protoactor-go/actor"
)

// Own serves an actor on a goroutine of its own: started with the first message,
// kept while the actor lives. A goroutine that stays has a stack that has already
// grown, and another actor's long message never delays it.
//
// Its queue is short. Whoever posts more than it holds waits, so its actor must
// have one sender, who waits for an answer before sending again; a lock actor's
// sequencer does.
type Own struct {
	invoker actor.MessageInvoker
	inbox   chan letter
	once    sync.Once     // starts the goroutine
	gone    chan struct{} // closed when the actor has stopped
}

// letter is a message, and whether it is one of Proto.Actor's own.
type letter struct {
	message any
	system  bool
}

// ownInbox is room for a message, and for what Proto.Actor may send meanwhile.
const ownInbox = 4

// NewOwn gives a mailbox with a goroutine of its own.
func NewOwn() *Own {
	return &Own{inbox: make(chan letter, ownInbox), gone: make(chan struct{})}
}

// PostUserMessage sends the message to the actor's goroutine. What comes after
// the actor has stopped is dropped.
func (m *Own) PostUserMessage(message any) { m.post(letter{message: message}) }

// PostSystemMessage does the same with a message of Proto.Actor's.
func (m *Own) PostSystemMessage(message any) { m.post(letter{message: message, system: true}) }

func (m *Own) post(l letter) {
	m.once.Do(func() { go m.serve() })
	select {
	case m.inbox <- l:
		return
	default:
	}
	select {
	case m.inbox <- l:
	case <-m.gone:
	}
}

// serve is the actor's goroutine. It ends with the actor.
func (m *Own) serve() {
	for l := range m.inbox {
		if !l.system {
			m.invoker.InvokeUserMessage(l.message)
			continue
		}
		m.invoker.InvokeSystemMessage(l.message)
		if _, last := l.message.(*actor.Stop); last {
			close(m.gone)
			return
		}
	}
}

// RegisterHandlers is called once by Proto.Actor when it makes the actor.
func (m *Own) RegisterHandlers(invoker actor.MessageInvoker, _ actor.Dispatcher) {
	m.invoker = invoker
}

// Start is called once by Proto.Actor when it makes the actor.
func (m *Own) Start() {}

// UserMessageCount is how many messages wait.
func (m *Own) UserMessageCount() int { return len(m.inbox) }
