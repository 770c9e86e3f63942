// Package level runs the same operations at each level of the engine: the plain
// yardstick, the model, and the engine under each dispatch policy that is meant
// for use. It owns how a level is started, fed and stopped; it measures nothing.
package level

import (
	"slices"

	"github.com/leasekeeper/lkactor/actors"
	"github.com/leasekeeper/lkactor/actors/lease"
	"github.com/leasekeeper/lkactor/actors/model"
	"github.com/leasekeeper/lkactor/bench/internal/plain"
	"github.com/leasekeeper/lkactor/sequencer"
)

// Level is one way to run operations. The ones there are come from [All],
// [Every] and [Concurrent].
type Level struct {
	Name string
	// Open starts a fresh service.
	Open func() Service
}

// Service is a running service at some level. It is for one goroutine, unless it
// comes from [Concurrent], when its Do is for any.
type Service interface {
	// Do handles one operation and gives its result.
	Do(op *lease.Operation) lease.Result
	// Run handles ops in bulk and puts their results into results, which must be
	// as long.
	Run(ops []lease.Operation, results []lease.Result)
	// Work gives what has been done so far, for what can be counted.
	Work() Work
	// Actors is how many actors there are by now, those of the actor system's own
	// included.
	Actors() int
	// Close ends the service.
	Close()
}

// Work is what a service has counted: nothing at all the plain one, and neither
// messages nor batches the model, which has none.
type Work struct{ sequencer.Counts }

// Messages is how many messages the actors other than the sequencer were sent.
func (w Work) Messages() uint64 { return w.Lanes + w.Posts + w.Inquiries }

// Add adds what was counted between before and after.
func (w *Work) Add(after, before Work) {
	w.Operations += after.Operations - before.Operations
	w.Batches += after.Batches - before.Batches
	w.Lanes += after.Lanes - before.Lanes
	w.Posts += after.Posts - before.Posts
	w.Steps += after.Steps - before.Steps
	w.Inquiries += after.Inquiries - before.Inquiries
	w.Victims += after.Victims - before.Victims
	w.Made += after.Made - before.Made
}

// All gives the levels that are meant for use, from the bottom up.
func All() []Level {
	return []Level{
		{Name: "plain", Open: func() Service { return plainService{plain.New()} }},
		{Name: "model", Open: func() Service { return modelService{model.New()} }},
		{Name: "inline", Open: func() Service { return openEngine(actors.Inline) }},
		{Name: "own", Open: func() Service { return openEngine(actors.OwnGoroutine) }},
	}
}

// Every gives all levels there are: those of [All], and the engine under
// Proto.Actor's own dispatcher, which only tests ought to choose.
func Every() []Level {
	return append(All(), Level{Name: "proto", Open: func() Service { return openEngine(actors.ProtoDefault) }})
}

// Concurrent gives the levels of [All] as any number of goroutines can use them:
// plain service and model, which are for one, each behind one mutex.
func Concurrent() []Level {
	levels := All()
	for i, l := range levels {
		if l.Name == "plain" || l.Name == "model" {
			levels[i] = Level{Name: l.Name + "+mutex", Open: func() Service { return &locked{Service: l.Open()} }}
		}
	}
	return levels
}

// Named gives the levels of [Every] with these names, in this order. It panics at
// a name that there is not.
func Named(names ...string) []Level {
	every := Every()
	picked := make([]Level, len(names))
	for i, name := range names {
		at := slices.IndexFunc(every, func(l Level) bool { return l.Name == name })
		if at < 0 {
			panic("level: no level " + name)
		}
		picked[i] = every[at]
	}
	return picked
}
