package mailbox

import (
	"runtime"
	"slices"
	"sync/atomic"

	"github.com/asynkron/protoactor-go/actor"

	"github.com/leasekeeper/lkactor/actors/lease"
	"github.com/leasekeeper/lkactor/sequencer"
)

// Intake is the mailbox of a sequencer. It hands over as one *sequencer.Intake
// all calls that have queued up, since what is stamped together runs together.
//
// It is served by one goroutine at a time: one that the mailbox starts when there
// is something to do, or a caller who has submitted something and would only wait
// for it anyway (Drive).
type Intake struct {
	queue

	// Gather has a caller who is about to serve let the others submit first. Those
	// who have been answered together come back together, and one of them would take what
	// is there while the rest are still on their way. It is for engines with a log, to
	// which every intake is a record; set it before the first call.
	Gather bool

	crew    Crew // of the actor
	invoker actor.MessageInvoker
	busy    atomic.Bool // somebody serves
	intake  sequencer.Intake
	pending int // operations of its calls

	// refusal is what calls are answered with once the actor has been told to
	// stop; ended says that it has. Only the server looks at ended.
	refusal error
	ended   bool

	// Requests that are sent to the actor's PID are admitted as they come, or answered
	// with an error; see Guard.
	admit func() error
	leave func()
	deny  func(sender *actor.PID, err error)

	// What the round in hand has taken, emptied by turns with the queue's own slices, and
	// how many of each have been handled or are in intake.
	user, system         []any
	userDone, systemDone int
}

// intakeLimit is how many calls one intake takes at most.
const intakeLimit = 1024

// intakeSize is about how many operations one intake takes at most: they are
// stamped with one reading of the clock and answered together.
const intakeSize = 4096

// quantum is how many rounds a caller serves at most before a goroutine of the
// mailbox takes over.
const quantum = 64

// NewIntake gives the mailbox of a sequencer. A call that reaches it after its
// actor was told to stop is answered with refusal.
func NewIntake(refusal error) *Intake { return &Intake{refusal: refusal} }

// Crew is that of the actor whose mailbox it is: its children are to be made with it.
func (m *Intake) Crew() *Crew { return &m.crew }

// Guard has admit asked about every *sequencer.Request, on the sender's goroutine. One
// that is not admitted is denied instead; so is one that was admitted and comes too
// late to be handled, which then leaves. Guard must be called before the actor is made.
func (m *Intake) Guard(admit func() error, leave func(), deny func(sender *actor.PID, err error)) {
	m.admit, m.leave, m.deny = admit, leave, deny
}

// Submit queues a call without having it served; Drive must follow.
func (m *Intake) Submit(c *sequencer.Call) { m.push(c) }

// Drive serves the mailbox on the caller's goroutine if nobody does so already, for
// a bounded number of rounds. A caller that may want to leave does not serve calls
// that are long: a goroutine of the mailbox takes over.
func (m *Intake) Drive(mayLeave bool) {
	if !m.busy.CompareAndSwap(false, true) {
		return
	}
	cut := true
	defer func() {
		if cut {
			m.pickUp()
		}
	}()
	released := m.drive(mayLeave)
	cut = false
	if !released {
		go m.serve()
	}
}

// drive is Drive by who serves; it answers whether somebody else may.
func (m *Intake) drive(mayLeave bool) bool {
	for range quantum {
		if m.Gather {
			runtime.Gosched()
		}
		if !m.round(mayLeave) {
			break
		}
		if m.release() {
			return true
		}
	}
	return false
}

// longCall is of how many operations a call is long. A repeat is always.
const longCall = 256

func long(c *sequencer.Call) bool {
	return len(c.Ops) > longCall || slices.ContainsFunc(c.Ops, func(op lease.Operation) bool { return op.Kind == lease.Repeat })
}

// PostUserMessage queues the message and sees to it that it is served, on a
// goroutine of the mailbox: telling an actor something never makes the teller
// work.
func (m *Intake) PostUserMessage(message any) {
	_, content, sender := actor.UnwrapEnvelope(message)
	switch content := content.(type) {
	case *sequencer.Request:
		if content == nil {
			return
		}
		if err := m.admit(); err != nil {
			m.deny(sender, err)
			return
		}
	case nil, *sequencer.Call, *sequencer.Intake, *actor.Started, *actor.Stopping, *actor.Stopped, *actor.Terminated:
		return // only the engine and Proto.Actor itself may say that
	}
	m.push(message)
	m.rouse()
}

