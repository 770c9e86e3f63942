package mailbox

import (
	"errors"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/asynkron/protoactor-go/actor"
	"go.uber.org/goleak"

	"github.com/leasekeeper/lkactor/sequencer"
)

// invoker notes what it is given, and whether two were at it at once.
type invoker struct {
	busy     atomic.Bool
	overlaps atomic.Int32
	user     []any
	system   []any
	onUser   func(any)
}

func (v *invoker) enter() {
	if !v.busy.CompareAndSwap(false, true) {
		v.overlaps.Add(1)
	}
}

func (v *invoker) InvokeUserMessage(m any) {
	v.enter()
	defer v.busy.Store(false)
	v.user = append(v.user, m)
	if v.onUser != nil {
		v.onUser(m)
	}
}

func (v *invoker) InvokeSystemMessage(m any) {
	v.enter()
	defer v.busy.Store(false)
	v.system = append(v.system, m)
}

func (v *invoker) EscalateFailure(any, any) {}

// An inline mailbox has run the message when serving it returns.
func TestInline(t *testing.T) {
	v := &invoker{}
	m := NewInline(&Crew{})
	m.RegisterHandlers(v, nil)
	m.PostSystemMessage(&actor.Started{})
	m.Serve("hello")
	if len(v.user) != 1 || len(v.system) != 1 || m.UserMessageCount() != 0 {
		t.Errorf("%v, %v", v.user, v.system)
	}
}

// A mailbox with a goroutine of its own keeps the order, and its goroutine ends
// with the actor.
func TestOwn(t *testing.T) {
	base := goleak.IgnoreCurrent()
	v := &invoker{}
	done := make(chan struct{})
	v.onUser = func(m any) {
		if m == 999 {
			close(done)
		}
	}
	m := NewOwn(&Crew{})
	m.RegisterHandlers(v, nil)
	m.Start()
	for i := range 1000 {
		m.Serve(i)
	}
	<-done
	for i, got := range v.user {
		if got != i {
			t.Fatalf("message %d is %v", i, got)
		}
	}
	m.Dismiss()
	goleak.VerifyNone(t, base)
}

// Nobody but the sequencer reaches an actor of a crew, or stops one, until the
// whole crew ends.
func TestCrewKeepsToItself(t *testing.T) {
	crew := &Crew{}
	v := &invoker{}
	inline, own := NewInline(crew), NewOwn(crew)
	for _, m := range []actor.Mailbox{inline, own} {
		m.RegisterHandlers(v, nil) // the other one is not started
		m.PostUserMessage("hello")
		m.PostUserMessage(&actor.PoisonPill{})
		m.PostSystemMessage(&actor.Stop{})
		m.PostSystemMessage(&actor.Watch{})
		m.PostSystemMessage(&actor.Restart{})
		if len(v.user)+len(v.system)+len(own.inbox) != 0 {
			t.Fatalf("%T let through %v, %v", m, v.user, v.system)
		}
	}
	crew.Close()
	for range 2 * ownInbox { // however often, and without blocking
		inline.PostSystemMessage(&actor.Stop{})
		own.PostSystemMessage(&actor.Stop{})
	}
	if len(v.system) != 2*ownInbox || len(own.inbox) != ownInbox {
		t.Errorf("at the end %d and %d", len(v.system), len(own.inbox))
	}
}

// However many callers drive an intake mailbox, one at a time serves it and every
// call is answered once.
func TestIntakeAnswersEveryCallOnce(t *testing.T) {
	const callers, calls = 16, 500
	v := &invoker{}
	var answered atomic.Int32
	v.onUser = func(m any) {
		for _, c := range m.(*sequencer.Intake).Calls {
			c.Done(c)
		}
	}
	m := NewIntake(errors.New("stopped"))
	m.RegisterHandlers(v, nil)
	var group sync.WaitGroup
	for range callers {
		group.Go(func() {
			for range calls {
				ready := make(chan struct{})
				m.Submit(&sequencer.Call{Done: func(*sequencer.Call) {
					answered.Add(1)
					close(ready)
				}})
				m.Drive(true)
				<-ready
				runtime.Gosched()
			}
		})
	}
	group.Wait()
	if answered.Load() != callers*calls || v.overlaps.Load() != 0 {
		t.Errorf("%d answers, %d overlaps", answered.Load(), v.overlaps.Load())
	}
}

