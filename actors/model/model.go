// Package model is the engine without actors: the same four cores in a plain
// loop on the caller's goroutine.
//
// It is what the actor engine is checked against, and the floor under its
// benchmarks. One operation at a time is a batch of one, so none of the cut
// rules can matter here.
package model

import (
	"github.com/leasekeeper/lkactor/actors/lease"
	"github.com/leasekeeper/lkactor/clientactor"
	"github.com/leasekeeper/lkactor/deadlock"
	"github.com/leasekeeper/lkactor/lockactor"
	"github.com/leasekeeper/lkactor/sequencer"
)

// Model is a lock service in one goroutine. Make one with [New].
type Model struct {
	order *sequencer.Sequencer
	loop  loop
}

// New gives a fresh service for the operations of plain logs.
func New() *Model { return Make(lease.Plain, nil) }

// Make gives a fresh service for the operations of a dialect. watch, unless nil, is
// told of every effect as sequencer.Settings says.
func Make(d lease.Dialect, watch func(*lease.Effect)) *Model {
	return build(sequencer.Settings{Dialect: d, Watch: watch}, nil)
}

// Watched gives a fresh service for the operations of a dialect whose watcher is
// told everything that happens in it.
func Watched(d lease.Dialect, w lease.Watcher) *Model {
	return build(sequencer.Settings{Dialect: d}, w)
}

func build(s sequencer.Settings, w lease.Watcher) *Model {
	s.Keep = sequencer.DefaultKeep
	m := &Model{loop: loop{graph: deadlock.New()}}
	m.order = sequencer.NewDirect(&m.loop, s, w)
	return m
}

// Resume gives a service that goes on where a frozen order has come to, which must
// not be used any more. watch is as for Make.
func Resume(order *sequencer.Sequencer, d lease.Dialect, watch func(*lease.Effect)) *Model {
	m := &Model{loop: loop{graph: deadlock.New()}}
	m.order = order.ResumeDirect(&m.loop, sequencer.Settings{Dialect: d, Keep: sequencer.DefaultKeep, Watch: watch}, nil)
	return m
}

// Freeze gives the order with the whole state in its directory, to be saved or for
// another service to go on from. This one may go on only if no other does.
func (m *Model) Freeze() *sequencer.Sequencer {
	if err := m.order.Freeze(); err != nil {
		panic(err) // no core can fail without actors
	}
	return m.order
}

// Do handles one operation and gives its result.
func (m *Model) Do(op *lease.Operation) (result lease.Result) {
	m.take(op, &result)
	return result
}

// Run handles ops in order and puts their results into results, which must be
// as long.
func (m *Model) Run(ops []lease.Operation, results []lease.Result) {
	for i := range ops {
		m.take(&ops[i], &results[i])
	}
}

// take runs one operation to its end. No core can fail without actors.
func (m *Model) take(op *lease.Operation, result *lease.Result) {
	if err := m.order.Take(op, result); err != nil {
		panic(err)
	}
}

// Counts gives the work done so far.
func (m *Model) Counts() sequencer.Counts { return m.order.Counts() }

// GraphSteps is how many edges the deadlock graph has visited so far.
func (m *Model) GraphSteps() uint64 { return m.loop.graph.Steps() }

// loop reaches the cores by calling them.
type loop struct{ graph *deadlock.Graph }

var _ sequencer.Direct = (*loop)(nil)

// Lock has one lane run by its lock.
func (l *loop) Lock(lane *sequencer.Lane) {
	lock, ok := lane.Entry.Seat.(*lockactor.Lock)
	if !ok {
		lock = lockactor.New(lane.Lock, *lane.Rest, lane.Claims)
		lane.Claims = nil
		lane.Entry.Seat = lock
	}
	lock.Run(&lane.Lane)
}

// Tie tells the deadlock graph of one effect.
func (l *loop) Tie(e *lease.Effect) { l.graph.Apply(e) }

// Locks runs lanes one after the other.
func (l *loop) Locks(lanes []*sequencer.Lane) error {
	for _, lane := range lanes {
		l.Lock(lane)
	}
	return nil
}

// Clients has posts taken one after the other.
func (l *loop) Clients(posts []*sequencer.Post) error {
	for _, post := range posts {
		l.session(post.Entry, post.Rest).Run(&post.Post)
	}
	return nil
}

// Graph asks the deadlock graph.
func (l *loop) Graph(in *lease.Inquiry) error {
	l.graph.Answer(in)
	return nil
}

// session gives the client's session, made with the given age if there is none.
func (l *loop) session(c *sequencer.ClientEntry, age lease.Age) *clientactor.Session {
	session, ok := c.Seat.(*clientactor.Session)
	if !ok {
		session = clientactor.New(&c.Client, age)
		c.Seat = session
	}
	return session
}
