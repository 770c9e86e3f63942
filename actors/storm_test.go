package actors_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/leasekeeper/lkactor/actors"
	"github.com/leasekeeper/lkactor/actors/lease"
)

// stormed has leases that were granted at one instant end after these times, a
// millisecond and so many nanoseconds, each under its client's name; then a tick comes
// late. It gives what happened from then on, and in how many batches.
func stormed(t *testing.T, d actors.Dispatch, leases func(acquire func(client, lock string, mode lease.Mode, after int))) (*story, uint64) {
	t.Helper()
	clock, told := newHandClock(), new(story)
	engine := start(t, newSystem(t), actors.WithClock(clock), actors.WithDispatch(d), actors.WithWatch(told.Effect))
	leases(func(client, lock string, mode lease.Mode, after int) {
		op := lease.Operation{Kind: lease.Acquire, Client: client, Lock: lock, Mode: mode, TTL: lease.Duration(time.Millisecond) + lease.Duration(after)}
		if _, err := engine.Do(t.Context(), op); err != nil {
			t.Fatal(err)
		}
	})
	told.lines = nil
	before, err := engine.Counts(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	clock.advance(time.Second)
	after, err := engine.Counts(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := engine.Stop(t.Context()); err != nil {
		t.Fatal(err)
	}
	return told, after.Batches - before.Batches
}

// Leases that end one shortly after the other end together, in the order in which they
// end, also where one lock has several of them.
func TestT3_OrderWithinAStorm(t *testing.T) {
	for _, d := range dispatches {
		told, _ := stormed(t, d, func(acquire func(string, string, lease.Mode, int)) {
			for i := range 100 {
				for j := range 3 { // shared, with those of other locks in between
					acquire(fmt.Sprint("s", i, j), fmt.Sprint("S", i%7), lease.Shared, 1_000*j+11*i)
				}
				acquire(fmt.Sprint("x", i), fmt.Sprint("X", i), lease.Exclusive, 37*i)
				acquire(fmt.Sprint("y", i), fmt.Sprint("X", i), lease.Exclusive, 5*i) // waits
			}
			acquire("z", "Z", lease.Exclusive, 2_000_000) // after what was granted in between has ended
		})
		if told.wrong != "" {
			t.Errorf("%v: %s", d, told.wrong)
		}
		if ends := 100*3 + 100*3 + 1; len(told.lines) != ends {
			t.Errorf("%v: %d effects, want %d", d, len(told.lines), ends)
		}
	}
}

// A storm costs batches by the time it takes, as counted in the least ttl, and not by the
// leases that end in it.
func TestS_AStormIsNotSettledOneByOne(t *testing.T) {
	for _, d := range dispatches {
		const locks = 2_000
		_, batches := stormed(t, d, func(acquire func(string, string, lease.Mode, int)) {
			for i := range locks {
				acquire(fmt.Sprint("c", i), fmt.Sprint("L", i), lease.Exclusive, i*2_500) // 5 ms
			}
		})
		// Besides full batches and those of the least ttls: one for the clients that are told.
		if most := uint64(locks/actors.DefaultBatch + 5 + 5); batches > most {
			t.Errorf("%v: %d batches, want %d at most", d, batches, most)
		}
	}
}

// Whoever is next in a storm that is noticed late is told when the leases that end with
// the one before have been settled, and does not wait for all of them.
func TestAStormIsToldInParts(t *testing.T) {
	const locks, parts = 1_000, 20
	for _, d := range dispatches {
		clock := newHandClock()
		engine := start(t, newSystem(t), actors.WithClock(clock), actors.WithDispatch(d))
		acquire := func(client string, lock int, after time.Duration, want lease.Outcome) {
			op := lease.Operation{Kind: lease.Acquire, Client: client, Lock: fmt.Sprint("L", lock), TTL: lease.Duration(after)}
			if r, err := engine.Do(t.Context(), op); err != nil || r.Outcome != want {
				t.Fatal(r, err)
			}
		}
		told := make(chan lease.Event, 2*locks)
		for i := range locks {
			// In groups that end together, each a little longer than the least ttl after the one before.
			after := time.Millisecond + time.Duration(i*parts/locks)*1_100*time.Microsecond
			acquire(fmt.Sprint("c", i), i, after, lease.Granted)
			next := fmt.Sprint("n", i)
			if _, err := engine.Subscribe(t.Context(), next, "", grants(told)); err != nil {
				t.Fatal(err)
			}
			acquire(next, i, time.Hour, lease.Queued)
		}
		clock.advance(time.Second)
		if _, err := engine.Counts(t.Context()); err != nil { // the storm is over
			t.Fatal(err)
		}
		seqs := make(map[uint64]int)
		for range locks {
			seqs[(<-told).Seq]++
		}
		if len(seqs) != parts {
			t.Errorf("%v: told in %d parts, want %d: %v", d, len(seqs), parts, seqs)
		}
	}
}

// grants passes on what its client is granted out of a queue.
type grants chan lease.Event

func (g grants) Tell(e lease.Event) {
	if e.Kind == lease.EventGranted {
		g <- e
	}
}

// While leases end in quick succession the engine's timer goes off every half of a
// millisecond and not for each; nobody waits for longer than that. A lease that ends
// alone is noticed when it ends.
func TestS_TicksOfAStormArePooled(t *testing.T) {
	const (
		leases = 1_000
		apart  = 10 * time.Microsecond
		pause  = 500 * time.Microsecond
	)
	for _, d := range dispatches {
		clock := newHandClock()
		engine := start(t, newSystem(t), actors.WithClock(clock), actors.WithDispatch(d))
		settle := func() (ticks uint64) { // what the clock has brought about is done
			counts, err := engine.Counts(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			return counts.Operations
		}
		var late []time.Duration
		end := lateness{engine, &late}
		for i := range leases + 1 {
			client := fmt.Sprint("c", i)
			op := lease.Operation{
				Kind: lease.Acquire, Client: client, Lock: fmt.Sprint("L", i), TTL: lease.Duration(time.Second + time.Duration(i)*apart),
			}
			if i == leases {
				op.TTL = lease.Duration(2 * time.Second) // long after the storm
			}
			if _, err := engine.Do(t.Context(), op); err != nil {
				t.Fatal(err)
			}
			if _, err := engine.Subscribe(t.Context(), client, "", end); err != nil {
				t.Fatal(err)
			}
		}
		clock.advance(time.Second - apart)
		before := settle()
		for range leases + int(pause/apart) + 2 {
			clock.advance(apart)
			settle()
		}
		if ticks := settle() - before; len(late) != leases || ticks > uint64(leases*apart/pause)+10 {
			t.Errorf("%v: %d lapses in %d ticks", d, len(late), ticks)
		}
		clock.advance(time.Second)
		settle()
		if len(late) != leases+1 {
			t.Fatalf("%v: %d lapses", d, len(late))
		}
		for i, by := range late {
			if i < leases && by > pause {
				t.Errorf("%v: lapse %d is told %v late", d, i, by)
			}
		}
	}
}

// lateness notes how long after the end of a lease its client is told.
type lateness struct {
	engine *actors.Engine
	by     *[]time.Duration
}

func (l lateness) Tell(e lease.Event) {
	if e.Kind == lease.EventLost {
		*l.by = append(*l.by, time.Duration(l.engine.Now()-e.At))
	}
}
