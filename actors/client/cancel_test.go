package client_test

import (
	"context"
	"errors"
	"flag"
	"math/rand/v2"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/leasekeeper/lkactor/actors"
	"github.com/leasekeeper/lkactor/actors/client"
	"github.com/leasekeeper/lkactor/actors/lease"
)

var rounds = flag.Int("rounds", 20_000, "how often a grant and a cancel are made to meet; a tenth of it under -race or -short")

func manyRounds() int {
	if raced || testing.Short() {
		return *rounds / 10
	}
	return *rounds
}

// A grant and a cancel meet at random moments, on the real clock. Each acquire ends
// with a lease or with an error, and one that ends with an error leaves nothing: the
// next holder has the lock at once, and the queue is empty.
func TestCancelAgainstGrant(t *testing.T) {
	for _, policy := range []actors.Dispatch{actors.OwnGoroutine, actors.Inline} {
		t.Run(policy.String(), func(t *testing.T) {
			engine := start(t, actors.WithDispatch(policy))
			holder, waiter := open(t, engine, "holder"), open(t, engine, "waiter")
			terms := client.Terms{TTL: time.Hour}
			granted, cancelled := 0, 0
			for round := range manyRounds() / 2 {
				rng := rand.New(rand.NewPCG(uint64(round), 1))
				held := acquire(t, holder, "L", terms)
				ctx, cancel := context.WithCancel(t.Context())
				var group sync.WaitGroup
				if rng.IntN(2) == 0 {
					dally(rng, 200)
					group.Go(func() { release(t, held) })
					group.Go(func() {
						dally(rng, 60)
						cancel()
					})
				} else {
					group.Go(cancel)
					group.Go(func() { release(t, held) })
				}
				l, err := waiter.Acquire(ctx, "L", terms)
				switch {
				case l != nil && err == nil:
					granted++
					if l.Err() != nil {
						t.Fatalf("round %d: granted and over: %v", round, l.Err())
					}
					release(t, l)
				case l == nil && errors.Is(err, context.Canceled):
					cancelled++
				default:
					t.Fatalf("round %d: %v, %v", round, l, err)
				}
				group.Wait()
				cancel()
				if v := view(t, engine, "L"); len(v.Holders)+len(v.Queue) > 0 {
					t.Fatalf("round %d: left with %+v", round, v)
				}
			}
			// Every grant has taken a token: the holder's, the waiter's, and those that
			// the waiter gave back since it had been cancelled.
			last := acquire(t, holder, "L", terms)
			given := int(last.Token()) - 1 - manyRounds()/2 - granted
			t.Logf("%d granted, %d cancelled, %d of them after a grant", granted, cancelled, given)
			release(t, last)
			if granted == 0 || cancelled == 0 {
				t.Errorf("%d granted, %d cancelled: they do not meet", granted, cancelled)
			}
			shut(t, holder, waiter)
			if err := engine.Stop(t.Context()); err != nil {
				t.Fatal(err)
			}
		})
	}
}

// dally lets a random while pass, of at most so many yields.
func dally(rng *rand.Rand, most int) {
	for range rng.IntN(most) {
		runtime.Gosched()
	}
}

// Many clients that come, wait, give up and go, on the real clock and with leases
// that lapse: never two holders at once, and nothing is left.
func TestManyClientsComeAndGo(t *testing.T) {
	engine := start(t)
	var inside [4]struct {
		sync.Mutex
		token lease.Token
	}
	locks := []string{"K", "L", "M", "N"}
	var group sync.WaitGroup
	for worker := range 16 {
		group.Go(func() {
			rng := rand.New(rand.NewPCG(uint64(worker), 2))
			c := open(t, engine, "w"+string(rune('a'+worker)))
			for range manyRounds() / 100 {
				i := rng.IntN(len(locks))
				ctx, cancel := context.WithTimeout(t.Context(), time.Duration(rng.IntN(2000))*time.Microsecond)
				l, err := c.Acquire(ctx, locks[i], client.Terms{TTL: time.Minute, KeepAlive: rng.IntN(2) == 0})
				cancel()
				if err != nil {
					continue
				}
				if !inside[i].TryLock() {
					t.Error("two hold " + locks[i])
					return
				}
				if l.Token() <= inside[i].token {
					t.Errorf("token %d of %s after %d", l.Token(), locks[i], inside[i].token)
				}
				inside[i].token = l.Token()
				dally(rng, 10)
				inside[i].Unlock()
				release(t, l)
			}
			shut(t, c)
		})
	}
	group.Wait()
	for _, lock := range locks {
		empty(t, engine, lock)
	}
	if err := engine.Stop(t.Context()); err != nil {
		t.Fatal(err)
	}
}
