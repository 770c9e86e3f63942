// Package gauge makes measurements of what happens in an engine: how long clients
// wait and hold, how long queues are, how leases end.
//
// It is a fold of effects, like the cores', and as pure. It knows nothing of who
// collects the measurements.
package gauge

import "github.com/leasekeeper/lkactor/actors/lease"

// Kind is what was measured.
type Kind uint8

// The kinds of measurements.
const (
	// Grant is one grant; Waited tells whether it came out of the queue.
	Grant Kind = iota
	// Wait is how long a request was in the queue, in nanoseconds, until a grant if
	// Waited is set, otherwise until it was withdrawn or aborted.
	Wait
	// Hold is how long a lease lasted, in nanoseconds, and why it ended.
	Hold
	// Queue is how long a queue was when a request had joined it.
	Queue
	// Deadlock is an acquire that closed a cycle; Victim a client aborted for it.
	Deadlock
	Victim
	// Batch is how many operations ran together.
	Batch
)

// Sample is one measurement.
type Sample struct {
	Kind   Kind
	Mode   lease.Mode   // Grant, Wait, Hold
	Reason lease.Reason // Hold
	Waited bool         // Grant, Wait
	Value  int64
}

// Book has what is needed to measure how long something has lasted. Of leases and
// requests that were there before the book it measures nothing. Make one with [New].
type Book struct {
	samples []Sample
	limit   int
	missed  uint64

	waits    []lease.Instant           // by client: since when it waits; lease.Dawn for not
	holds    map[holding]lease.Instant // since when each lease is held
	queues   []int32                   // by lock: how many wait
	deadlock uint64                    // the last operation that led to an abort
}

type holding struct{ lock, client uint32 }

// New gives an empty book that keeps so many samples at most until they are taken.
func New(limit int) *Book { return &Book{limit: limit, holds: make(map[holding]lease.Instant)} }

// Take gives the samples there are, and keeps room for the next in spare.
func (b *Book) Take(spare []Sample) []Sample {
	taken := b.samples
	b.samples = spare[:0]
	return taken
}

// Len is how many samples there are.
func (b *Book) Len() int { return len(b.samples) }

// Missed is for how many samples there was no room.
func (b *Book) Missed() uint64 { return b.missed }

// Batch measures one batch.
func (b *Book) Batch(operations int) { b.add(Sample{Kind: Batch, Value: int64(operations)}) }

// Effect measures what an effect shows, of the operation of that number.
func (b *Book) Effect(e *lease.Effect, seq uint64) {
	switch e.Change {
	case lease.ChangeQueued:
		b.queued(e)
	case lease.ChangeGranted:
		if e.FromQueue {
			b.waited(e)
		}
		b.holds[holding{e.Lock.ID, e.Client.ID}] = e.At
		b.add(Sample{Kind: Grant, Mode: e.Mode, Waited: e.FromQueue, Value: 1})
	case lease.ChangeWithdrawn:
		b.waited(e)
	case lease.ChangeLapsed, lease.ChangeReleased:
		key := holding{e.Lock.ID, e.Client.ID}
		if since, known := b.holds[key]; known {
			delete(b.holds, key)
			b.add(Sample{Kind: Hold, Mode: e.Mode, Reason: e.Reason(), Value: int64(e.At - since)})
		}
	case lease.ChangeAborted:
		if b.deadlock != seq {
			b.deadlock = seq
			b.add(Sample{Kind: Deadlock, Value: 1})
		}
		b.add(Sample{Kind: Victim, Value: 1})
	}
}

func (b *Book) queued(e *lease.Effect) {
	for int(e.Client.ID) >= len(b.waits) {
		b.waits = append(b.waits, lease.Dawn)
	}
	for int(e.Lock.ID) >= len(b.queues) {
		b.queues = append(b.queues, 0)
	}
	b.waits[e.Client.ID] = e.At
	b.queues[e.Lock.ID]++
	b.add(Sample{Kind: Queue, Value: int64(b.queues[e.Lock.ID])})
}

// waited measures a wait that is over.
func (b *Book) waited(e *lease.Effect) {
	if int(e.Client.ID) >= len(b.waits) || b.waits[e.Client.ID] == lease.Dawn {
		return // it waited before there was a book
	}
	since := b.waits[e.Client.ID]
	b.waits[e.Client.ID] = lease.Dawn
	b.queues[e.Lock.ID]--
	b.add(Sample{Kind: Wait, Mode: e.Mode, Waited: e.Change == lease.ChangeGranted, Value: int64(e.At - since)})
}

func (b *Book) add(s Sample) {
	if len(b.samples) >= b.limit {
		b.missed++
		return
	}
	b.samples = append(b.samples, s)
}
