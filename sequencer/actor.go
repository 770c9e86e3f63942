package sequencer

import (
	"errors"
	"fmt"

	"github.com/asynkron/protoactor-go/actor"

	"github.com/leasekeeper/lkactor/actors/lease"
)

// Cast says who plays the other parts.
type Cast struct {
	Locks   Role[lease.Lane]
	Clients Role[lease.Post]
	Graph   Role[lease.Inquiry]
}

// Role is how the actors that take one kind of message are made.
type Role[M any] struct {
	// Spawn makes an actor, a child of ctx's, on the sequencer's turn.
	Spawn func(ctx actor.Context) Seat[M]
	// Prompt says that a message has been answered when Run returns, so that
	// nobody need be waited for.
	Prompt bool
	// Passes says that each lane is passed on as lease.Lane.Pass says.
	Passes bool
}

// Actor puts the [Sequencer] behind a mailbox. It is the parent of all other
// actors of its engine and the only one that sends them anything.
type Actor struct {
	order    *Sequencer
	ctx      actor.Context
	locks    staff[lease.Lane]
	clients  staff[lease.Post]
	graph    GraphSeat
	barrier  *barrier
	failed   error
	sweeping bool   // a sweep is ordered or going on
	left     int    // seats it has not come to yet
	used     bool   // it has found some that had been used
	swept    uint64 // how many operations there had been at its last step

	hub   *hub      // nil for an engine without a clock
	entry admission // to it
	round tidying
	armed lease.Instant // when the timer will tell that something is due
	rush  rush          // puts it off
	tick  Call          // what is submitted then

	held held // by an engine with a log
	Config
}

// Config is what the sequencer needs of its engine.
type Config struct {
	// Cast makes the other actors.
	Cast Cast
	// Settings are those of the order.
	Settings Settings
	// From is a frozen order to go on from, nil for a fresh service.
	From *Sequencer
	// Now reads the engine's clock, which stamps its operations; nil for an engine
	// whose operations bring their instants along.
	Now func() lease.Instant
	// Wake has the sequencer sent a *Due at the given instant, or soon after, in
	// place of the one that was asked for before. It goes with Now.
	Wake func(at lease.Instant)
	// Log keeps the operations before they are run; nil for an engine that forgets.
	// It goes with Now.
	Log Log
	// Synced tells up to which ticket the log is durable, and why no more will be,
	// if so. It goes with Log.
	Synced func() (ticket uint64, err error)
	// Again puts a call that is too long for one intake back into the queue.
	Again func(*Call)
	// Later sends the sequencer a *Sweep after a while.
	Later func()
	// GiveWay does so after a pause in which others have their turn.
	GiveWay func()
	// Capacity is how much the engine takes on. It goes with Now.
	Capacity Capacity
	// Meter measures the engine; nil for nobody. It goes with Now.
	Meter Meter
	// TidyLater sends the sequencer a *Tidy after a while; nil for never. It goes with
	// Now.
	TidyLater func()
	// Left is called when a *Request has been answered; nil if nobody counts them.
	Left func()
	// Explain gives an error as senders of requests are told of it; nil for as it is.
	Explain func(error) error
	// Other gets the messages that the sequencer does not know, on its turn; nil for
	// nobody.
	Other func(*Actor, actor.Context)
	// Failed is told if the engine can go no further: with a *lease.Failure, or an
	// error that matches ErrLog.
	Failed func(error)
	// Halted tells that nobody waits for what is in hand any more; it may be asked
	// at any time.
	Halted func() bool
	// Stopping is called when the sequencer begins to end, before its children do.
	Stopping func()
	// Stopped is called when the sequencer has ended, after all its children.
	Stopped func()
}

