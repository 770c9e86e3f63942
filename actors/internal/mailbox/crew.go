package mailbox

import (
	"sync"
	"sync/atomic"

	"github.com/asynkron/protoactor-go/actor"
)

// Crew is the actors under one sequencer. They are its own: it alone speaks to
// them and sends them away. Their PIDs can be found by anybody in the system, but
// what others send there is dropped, a request to stop included; a lock that was
// stopped behind its sequencer's back would never answer, and the next one of its
// name would issue its tokens again.
type Crew struct {
	closing atomic.Bool
	// leaving counts those that were sent away and have not gone yet. When one has, the
	// news of it is with the sequencer.
	leaving sync.WaitGroup
}

// Close lets the actors be stopped, as their sequencer ends.
func (c *Crew) Close() { c.closing.Store(true) }

// admits tells whether a system message may reach an actor that has not been sent
// away by its sequencer.
func (c *Crew) admits(message any) bool {
	switch message.(type) {
	case *actor.Started:
		return true
	case *actor.Stop:
		return c.closing.Load()
	}
	return false
}

// Guarded is one of Proto.Actor's own mailboxes for an actor of a crew. What others
// send is dropped.
type Guarded struct {
	actor.Mailbox
	crew    *Crew
	leaving atomic.Bool // it was sent away and has not gone yet
}

// NewGuarded gives the mailbox that actors have by default.
func NewGuarded(crew *Crew) *Guarded { return &Guarded{Mailbox: actor.Unbounded()(), crew: crew} }

// RegisterHandlers is called once by Proto.Actor when it makes the actor.
func (m *Guarded) RegisterHandlers(invoker actor.MessageInvoker, d actor.Dispatcher) {
	m.Mailbox.RegisterHandlers(leaver{invoker, m}, d)
}

// leaver lets the crew of an actor know when it has gone.
type leaver struct {
	actor.MessageInvoker
	mailbox *Guarded
}

// InvokeSystemMessage has the actor take the message.
func (l leaver) InvokeSystemMessage(message any) {
	l.MessageInvoker.InvokeSystemMessage(message)
	if _, stop := message.(*actor.Stop); stop && l.mailbox.leaving.CompareAndSwap(true, false) {
		l.mailbox.crew.leaving.Done()
	}
}

// Serve queues the message. The actor's sequencer only may do so.
func (m *Guarded) Serve(message any) { m.Mailbox.PostUserMessage(message) }

// PostUserMessage drops the message: it is not from the sequencer.
func (m *Guarded) PostUserMessage(any) {}

// PostSystemMessage queues the message if others may send it.
func (m *Guarded) PostSystemMessage(message any) {
	if m.crew.admits(message) {
		m.Mailbox.PostSystemMessage(message)
	}
}

// Dismiss stops the actor once it has taken what it was sent. Its sequencer only
// may do so.
func (m *Guarded) Dismiss() {
	m.crew.leaving.Add(1)
	m.leaving.Store(true)
	m.Mailbox.PostSystemMessage(&actor.Stop{})
}
