package client_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/uuid"

	"github.com/leasekeeper/lkactor/actors"
	"github.com/leasekeeper/lkactor/actors/client"
	"github.com/leasekeeper/lkactor/actors/durable"
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

// A new instance finds the leases of the one before it, and its place in a queue is
// given up.
func TestResume(t *testing.T) {
	bubble(t, func(t *testing.T, wire *line) {
		ask := func(kind lease.Kind, name, lock string, mode lease.Mode) {
			t.Helper()
			op := lease.Operation{Kind: kind, Client: name, Lock: lock, Mode: mode, TTL: lease.Duration(10 * time.Second)}
			if _, err := wire.engine.Ask(t.Context(), op); err != nil {
				t.Fatal(err)
			}
		}
		ask(lease.Acquire, "other", "X", lease.Exclusive)
		ask(lease.Acquire, "a", "M", lease.Shared)
		ask(lease.Acquire, "a", "L", lease.Exclusive)
		ask(lease.Acquire, "a", "X", lease.Exclusive)
		time.Sleep(4 * time.Second)
		c := open(t, wire, "a")
		leases, err := c.Resume(t.Context(), kept)
		if err != nil || len(leases) != 2 || leases[0].Lock() != "L" || leases[1].Lock() != "M" || leases[1].Mode() != lease.Shared {
			t.Fatal(leases, err)
		}
		if left := time.Until(leases[0].Expiry()); left != 6*time.Second || leases[0].Token() != 1 {
			t.Errorf("%v left, token %d", left, leases[0].Token())
		}
		if v := view(t, wire.engine, "X"); len(v.Queue) > 0 {
			t.Errorf("%+v", v)
		}
		time.Sleep(time.Hour)
		if leases[0].Err() != nil {
			t.Error("not kept alive")
		}
		if again, err := c.Resume(t.Context(), kept); err != nil || len(again) > 0 {
			t.Error(again, err)
		}
		release(t, leases[0])
		shut(t, c)
		empty(t, wire.engine, "M")
	})
}

// Over a restart of a durable engine a client keeps its lease, under its token.
func TestResumeAfterARestart(t *testing.T) {
	dir := t.TempDir()
	run := func(test func(engine *actors.Engine)) {
		t.Helper()
		store, err := durable.Open(dir, durable.Options{})
		if err != nil {
			t.Fatal(err)
		}
		engine := start(t, actors.WithJournal(store))
		test(engine)
		if err := errors.Join(engine.Stop(t.Context()), store.Close()); err != nil {
			t.Fatal(err)
		}
	}
	var before *lease.LockView
	run(func(engine *actors.Engine) {
		acquire(t, open(t, engine, "a"), "L", client.Terms{TTL: time.Hour})
		before = view(t, engine, "L")
	})
	run(func(engine *actors.Engine) {
		c, next := open(t, engine, "a"), open(t, engine, "b")
		leases, err := c.Resume(t.Context(), client.Terms{TTL: time.Hour})
		if err != nil || len(leases) != 1 || leases[0].Token() != 1 || leases[0].Err() != nil {
			t.Fatal(leases, err)
		}
		if after := view(t, engine, "L"); !slices.Equal(after.Holders, before.Holders) {
			t.Errorf("before %+v, after %+v", before, after)
		}
		old := leases[0].Expiry()
		if err := leases[0].Renew(t.Context(), 2*time.Hour); err != nil || !leases[0].Expiry().After(old) {
			t.Error(err)
		}
		if _, err := next.TryAcquire(t.Context(), "L", ten); !errors.Is(err, client.ErrWouldBlock) {
			t.Error(err)
		}
		release(t, leases[0])
		if l := acquire(t, next, "L", ten); l.Token() != 2 {
			t.Errorf("token %d", l.Token())
		}
		shut(t, c, next)
	})
}

// deputy is a service whose events a test makes up.
type deputy struct {
	*actors.Engine
	told func(lease.Event)
}

func (d *deputy) Watch(_ context.Context, _ string, _ uuid.UUID, told func(lease.Event)) (func(), error) {
	d.told = told
	return func() {}, nil
}

// A client that could not be told everything is told how it stands (EventCurrent).
func TestToldHowItStands(t *testing.T) {
	for _, c := range []struct {
		name  string
		state lease.ClientView
		wait  error // of the acquire of W; nil if it is granted, context.Canceled if it goes on
		held  error // of the lease of H
	}{
		{"as before", lease.ClientView{Age: 1, Holds: []lease.HoldView{{Lock: "H", Token: 1}}, Waiting: "W"}, context.Canceled, nil},
		{"granted", lease.ClientView{Age: 1, Holds: []lease.HoldView{{Lock: "H", Token: 1}, {Lock: "W", Token: 2, Until: 1 << 50}}}, nil, nil},
		{"lost", lease.ClientView{Age: 1, Waiting: "W"}, context.Canceled, client.ErrLost},
		{"lost and had again", lease.ClientView{Age: 1, Holds: []lease.HoldView{{Lock: "H", Token: 3}}, Waiting: "W"}, context.Canceled, client.ErrLost},
		{"evicted", lease.ClientView{Age: 1, Holds: []lease.HoldView{{Lock: "H", Token: 1}}}, client.ErrLost, nil},
		{"aborted", lease.ClientView{}, client.ErrDeadlock, client.ErrDeadlock},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				engine := start(t)
				d := &deputy{Engine: engine}
				me, other := open(t, d, "me"), open(t, engine, "other")
				h, w := acquire(t, me, "H", ten), acquire(t, other, "W", client.Terms{TTL: time.Hour})
				ctx, cancel := context.WithCancel(t.Context())
				result := make(chan error)
				go func() {
					l, err := me.Acquire(ctx, "W", ten)
					if err == nil && l.Token() != 2 {
						err = fmt.Errorf("token %d", l.Token())
					}
					result <- err
				}()
				synctest.Wait()
				d.told(lease.Event{Kind: lease.EventCurrent, Seq: 0, State: &lease.ClientView{}}) // of long ago
				synctest.Wait()
				if h.Err() != nil {
					t.Fatal("believed what was long past")
				}
				d.told(lease.Event{Kind: lease.EventCurrent, Seq: 1000, State: &c.state})
				synctest.Wait()
				cancel()
				if err := <-result; !errors.Is(err, c.wait) {
					t.Errorf("the wait: %v", err)
				}
				if !errors.Is(h.Err(), c.held) {
					t.Errorf("the lease: %v", h.Err())
				}
				release(t, w)
				_ = me.Close(t.Context()) // what the made-up events have left is not ours to check
				shut(t, other)
				if err := engine.Stop(t.Context()); err != nil {
					t.Fatal(err)
				}
			})
		})
	}
}