// NewActor gives the sequencer of one engine.
func NewActor(c Config) *Actor {
	a := &Actor{Config: c, barrier: newBarrier()}
	c.Settings.Halted = c.Halted
	if c.Now != nil {
		a.live(&c.Settings)
	}
	if a.From == nil {
		a.order = New(a, c.Settings)
	} else {
		a.order = a.From.Resume(a, c.Settings)
		a.From = nil // it is used up
	}
	a.entry = admission{
		order: a.order, capacity: c.Capacity,
		locks: map[string]bool{}, clients: map[string]bool{}, waits: map[string]int{},
	}
	return a
}

var _ Ports = (*Actor)(nil)

// Receive handles an intake. Operations are sent by [Call] or, from actor to
// actor, as *Request.
//
// A panic ends the engine wherever it comes from, the clock and whoever else the engine
// has been given to call included; where calls are in hand it is kept nearer to them. So
// does the end of the goroutine.
func (a *Actor) Receive(ctx actor.Context) {
	done := false
	defer func() {
		if done {
			return
		}
		cause := recover()
		if a.failed == nil {
			a.fail(lease.Fault("sequencer", "", nil, ending(cause)))
		}
		if cause == nil { // the turn may have been cut off between answers
			a.giveUp(a.failed)
		}
	}()
	a.receive(ctx)
	done = true
}

func (a *Actor) receive(ctx actor.Context) {
	switch m := ctx.Message().(type) {
	case *actor.Started:
		a.ctx = ctx
		a.locks.spawn = func() LockSeat { return a.Cast.Locks.Spawn(ctx) }
		a.clients.spawn = func() ClientSeat { return a.Cast.Clients.Spawn(ctx) }
		a.graph = a.Cast.Graph.Spawn(ctx)
		if a.Now != nil {
			a.arm() // for leases of an earlier run
		}
	case *Intake:
		a.take(m.Calls)
	case *actor.Stopping:
		a.end(ErrHalted)
		if a.failed == nil {
			a.failed = ErrHalted // nothing is run any more
		}
		a.giveUp(a.failed)
		a.Stopping()
	case *actor.Stopped:
		a.Stopped()
	case *Request:
		a.request(m)
	case *Sweep:
		a.sweep()
	case *Due:
		a.due()
	case *Durable:
		a.synced()
	case *Subscription:
		a.Subscribe(m)
	case *Unsubscribe:
		if m != nil {
			a.Unsubscribe(m.Subscription)
		}
	case *Abandon:
		a.Abandon(m)
	case *Tidy:
		a.tidy()
	case *Survey:
		a.survey(m)
	case *Look:
		if m == nil {
			return
		}
		counts := a.order.Counts()
		counts.Made = a.locks.made + a.clients.made
		select {
		case m.Counts <- counts:
		default: // nobody has made room for the answer
		}
	default:
		if a.Other != nil {
			a.Other(a, ctx)
		}
	}
}

// take handles the calls of one intake, unless they have to wait.
func (a *Actor) take(calls []*Call) {
	if !a.wait(calls) {
		a.run(calls)
	}
}

// run handles the calls of one intake: stamps their operations, has them recorded,
// runs them, and releases what they have led to when it may be known.
func (a *Actor) run(calls []*Call) {
	if c := calls[0]; c.plan != nil && !c.prepare() {
		a.letOut(outcome{calls: calls, err: c.Err}, 0, 0)
		return
	}
	var operations, bytes int
	if a.failed == nil {
		operations, bytes = a.handle(calls)
	}
	finished := calls[:0]
	for _, c := range calls {
		if a.failed == nil && c.Err == nil && c.taken < len(c.Ops) {
			a.Again(c)
			continue
		}
		finished = append(finished, c)
	}
	o := outcome{calls: finished, err: a.failed}
	if a.hub != nil {
		o.news = a.hub.collect()
	}
	a.letOut(o, operations, bytes)
}

