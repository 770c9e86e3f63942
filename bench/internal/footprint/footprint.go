// Package footprint measures what a service keeps: memory by the name, and the
// actors and goroutines that are left when everybody has gone. It owns how that
// is counted; what is a small number is for others to say.
package footprint

import (
	"runtime"
	"runtime/debug"
	"time"

	"github.com/leasekeeper/lkactor/actors/lease"
	"github.com/leasekeeper/lkactor/bench/internal/level"
	"github.com/leasekeeper/lkactor/bench/workloads"
)

// Sample is what a service of one level keeps of each of Count things of a kind.
type Sample struct {
	Level string `json:"level"`
	Kind  Kind   `json:"kind"`
	Count int    `json:"count"`

	// Heap is the bytes of live heap for each, the bytes of its name not counted;
	// Stack those of the stacks of goroutines.
	Heap  float64 `json:"heap_bytes_each"`
	Stack float64 `json:"stack_bytes_each"`
	// Actors and Goroutines are how many more there are than in a fresh service.
	Actors     int `json:"actors"`
	Goroutines int `json:"goroutines"`
	// Total is all memory that the process then has from the system, in bytes:
	// what the garbage collector keeps in reserve and the measurement itself
	// included.
	Total uint64 `json:"total_bytes"`
	// Took is how long the service took to get there, in nanoseconds for each.
	Took float64 `json:"took_ns_each"`
}

// Kind is what is counted.
type Kind string

// The kinds.
const (
	IdleLocks   Kind = "idle locks"   // acquired and released once, by a thousand clients in turn
	IdleClients Kind = "idle clients" // each has acquired and released one of a thousand locks
	HeldLocks   Kind = "held locks"   // by a thousand clients in turn
	QueuedLocks Kind = "queued locks" // as held locks, with a waiter each, who is a client of its own
)

// Kinds gives all of them.
func Kinds() []Kind { return []Kind{IdleLocks, IdleClients, HeldLocks, QueuedLocks} }

// others is how many there are of what is not counted; few enough to vanish.
const others = 1_000

// chunk is how many things are made in one go.
const chunk = 1 << 14

// settling is how long an engine may take to notice that what it was asked for is
// idle, and to give all actors back.
const settling = time.Minute

// Measure brings a fresh service to where it keeps count of the kind, and looks.
func Measure(l level.Level, kind Kind, count int) Sample {
	debug.FreeOSMemory() // of those before
	s := l.Open()
	defer s.Close()
	// The first operation brings what a service makes once and for all.
	IdleLocks.feed(s, workloads.MaxName-1, workloads.MaxName)
	before, goroutines, present := memory(), runtime.NumGoroutine(), s.Actors()

	var took time.Duration
	for first := 0; first < count; first += chunk {
		took += kind.feed(s, first, min(first+chunk, count))
	}
	if kind == IdleLocks || kind == IdleClients {
		await(func() bool { return s.Actors() <= present && runtime.NumGoroutine() <= goroutines })
	}
	after := memory()
	each := func(after, before uint64) float64 { return (float64(after) - float64(before)) / float64(count) }
	return Sample{
		Level: l.Name, Kind: kind, Count: count,
		Heap:       each(after.HeapAlloc, before.HeapAlloc) - float64(kind.nameBytes()),
		Stack:      each(after.StackInuse, before.StackInuse),
		Actors:     s.Actors() - present,
		Goroutines: runtime.NumGoroutine() - goroutines,
		Total:      after.Sys - after.HeapReleased,
		Took:       float64(took.Nanoseconds()) / float64(count),
	}
}

// nameBytes is the length of the names that come with each.
func (k Kind) nameBytes() int {
	switch k {
	case IdleClients:
		return workloads.ClientNameBytes
	case QueuedLocks:
		return workloads.LockNameBytes + workloads.ClientNameBytes
	default:
		return workloads.LockNameBytes
	}
}

// feed runs the operations for the numbers from first up to but not including
// end, and gives how long that took.
func (k Kind) feed(s level.Service, first, end int) time.Duration {
	var ops []lease.Operation
	switch k {
	case IdleLocks:
		ops = workloads.IdleLocks(first, end, others)
	case IdleClients:
		ops = workloads.IdleClients(first, end, others)
	case HeldLocks:
		ops = workloads.HeldLocks(first, end, others)
	case QueuedLocks:
		ops = workloads.QueuedLocks(first, end, others)
	}
	results := make([]lease.Result, len(ops))
	start := time.Now()
	s.Run(ops, results)
	return time.Since(start)
}

// await waits until what is at rest, but not for ever.
func await(rest func() bool) {
	for end := time.Now().Add(settling); !rest() && time.Now().Before(end); {
		time.Sleep(10 * time.Millisecond)
	}
}

// memory is what is in use when all garbage is gone.
func memory() (m runtime.MemStats) {
	runtime.GC()
	runtime.GC() // what finalizers and pools have held until the first
	runtime.ReadMemStats(&m)
	return m
}
