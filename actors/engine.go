package actors

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"sync"
	"sync/atomic"
	"time"

	"github.com/asynkron/protoactor-go/actor"
	"github.com/google/uuid"

	"github.com/leasekeeper/lkactor/actors/internal/mailbox"
	"github.com/leasekeeper/lkactor/actors/lease"
	"github.com/leasekeeper/lkactor/sequencer"
)

// ErrStopped is the error of operations that reach an engine after its Stop.
var ErrStopped = errors.New("lkactor: engine stopped")

// ErrFailed is matched by the error of every operation that an engine could not
// finish because one of its actors panicked, or what it calls on its turn: a subscriber
// or the answer of a Submit, a Watch, a clock, a journal; and of all that follow. The
// *lease.Failure in it says who, and at which operation. A handler of its log or an
// instrument of its metrics that panics ends nothing.
var ErrFailed = errors.New("lkactor: engine failed")

// never is longer than any engine runs.
const never = time.Duration(math.MaxInt64)

// ErrClientInUse is the error of whoever acts for a client while another instance
// of it does.
var ErrClientInUse = sequencer.ErrClientInUse

// Engine is a running lock service. All methods may be called from any
// goroutine. Make one with [Start].
type Engine struct {
	system *actor.ActorSystem
	pid    *actor.PID
	id     uuid.UUID
	queue  *mailbox.Intake

	gate    *gate
	stop    sync.Once             // shuts the gate
	end     sync.Once             // has the sequencer end
	stopped chan struct{}         // closed when the sequencer has ended
	failure atomic.Pointer[error] // why it can go no further
	halted  atomic.Bool           // Stop would not wait any longer

	sweeps  *time.Timer // sends the next *sequencer.Sweep
	time    *timeline   // nil for an engine without a clock
	alarm   Timer       // sends the next *sequencer.Due
	tidies  Timer       // sends the next *sequencer.Tidy
	desk    *desk       // of the actors that are attached to clients
	report  *reporter   // nil if nobody wants to read it
	metrics *metrics    // nil if nothing is measured
	synced  synced      // what the journal has told

	overload overload // how often there was no room

	calls sync.Pool             // of *call
	done  func(*sequencer.Call) // answered, bound once
}

// PID is the engine's address inside its actor system. Other actors send it what
// messages.go lists: *[Request] for a *[Reply], *[Attach] for events.
func (e *Engine) PID() *actor.PID { return e.pid }

// ID tells this engine from every other.
func (e *Engine) ID() uuid.UUID { return e.id }

// Do handles one operation and gives its result; that it was refused is a result.
// The error is that of ctx, [ErrStopped], or one that matches [ErrFailed]. If ctx
// ends first, the operation may take effect all the same.
//
// Do, Ask and Run act for any client, whoever is subscribed to it as its instance: they
// are for the program that has the engine, which may do anything, and for operators. Who
// acts for one client and is to be kept apart from others of its name uses package client,
// or sends a *[Request].
func (e *Engine) Do(ctx context.Context, op lease.Operation) (lease.Result, error) {
	c := e.calls.Get().(*call)
	c.op[0] = op
	c.Ops, c.Results = c.op[:], c.result[:]
	if err := e.submit(ctx, c); err != nil {
		return lease.Result{}, err // c may still be in use: it is not put back
	}
	result := c.result[0]
	c.result[0] = lease.Result{}
	e.calls.Put(c)
	return result, nil
}

// Ask is [Engine.Do] that tells the operation's place in the engine's order, too.
func (e *Engine) Ask(ctx context.Context, op lease.Operation) (Answer, error) {
	c := newCall()
	c.op[0] = op
	c.Ops, c.Results, c.Stamps = c.op[:], c.result[:], c.stamp[:]
	if err := e.submit(ctx, c); err != nil {
		return Answer{}, err
	}
	return Answer{Result: c.result[0], Stamp: c.stamp[0]}, nil
}

// Answer is the result of an operation and its place in the engine's order: that
// of an operation which ended before another began is the lower one.
type Answer struct {
	lease.Result
	lease.Stamp
}

// Run handles ops in their order and puts their results into results, which must
// be as long. Operations of other callers may come in between. Both slices must
// be left alone until Run returns, and after an error for good. An engine with a
// clock puts into the operations when it has taken them.
func (e *Engine) Run(ctx context.Context, ops []lease.Operation, results []lease.Result) error {
	if len(ops) != len(results) {
		return fmt.Errorf("lkactor: %d operations and room for %d results", len(ops), len(results))
	}
	if len(ops) == 0 {
		return nil
	}
	c := newCall()
	c.Ops, c.Results = ops, results
	return e.submit(ctx, c)
}