// handle stamps the operations, has them recorded and runs them; it tells how many were
// recorded, and of what size. A panic, of the core or of anything it calls, leaves a
// state that nobody knows: it is kept as the engine's last word.
func (a *Actor) handle(calls []*Call) (operations, bytes int) {
	var current *lease.Operation
	done := false
	defer func() {
		if done {
			return
		}
		cause := recover()
		a.fail(lease.Fault("sequencer", "", nil, describe(current, ending(cause))))
		if cause == nil { // whoever called is not come back to
			a.letOut(outcome{calls: calls, err: a.failed}, 0, 0)
		}
	}()
	if a.Now != nil {
		a.stamp(calls)
	}
	if a.Log != nil {
		operations, bytes = a.record(calls)
	}
	if a.failed == nil {
		a.runAll(calls, &current)
	}
	if a.hub != nil && a.failed == nil {
		a.arm()
		if a.Meter != nil {
			a.Meter.Turn(a.order.Counts(), a.order.waits)
		}
	}
	done = true
	return operations, bytes
}

// runAll runs the operations; current is the one in hand.
func (a *Actor) runAll(calls []*Call, current **lease.Operation) {
	for _, c := range calls {
		if c.Err != nil { // not admitted
			continue
		}
		end := c.sliceEnd()
		for ; c.taken < end; c.taken++ {
			if a.Halted() {
				a.fail(ErrHalted)
				return
			}
			*current = &c.Ops[c.taken]
			if err := a.order.Take(*current, &c.Results[c.taken]); err != nil {
				a.fail(err)
				return
			}
			if c.Stamps != nil {
				c.Stamps[c.taken].Seq, c.Stamps[c.taken].Now = a.order.Stamp()
			}
		}
	}
	if err := a.order.Flush(); err != nil {
		a.fail(err)
	}
	if !a.sweeping {
		a.sweeping = true
		a.Later()
	}
	a.orderRound()
}

func describe(op *lease.Operation, cause any) error {
	if op == nil {
		return fmt.Errorf("%v", cause)
	}
	return fmt.Errorf("at %v (client %q, lock %q): %v", op.Kind, op.Client, op.Lock, cause)
}

func (a *Actor) fail(err error) {
	a.failed = err
	if !errors.Is(err, ErrHalted) {
		a.Failed(err)
	}
	a.end(err)
}

// Locks sends each lane to the actor of its lock, hired if there is none, and
// waits for all of them.
func (a *Actor) Locks(lanes []*Lane) error {
	if len(lanes) == 0 {
		return nil
	}
	prompt := a.Cast.Locks.Prompt
	done := a.barrier.arm(len(lanes), prompt)
	for _, lane := range lanes {
		lane.Done = done
		if lane.Entry.Seat == nil {
			lane.Entry.Seat = a.locks.hire()
		}
		if prompt {
			lane.Entry.Seat.Run(&lane.Lane)
		}
	}
	if !prompt {
		fan(lanes, a.Cast.Locks.Passes)
	}
	a.barrier.wait(prompt)
	for _, lane := range lanes {
		if lane.Failure != nil {
			return lane.Failure
		}
		if lane.Leave {
			a.locks.vacate(lane.Entry.Seat)
		}
	}
	return nil
}

// Clients sends each post to the actor of its client, as Locks does lanes.
func (a *Actor) Clients(posts []*Post) error {
	prompt := a.Cast.Clients.Prompt
	done := a.barrier.arm(len(posts), prompt)
	for _, post := range posts {
		post.Done = done
		if post.Entry.Seat == nil {
			post.Entry.Seat = a.clients.hire()
		}
		post.Entry.Seat.Run(&post.Post)
	}
	a.barrier.wait(prompt)
	for _, post := range posts {
		if post.Failure != nil {
			return post.Failure
		}
		if post.Leave {
			a.clients.vacate(post.Entry.Seat)
		}
	}
	return nil
}

// Graph sends the inquiry to the deadlock actor and waits for it.
func (a *Actor) Graph(in *lease.Inquiry) error {
	role := &a.Cast.Graph
	in.Done = a.barrier.arm(1, role.Prompt)
	a.graph.Run(in)
	a.barrier.wait(role.Prompt)
	return in.Failure
}