// Telling never makes the teller work: the message is taken on another goroutine.
func TestIntakeTellIsAsynchronous(t *testing.T) {
	v := &invoker{}
	taken, goOn := make(chan struct{}), make(chan struct{})
	v.onUser = func(any) {
		<-goOn
		close(taken)
	}
	m := NewIntake(nil)
	m.RegisterHandlers(v, nil)
	m.PostUserMessage("hello") // would block here for ever
	close(goOn)
	<-taken
}

// After a stop calls are refused and not lost.
func TestIntakeRefusesAfterStop(t *testing.T) {
	v := &invoker{}
	refusal := errors.New("stopped")
	m := NewIntake(refusal)
	m.RegisterHandlers(v, nil)
	ready := make(chan error, 1)
	m.PostSystemMessage(&actor.Stop{})
	m.Submit(&sequencer.Call{Done: func(c *sequencer.Call) { ready <- c.Err }})
	m.PostSystemMessage(&actor.Watch{}) // anything that has it served
	if err := <-ready; !errors.Is(err, refusal) {
		t.Error(err)
	}
}

// A request that comes too late is denied, as is one for which there is no room; what
// is none is nobody's business.
func TestRequestsAreDenied(t *testing.T) {
	full, late := errors.New("full"), errors.New("late")
	v, m := &invoker{}, NewIntake(late)
	m.RegisterHandlers(v, nil)
	room := 1
	var denied []error
	m.Guard(func() error {
		if room == 0 {
			return full
		}
		room--
		return nil
	}, func() { room++ }, func(_ *actor.PID, err error) { denied = append(denied, err) })
	m.busy.Store(true) // somebody serves, for now
	m.PostUserMessage(&sequencer.Request{})
	m.PostUserMessage(&actor.MessageEnvelope{Message: &sequencer.Request{}})
	m.PostUserMessage((*sequencer.Request)(nil))
	m.PostUserMessage(&actor.MessageEnvelope{Message: &sequencer.Call{}})
	m.PostUserMessage("hello")
	if len(denied) != 1 || denied[0] != full {
		t.Errorf("denied: %v", denied)
	}
	m.PostSystemMessage(&actor.Stop{})
	m.serve()
	if len(denied) != 2 || denied[1] != late || len(v.user) != 1 || v.user[0] != "hello" {
		t.Errorf("denied: %v; taken: %v", denied, v.user)
	}
	if room != 1 {
		t.Error("who came too late has not left")
	}
}

// A caller who gathers before it serves takes along what others are about to submit; one
// who does not takes what is there.
func TestGather(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1)) // the others run while the first one yields, and only then
	for _, gather := range []bool{false, true} {
		const callers = 20
		var sizes []int
		var answered sync.WaitGroup
		answered.Add(callers)
		v := &invoker{onUser: func(m any) {
			calls := m.(*sequencer.Intake).Calls
			sizes = append(sizes, len(calls))
			for _, c := range calls {
				c.Done(c)
			}
		}}
		m := NewIntake(errors.New("stopped"))
		m.Gather = gather
		m.RegisterHandlers(v, nil)
		for range callers {
			go func() {
				m.Submit(&sequencer.Call{Done: func(*sequencer.Call) { answered.Done() }})
				m.Drive(false)
			}()
		}
		answered.Wait()
		if together := len(sizes) < callers/2; together != gather {
			t.Errorf("gather %v: intakes of %v", gather, sizes)
		}
	}
}