// submit queues the call and waits for its answer; meanwhile the caller's
// goroutine may be the one that serves the engine, but not for long if its context
// can end.
func (e *Engine) submit(ctx context.Context, c *call) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := e.enter(ctx, len(c.Ops)); err != nil {
		return err
	}
	c.Done = e.done
	e.queue.Submit(&c.Call)
	leave := ctx.Done()
	e.queue.Drive(leave != nil)
	if leave == nil {
		<-c.Ready // waiting for one channel costs half of what waiting for two does
	} else {
		select {
		case <-c.Ready:
		case <-leave:
			return ctx.Err()
		}
	}
	if c.Err != nil {
		return e.explain(c.Err)
	}
	return nil
}

// enter lets so many operations in when there is room for them.
func (e *Engine) enter(ctx context.Context, n int) error {
	err := e.gate.admit(ctx, n)
	if errors.Is(err, ErrOverloaded) {
		e.overloaded(n)
	}
	if err == ErrStopped {
		return e.refusal()
	}
	return err
}

// answered is what a call's Done does: the gate is left when the engine is
// finished with the call, not when the caller has stopped waiting.
func (e *Engine) answered(c *sequencer.Call) {
	e.gate.leave(len(c.Ops))
	c.Ready <- struct{}{}
}

// Counts gives what the sequencer has done so far.
func (e *Engine) Counts(ctx context.Context) (sequencer.Counts, error) {
	if !e.gate.visit() {
		return sequencer.Counts{}, e.refusal()
	}
	defer e.gate.part()
	answer := make(chan sequencer.Counts, 1)
	e.system.Root.Send(e.pid, &sequencer.Look{Counts: answer})
	select {
	case c := <-answer:
		return c, nil
	case <-e.stopped:
		return sequencer.Counts{}, ErrStopped
	case <-ctx.Done():
		return sequencer.Counts{}, ctx.Err()
	}
}

// Stop refuses new operations, lets those accepted be answered, and ends the
// engine's actors and goroutines. If ctx ends first, what is not yet answered
// gets [ErrStopped] and the error of ctx is returned. If the journal has failed, that is
// returned, an error that matches [ErrJournal]: a stop in order it is not. Calling it
// again, also at the same time, is harmless: each call ends with its own ctx, and the
// first of them to end ends the waiting.
//
// A callback that does not return has the engine's turn for good: Stop then returns when
// ctx ends, and callers wait until their own contexts do, or for the callback. One of them
// may be inside it, having served the engine; the others wait for the turn's answer and for
// nothing else, which each gets once: [ErrStopped], should the callback ever return. Whoever
// must not wait so long calls with a context that ends.
func (e *Engine) Stop(ctx context.Context) error {
	e.stop.Do(func() {
		e.gate.close()
		e.sweeps.Stop()
	})
	select {
	case <-e.gate.drained:
		e.end.Do(func() { e.system.Root.Poison(e.pid) })
	case <-ctx.Done():
		e.halted.Store(true)
		e.end.Do(func() { e.system.Root.Stop(e.pid) })
	}
	for _, done := range []<-chan struct{}{e.stopped, e.report.written(), e.metrics.recorded()} {
		select {
		case <-done:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	if err := e.Err(); errors.Is(err, ErrJournal) {
		return err
	}
	return nil
}

// Err tells why the engine has failed, nil if it has not.
func (e *Engine) Err() error {
	if why := e.failure.Load(); why != nil {
		return e.explain(*why)
	}
	return nil
}

func (e *Engine) fail(err error) {
	e.failure.Store(&err)
	e.report.say(slog.LevelError, "engine failed", slog.String("cause", err.Error()))
}

func (e *Engine) refusal() error {
	if err := e.Err(); err != nil {
		return err
	}
	return ErrStopped
}

func (e *Engine) explain(err error) error {
	if errors.Is(err, sequencer.ErrHalted) {
		return ErrStopped
	}
	if f := (*lease.Failure)(nil); errors.As(err, &f) {
		return fmt.Errorf("%w: %w", ErrFailed, f)
	}
	if errors.Is(err, sequencer.ErrLog) {
		return fmt.Errorf("%w: %w", ErrJournal, err)
	}
	return err
}

// call is a sequencer.Call with room for a single operation.
type call struct {
	sequencer.Call
	op     [1]lease.Operation
	result [1]lease.Result
	stamp  [1]lease.Stamp
}

func newCall() *call {
	c := new(call)
	c.Ready = make(chan struct{}, 1)
	return c
}
