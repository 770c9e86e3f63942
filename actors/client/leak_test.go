package client_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/leasekeeper/lkactor/actors/client"
)

// Acquires that end, each in its own way, leave neither goroutines nor actors nor
// memory behind; timers would hold memory.
func TestNothingIsLeft(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		system := newSystem(t)
		engine := startIn(t, system)
		a, b := open(t, engine, "a"), open(t, engine, "b")
		rounds := 10_000
		if raced {
			rounds = 1000
		}
		for i := range 2000 { // whatever grows with the first use of a name
			release(t, acquire(t, a, lockName(i), client.Terms{TTL: time.Hour}))
		}
		for _, way := range ways(t, a, b) {
			before := count(t, system)
			for i := range rounds {
				way.once(i)
			}
			after := count(t, system)
			if after.goroutines > before.goroutines || after.actors > before.actors {
				t.Errorf("%s: before %+v, after %+v", way.name, before, after)
			}
			// Nothing that comes with each round: the engine's own tables may still grow.
			if more := after.objects - before.objects; more > rounds/2 && !raced {
				t.Errorf("%s: %d objects more after %d rounds", way.name, more, rounds)
			}
		}
		shut(t, a, b)
		if err := engine.Stop(t.Context()); err != nil {
			t.Fatal(err)
		}
	})
}

// way is how an acquire ends.
type way struct {
	name string
	once func(i int)
}

// ways gives them for two clients.
func ways(t *testing.T, a, b *client.Client) []way {
	hour := client.Terms{TTL: time.Hour}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	return []way{
		{"acquire and release", func(i int) { release(t, acquire(t, a, lockName(i), hour)) }},
		{"kept alive and released", func(i int) { release(t, acquire(t, a, lockName(i), kept)) }},
		{"context already cancelled", func(i int) {
			if _, err := b.Acquire(ended, lockName(i), hour); !errors.Is(err, context.Canceled) {
				t.Fatal(err)
			}
		}},
		{"refused", func(i int) {
			if _, err := b.Acquire(t.Context(), lockName(i), client.Terms{}); err == nil {
				t.Fatal("no ttl, and yet granted")
			}
		}},
		{"cancelled while waiting", func(i int) {
			l := acquire(t, a, lockName(i), hour)
			ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
			defer cancel()
			if _, err := b.Acquire(ctx, lockName(i), client.Terms{TTL: time.Hour, Wait: time.Hour}); !errors.Is(err, context.DeadlineExceeded) {
				t.Fatal(err)
			}
			release(t, l)
		}},
		{"would block", func(i int) {
			l := acquire(t, a, lockName(i), hour)
			if _, err := b.TryAcquire(t.Context(), lockName(i), hour); !errors.Is(err, client.ErrWouldBlock) {
				t.Fatal(err)
			}
			release(t, l)
		}},
		{"lapsed", func(i int) {
			l := acquire(t, a, lockName(i), client.Terms{TTL: time.Second})
			if i%97 == 0 {
				<-l.Lost()
			} else {
				time.Sleep(2 * time.Millisecond) // its end comes while others begin
			}
		}},
	}
}

// lockName gives the name for a round; they come back, but only after their leases
// have lapsed.
func lockName(i int) string { return fmt.Sprint("L", i%2000) }

// census is what there is when nothing is going on.
type census struct{ goroutines, actors, objects int }
