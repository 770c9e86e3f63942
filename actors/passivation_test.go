package actors_test

import (
	"fmt"
	"runtime"
	"testing"
	"time"

	"github.com/leasekeeper/lkactor/actors"
	"github.com/leasekeeper/lkactor/actors/lease"
)

// Names that were used once leave neither actors nor goroutines behind, only what
// the rules need of them.
func TestIdleLocksLeave(t *testing.T) {
	names := 20_000
	if testing.Short() || raceEnabled {
		names = 2_000
	}
	system := newSystem(t)
	for _, d := range dispatches {
		t.Run(d.String(), func(t *testing.T) {
			engine := start(t, system, actors.WithDispatch(d), actors.WithKeep(500, 500), actors.WithIdle(10*time.Millisecond))
			if _, err := engine.Do(t.Context(), lease.Operation{Kind: lease.Inspect, Lock: "L"}); err != nil {
				t.Fatal(err)
			}
			actorsBefore, goroutinesBefore := population(system), runtime.NumGoroutine()
			use(t, engine, names, 1)
			if now := population(system) - actorsBefore; now > 2*700 {
				t.Errorf("%d actors kept of %d names", now, names)
			}
			deadline := time.Now().Add(time.Minute)
			for population(system) > actorsBefore || runtime.NumGoroutine() > goroutinesBefore {
				if time.Now().After(deadline) {
					t.Fatalf("actors: %d before, %d after; goroutines: %d, %d",
						actorsBefore, population(system), goroutinesBefore, runtime.NumGoroutine())
				}
				time.Sleep(5 * time.Millisecond)
			}
			// Counters, accepted tokens, values and ages are as they were (P1).
			use(t, engine, names, 2)
			if err := engine.Stop(t.Context()); err != nil {
				t.Fatal(err)
			}
		})
	}
}

// use has each of many clients take a lock of its own, write and give it back, and
// checks that the lock gives out the token and the store and the client know what
// went before.
func use(t *testing.T, engine *actors.Engine, names int, round lease.Token) {
	t.Helper()
	for i := range names {
		client, lock := fmt.Sprint("c", i), fmt.Sprint("L", i)
		results := make([]lease.Result, 6)
		err := engine.Run(t.Context(), []lease.Operation{
			{Kind: lease.Acquire, At: lease.Instant(i), Client: client, Lock: lock, TTL: 60},
			{Kind: lease.Write, At: lease.Instant(i), Lock: lock, Key: "k", Value: "v", Token: round + 1},
			{Kind: lease.Write, At: lease.Instant(i), Lock: lock, Key: "k", Value: "w", Token: round},
			{Kind: lease.Read, At: lease.Instant(i), Lock: lock, Key: "k"},
			{Kind: lease.Release, At: lease.Instant(i), Client: client, Lock: lock},
			{Kind: lease.Status, At: lease.Instant(i), Client: client},
		}, results)
		if err != nil {
			t.Fatal(err)
		}
		age := results[5].Detail.Client.Age
		if results[0].Token != round || results[2].Code != lease.StaleToken || results[3].Value != "v" || age != lease.Age(i+1) {
			t.Fatalf("round %d, name %d: %+v, age %d", round, i, results, age)
		}
	}
}

// An actor whose lock or client has left serves another: where names come and go,
// hardly any actor is made.
func TestActorsServeOneAfterTheOther(t *testing.T) {
	const names = 5_000
	system := newSystem(t)
	for _, d := range dispatches {
		engine := start(t, system, actors.WithDispatch(d), actors.WithKeep(500, 500), actors.WithIdle(time.Hour))
		use(t, engine, names, 1)
		counts, err := engine.Counts(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if counts.Made > names/2 { // a lock and a client for each name would be 2*names
			t.Errorf("%v: %d actors made for %d names", d, counts.Made, names)
		}
		if err := engine.Stop(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
}
