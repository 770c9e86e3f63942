package client_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/leasekeeper/lkactor/actors"
	"github.com/leasekeeper/lkactor/actors/client"
	"github.com/leasekeeper/lkactor/actors/lease"
)

// On a line that loses operations and answers, everything is done once and is known
// in the end, with request ids (E3).
func TestE3_LossyLine(t *testing.T) {
	bubble(t, func(t *testing.T, wire *line) {
		rng := rand.New(rand.NewPCG(1, 1))
		lossy := func(lease.Operation) loss { return loss(max(0, rng.IntN(9)-6)) }
		a, b := open(t, wire, "a", client.WithRequestIDs()), open(t, wire, "b", client.WithRequestIDs())
		wire.set(func(l *line) { l.lossy = lossy })
		ids := map[string]int{}
		for i := range 200 {
			l := acquire(t, a, "L", kept)
			if l.Token() != lease.Token(2*i+1) {
				t.Fatalf("token %d in round %d", l.Token(), i)
			}
			got := make(chan *client.Lease)
			go func() { got <- acquire(t, b, "L", kept) }()
			time.Sleep(20 * time.Second) // many renews
			if l.Err() != nil {
				t.Fatal(l.Err())
			}
			if v := view(t, wire.engine, "L"); wire.engine.Now()+lease.Instant(time.Until(l.Expiry())) > v.Holders[0].Until {
				t.Fatalf("until %v by its holder, %d by the service", l.Expiry(), v.Holders[0].Until)
			}
			release(t, l)
			release(t, <-got)
			empty(t, wire.engine, "L")
		}
		for _, kind := range []lease.Kind{lease.Acquire, lease.Renew, lease.Release} {
			ops, _ := wire.sent(kind)
			for _, op := range ops {
				ids[op.ID]++
			}
			if ids[""] > 0 || len(ids) > len(ops)*9/10 {
				t.Errorf("%v: %d operations with %d ids", kind, len(ops), len(ids))
			}
			clear(ids)
		}
		shut(t, a, b)
	})
}

// What is sent again counts from when it was sent last.
func TestSentAgain(t *testing.T) {
	for _, fate := range []loss{lost, unheard} {
		bubble(t, func(t *testing.T, wire *line) {
			c := open(t, wire, "a", client.WithRequestIDs())
			left := 0
			wire.set(func(l *line) {
				l.lossy = func(op lease.Operation) loss {
					if left > 0 {
						left--
						return fate
					}
					return arrives
				}
			})
			left = 3
			l := acquire(t, c, "L", ten)
			_, at := wire.sent(lease.Acquire)
			expect := at[3].Add(ten.TTL)
			if fate == unheard { // the first one was handled
				expect = at[0].Add(ten.TTL)
			}
			if len(at) != 4 || !l.Expiry().Equal(expect) {
				t.Errorf("sent at %v, until %v", at, l.Expiry())
			}
			left = 3
			if err := l.Renew(t.Context(), time.Minute); err != nil {
				t.Error(err)
			}
			_, at = wire.sent(lease.Renew)
			if expect = at[3].Add(time.Minute); fate == unheard {
				expect = at[0].Add(time.Minute)
			}
			if len(at) != 4 || !l.Expiry().Equal(expect) {
				t.Errorf("sent at %v, until %v", at, l.Expiry())
			}
			shut(t, c)
		})
	}
}

// Without request ids an acquire of which nobody knows is taken back.
func TestUnansweredAcquire(t *testing.T) {
	for _, fate := range []loss{lost, unheard} {
		bubble(t, func(t *testing.T, wire *line) {
			c := open(t, wire, "a")
			wire.set(func(l *line) {
				l.lossy = func(op lease.Operation) loss {
					if op.Kind == lease.Acquire {
						return fate
					}
					return arrives
				}
			})
			if _, err := c.Acquire(t.Context(), "L", ten); !errors.Is(err, client.ErrUnanswered) {
				t.Error(err)
			}
			empty(t, wire.engine, "L")
			shut(t, c)
		})
	}
}

// An acquire that nobody answers comes back soon after it was given up, and what is
// left of it is seen to when the service speaks again; until then the client waits.
func TestGivenUpUnanswered(t *testing.T) {
	bubble(t, func(t *testing.T, wire *line) {
		c, next := open(t, wire, "a"), open(t, wire.engine, "next")
		wire.set(func(l *line) { l.silent = true })
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		begun := time.Now()
		if _, err := c.Acquire(ctx, "L", client.Terms{TTL: time.Hour}); !errors.Is(err, context.DeadlineExceeded) || time.Since(begun) != time.Minute+client.Grace {
			t.Errorf("after %v: %v", time.Since(begun), err)
		}
		short, stop := context.WithTimeout(t.Context(), time.Minute)
		defer stop()
		if _, err := c.Acquire(short, "M", ten); !errors.Is(err, context.DeadlineExceeded) {
			t.Error(err)
		}
		if ops, _ := wire.sent(lease.Acquire); len(ops) != 1 {
			t.Errorf("%d acquires", len(ops))
		}
		wire.set(func(l *line) { l.silent = false })
		synctest.Wait()
		release(t, acquire(t, next, "L", ten))
		release(t, acquire(t, c, "L", ten))
		// The same again, with the acquire answered and its withdrawal not: it is
		// heard of when nobody waits for it any more, and the next one can come.
		held := acquire(t, next, "L", client.Terms{TTL: time.Hour})
		blocked, stop := context.WithTimeout(t.Context(), time.Minute)
		defer stop()
		go func() {
			time.Sleep(time.Minute - 1)
			wire.set(func(l *line) { l.full = true })
		}()
		if _, err := c.Acquire(blocked, "L", ten); !errors.Is(err, context.DeadlineExceeded) {
			t.Error(err)
		}
		wire.set(func(l *line) { l.full = false })
		synctest.Wait()
		if v := view(t, wire.engine, "L"); len(v.Queue) > 0 {
			t.Errorf("%+v", v)
		}
		release(t, held)
		// What Close cannot wait for does not go on for ever.
		wire.set(func(l *line) { l.silent = true })
		ended, stop := context.WithTimeout(t.Context(), time.Minute)
		defer stop()
		if _, err := c.Acquire(ended, "L", ten); err == nil {
			t.Error("granted by a silent service")
		}
		closing, stop := context.WithTimeout(t.Context(), time.Minute)
		defer stop()
		if err := c.Close(closing); !errors.Is(err, context.DeadlineExceeded) {
			t.Error(err)
		}
		shut(t, next)
		wire.set(func(l *line) { l.silent = false })
	})
}