// PostSystemMessage queues the message ahead of all user messages.
func (m *Intake) PostSystemMessage(message any) {
	m.pushSystem(message)
	m.rouse()
}

func (m *Intake) rouse() {
	if m.busy.CompareAndSwap(false, true) {
		go m.serve()
	}
}

func (m *Intake) serve() {
	cut := true
	defer func() {
		if cut {
			m.pickUp()
		}
	}()
	for {
		m.round(false)
		if m.release() {
			cut = false
			return
		}
		runtime.Gosched()
	}
}

// pickUp goes on, on a new goroutine, after a callback that has ended the one that
// served (runtime.Goexit). The actor has answered the calls that it had in hand.
func (m *Intake) pickUp() {
	clear(m.intake.Calls)
	m.intake.Calls, m.pending = m.intake.Calls[:0], 0
	m.putBack(m.user[m.userDone:])
	for _, message := range m.system[m.systemDone:] {
		m.pushSystem(message)
	}
	go m.serve()
}

// release gives up serving unless something has been queued since the last
// round; false means that the caller still serves.
func (m *Intake) release() bool {
	if !m.empty() {
		return false
	}
	m.busy.Store(false)
	// A message queued in between found the mailbox busy and relies on us.
	return m.empty() || !m.busy.CompareAndSwap(false, true)
}

// round serves what is queued now. Of long calls, if they are to be spared, the
// first and all that comes after it stay in the queue, and the answer is false.
func (m *Intake) round(spareLong bool) bool {
	m.user, m.system = m.swap(m.user, m.system)
	m.userDone, m.systemDone = 0, 0
	if !m.ended && slices.ContainsFunc(m.system, isStop) {
		m.partFirst()
	}
	for _, message := range m.system {
		m.ended = m.ended || isStop(message)
		m.systemDone++
		m.invoker.InvokeSystemMessage(message)
	}
	for i, message := range m.user {
		call, ok := message.(*sequencer.Call)
		if !ok {
			m.flush()
			m.userDone = i + 1
			if m.ended && m.tooLate(message) {
				continue
			}
			m.invoker.InvokeUserMessage(message)
			continue
		}
		if spareLong && long(call) {
			m.flush()
			m.putBack(m.user[i:])
			m.userDone = len(m.user)
			return false
		}
		m.userDone = i + 1
		m.intake.Calls = append(m.intake.Calls, call)
		m.pending += len(call.Ops)
		if len(m.intake.Calls) == intakeLimit || m.pending >= intakeSize {
			m.flush()
		}
	}
	m.flush()
	return true
}

func isStop(message any) bool {
	_, stop := message.(*actor.Stop)
	return stop
}

// partFirst puts off the end of the actor until those that it has sent away have gone
// and it knows: it would have them stopped once more, and they are nowhere to be found.
func (m *Intake) partFirst() {
	m.crew.leaving.Wait()
	m.system = m.takeSystem(m.system)
	slices.SortStableFunc(m.system, func(a, b any) int {
		switch {
		case isStop(a) == isStop(b):
			return 0
		case isStop(a):
			return 1
		}
		return -1
	})
}

// tooLate denies a request that can no longer be handled.
func (m *Intake) tooLate(message any) bool {
	_, content, sender := actor.UnwrapEnvelope(message)
	_, request := content.(*sequencer.Request)
	if request {
		m.leave()
		m.deny(sender, m.refusal)
	}
	return request
}

func (m *Intake) flush() {
	if len(m.intake.Calls) == 0 {
		return
	}
	if m.ended {
		for _, c := range m.intake.Calls {
			m.refuse(c)
		}
	} else {
		m.invoker.InvokeUserMessage(&m.intake)
	}
	clear(m.intake.Calls)
	m.intake.Calls, m.pending = m.intake.Calls[:0], 0
}

// refuse answers a call that comes too late. Should the answer panic, or end its
// goroutine, there is no actor left that could end for it, and the others are answered all
// the same.
func (m *Intake) refuse(c *sequencer.Call) {
	answered := make(chan struct{})
	go func() {
		defer close(answered)
		defer func() { _ = recover() }()
		c.Err = m.refusal
		c.Done(c)
	}()
	<-answered
}

// RegisterHandlers is called once by Proto.Actor when it makes the actor.
func (m *Intake) RegisterHandlers(invoker actor.MessageInvoker, _ actor.Dispatcher) {
	m.invoker = invoker
}

// Start is called once by Proto.Actor when it makes the actor.
func (m *Intake) Start() {}

// UserMessageCount is how many messages wait.
func (m *Intake) UserMessageCount() int { return m.size() }
