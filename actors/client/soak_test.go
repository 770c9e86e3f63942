package client_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/leasekeeper/lkactor/actors/client"
	"github.com/leasekeeper/lkactor/actors/lease"
)

var soak = flag.Duration("soak", time.Second, "how long the soak on the real clock lasts")

// The random courses on the real clock, without slow lines: no two believe in leases
// that exclude each other, and neither leases nor goroutines are left.
func TestSoak(t *testing.T) {
	base := goleak.IgnoreCurrent()
	t.Run("courses", func(t *testing.T) { // so that the system is shut down before goroutines are counted
		engine := start(t)
		b := &board{leases: map[string][]*client.Lease{}, tokens: map[string]lease.Token{}, calm: true}
		var courses atomic.Int64
		var group sync.WaitGroup
		end := time.Now().Add(*soak)
		for i := range 8 {
			group.Go(func() {
				rng := rand.New(rand.NewPCG(uint64(i), 9))
				c := open(t, engine, fmt.Sprint("c", i))
				for time.Now().Before(end) && !t.Failed() {
					err := course(t, rng, c, b)
					if errors.Is(err, lease.ClientBusy) || errors.Is(err, client.ErrDeadlock) {
						t.Errorf("%v, although nothing was left of what came before", err)
					}
					courses.Add(1)
				}
				shut(t, c)
			})
		}
		group.Wait()
		for _, lock := range courseLocks {
			empty(t, engine, lock)
		}
		t.Logf("%d courses, %d grants", courses.Load(), b.grants)
		if b.grants == 0 {
			t.Error("nothing was granted")
		}
		if err := engine.Stop(t.Context()); err != nil {
			t.Fatal(err)
		}
	})
	goleak.VerifyNone(t, base)
}

// One client used by many goroutines at once, and closed in the middle of it: every
// call comes back with something sensible, and nothing is left.
func TestOneClientManyGoroutines(t *testing.T) {
	engine := start(t)
	other := open(t, engine, "other")
	for round := range manyRounds() / 400 {
		c := open(t, engine, "shared")
		var group sync.WaitGroup
		var calls atomic.Int64
		for i := range 8 {
			group.Go(func() {
				rng := rand.New(rand.NewPCG(uint64(round), uint64(i)))
				for {
					ctx, cancel := context.WithTimeout(t.Context(), time.Duration(rng.IntN(1000))*time.Microsecond)
					l, err := c.Acquire(ctx, courseLocks[rng.IntN(3)], client.Terms{TTL: 5 * time.Millisecond, KeepAlive: rng.IntN(2) == 0})
					if err == nil {
						var both sync.WaitGroup
						both.Go(func() { _ = l.Renew(ctx, time.Second) })
						both.Go(func() { l.KeepAlive(rng.Uint64()%2 == 0) })
						both.Go(func() { _ = l.Context().Err() })
						_ = l.Release(context.Background())
						both.Wait()
						if l.Err() == nil || l.Context().Err() == nil {
							t.Error("not over after its release")
						}
					}
					cancel()
					calls.Add(1)
					switch {
					case errors.Is(err, client.ErrClosed):
						return
					case err != nil && !errors.Is(err, context.DeadlineExceeded) && !errors.Is(err, lease.ClientBusy) && !errors.Is(err, client.ErrLost):
						t.Error(err)
						return
					}
				}
			})
		}
		group.Go(func() { // somebody for them to wait for
			for range 10 {
				if l, err := other.TryAcquire(t.Context(), courseLocks[0], client.Terms{TTL: time.Minute}); err == nil {
					dally(rand.New(rand.NewPCG(uint64(round), 99)), 50)
					release(t, l)
				}
			}
		})
		for calls.Load() < 100 && !t.Failed() {
			time.Sleep(100 * time.Microsecond)
		}
		shut(t, c)
		group.Wait()
		for _, lock := range courseLocks {
			empty(t, engine, lock)
		}
		if t.Failed() {
			t.Fatalf("round %d", round)
		}
	}
	shut(t, other)
	if err := engine.Stop(t.Context()); err != nil {
		t.Fatal(err)
	}
}