// A service without room that lets nobody wait: an acquire and a renew by hand say so;
// what takes something back, and what keeps a lease alive, is tried again.
func TestOverloaded(t *testing.T) {
	bubble(t, func(t *testing.T, wire *line) {
		a, b := open(t, wire, "a"), open(t, wire, "b")
		refusing := func(kinds ...lease.Kind) {
			var left atomic.Int64
			left.Store(5)
			wire.set(func(l *line) {
				l.refuses = func(op lease.Operation) bool {
					return slices.Contains(kinds, op.Kind) && left.Add(-1) >= 0
				}
			})
		}
		held := acquire(t, a, "L", kept)
		refusing(lease.Renew, lease.Acquire)
		if err := held.Renew(t.Context(), time.Minute); !errors.Is(err, client.ErrOverloaded) {
			t.Error(err)
		}
		if _, err := b.Acquire(t.Context(), "M", ten); !errors.Is(err, client.ErrOverloaded) {
			t.Error(err)
		}
		time.Sleep(time.Minute)
		if held.Err() != nil {
			t.Error(held.Err())
		}
		limited := ten
		limited.Wait = time.Second
		for _, try := range []func() error{
			func() error { _, err := b.Acquire(t.Context(), "L", limited); return err },
			func() error { _, err := b.AcquireAll(t.Context(), limited, "A", "B", "L"); return err },
		} {
			refusing(lease.Release)
			if err := try(); !errors.Is(err, client.ErrWaitLimit) {
				t.Error(err)
			}
			for _, lock := range []string{"A", "B", "L"} {
				if v := view(t, wire.engine, lock); len(v.Queue) > 0 || lock != "L" && len(v.Holders) > 0 {
					t.Errorf("%s: %+v", lock, v)
				}
			}
		}
		refusing(lease.Release)
		if err := held.Release(t.Context()); !errors.Is(err, client.ErrOverloaded) {
			t.Error(err)
		}
		shut(t, a, b)
		empty(t, wire.engine, "L")
	})
}

// What an engine refuses for one of its limits has no effect, and the client goes on.
func TestEngineLimits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		engine := start(t, actors.WithLimits(actors.Limits{Locks: 2, Waiters: 1}))
		var clients []*client.Client
		for _, name := range []string{"a", "b", "c"} {
			clients = append(clients, open(t, engine, name))
		}
		a, b, c := clients[0], clients[1], clients[2]
		held := acquire(t, a, "K", client.Terms{TTL: time.Hour})
		if _, err := a.AcquireAll(t.Context(), ten, "L", "M"); !errors.Is(err, actors.ErrLimit) {
			t.Errorf("a third lock: %v", err)
		}
		empty(t, engine, "L")
		waiting := make(chan *client.Lease)
		go func() { waiting <- acquire(t, b, "K", ten) }()
		synctest.Wait()
		for range 2 {
			if _, err := c.Acquire(t.Context(), "K", ten); !errors.Is(err, actors.ErrLimit) {
				t.Errorf("a second waiter: %v", err)
			}
		}
		release(t, held)
		release(t, <-waiting)
		release(t, acquire(t, c, "K", ten))
		shut(t, clients...)
		if err := engine.Stop(t.Context()); err != nil {
			t.Fatal(err)
		}
	})
}

// An engine that stops answers whoever waits, and leases end at their expiry.
func TestStoppedEngine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		engine := start(t)
		a, b := open(t, engine, "a"), open(t, engine, "b")
		l := acquire(t, a, "L", kept)
		waiting := make(chan error)
		go func() {
			_, err := b.Acquire(t.Context(), "L", ten)
			waiting <- err
		}()
		synctest.Wait()
		if err := engine.Stop(t.Context()); err != nil {
			t.Fatal(err)
		}
		if err := <-waiting; !errors.Is(err, actors.ErrStopped) {
			t.Error(err)
		}
		if _, err := b.TryAcquire(t.Context(), "L", ten); !errors.Is(err, actors.ErrStopped) {
			t.Error(err)
		}
		if l.Err() != nil {
			t.Error("lost before its time")
		}
		begun := time.Now()
		<-l.Lost()
		if d := time.Since(begun); d > kept.TTL {
			t.Errorf("lost after %v", d)
		}
		for _, c := range []*client.Client{a, b} {
			if err := c.Close(t.Context()); !errors.Is(err, actors.ErrStopped) {
				t.Error(err)
			}
		}
		if _, err := client.Open(t.Context(), engine, "a"); !errors.Is(err, actors.ErrStopped) {
			t.Error(err)
		}
	})
}
