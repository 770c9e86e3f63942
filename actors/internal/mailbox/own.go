package mailbox

import (
	"sync/atomic"

	"github.com/asynkron/protoactor-go/actor"
)

// Own serves an actor on a goroutine of its own: started with the first message,
// kept while the actor lives, woken once for whatever has queued up meanwhile.
// A goroutine that stays has a stack that has already grown, and another actor's
// long message never delays it.
type Own struct {
	queue
	invoker actor.MessageInvoker
	state   atomic.Int32
	wake    chan struct{}
}

// The states of an Own mailbox's goroutine.
const (
	unborn   int32 = iota // there is none yet
	sleeping              // it waits to be woken
	awake                 // it will look at the queue once more before it sleeps
	gone                  // its actor has stopped
)

// NewOwn is the producer of mailboxes with a goroutine of their own.
func NewOwn() actor.Mailbox { return &Own{wake: make(chan struct{}, 1)} }

// PostUserMessage queues the message for the actor's goroutine.
func (m *Own) PostUserMessage(message any) {
	m.push(message)
	m.rouse()
}

// PostSystemMessage queues the message ahead of all user messages.
func (m *Own) PostSystemMessage(message any) {
	m.pushSystem(message)
	m.rouse()
}

func (m *Own) rouse() {
	for {
		switch m.state.Load() {
		case awake, gone:
			return
		case sleeping:
			if m.state.CompareAndSwap(sleeping, awake) {
				m.wake <- struct{}{}
				return
			}
		case unborn:
			if m.state.CompareAndSwap(unborn, awake) {
				go m.serve()
				return
			}
		}
	}
}

// serve is the actor's goroutine. It ends with the actor.
func (m *Own) serve() {
	var user, system []any
	for {
		user, system = m.swap(user, system)
		if len(user)+len(system) == 0 {
			m.state.Store(sleeping)
			if m.empty() || !m.state.CompareAndSwap(sleeping, awake) {
				<-m.wake
			}
			continue
		}
		for _, message := range system {
			m.invoker.InvokeSystemMessage(message)
			if _, last := message.(*actor.Stop); last {
				m.state.Store(gone)
				return
			}
		}
		for _, message := range user {
			m.invoker.InvokeUserMessage(message)
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
func (m *Own) UserMessageCount() int { return m.size() }
