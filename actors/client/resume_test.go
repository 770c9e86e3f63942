package client_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/uuid"

	"github.com/leasekeeper/lkactor/actors"
	"github.com/leasekeeper/lkactor/actors/client"
	"github.com/leasekeeper/lkactor/actors/durable"
	"github.com/leasekeeper/lkactor/actors/lease"
)

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
