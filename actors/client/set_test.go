package client_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/leasekeeper/lkactor/actors/client"
	"github.com/leasekeeper/lkactor/actors/lease"
)

// AcquireAll takes its locks in ascending order, whatever order they are named in,
// and keeps those it has while it waits for the next.
func TestAcquireAll(t *testing.T) {
	bubble(t, func(t *testing.T, wire *line) {
		a, b := open(t, wire, "a"), open(t, wire, "b")
		third := acquire(t, a, "c", client.Terms{TTL: time.Hour})
		go func() {
			time.Sleep(30 * time.Minute)
			release(t, third)
		}()
		begun := time.Now()
		set, err := b.AcquireAll(t.Context(), ten, "d", "b", "c", "a")
		if err != nil {
			t.Fatal(err)
		}
		if time.Since(begun) != 30*time.Minute {
			t.Errorf("waited %v", time.Since(begun))
		}
		var order []string
		ops, _ := wire.sent(lease.Acquire)
		for _, op := range ops[1:] {
			order = append(order, op.Lock)
		}
		var held []string
		for _, l := range set.Leases() {
			held = append(held, l.Lock())
			if left := time.Until(l.Expiry()); left < 20*time.Second/3 || l.Err() != nil {
				t.Errorf("%v left of %s: %v", left, l.Lock(), l.Err())
			}
		}
		if want := []string{"a", "b", "c", "d"}; !slices.Equal(order, want) || !slices.Equal(held, want) {
			t.Errorf("asked for %v, holds %v", order, held)
		}
		if set.Token("c") != 2 || set.Token("a") != 1 || set.Token("x") != 0 || set.Lease("x") != nil {
			t.Error("tokens")
		}
		synctest.Wait() // one may be on its way
		before, _ := wire.sent(lease.Renew)
		<-set.Context().Done() // they are not kept any longer than was asked for
		if !errors.Is(context.Cause(set.Context()), client.ErrClosing) {
			t.Error(context.Cause(set.Context()))
		}
		if after, _ := wire.sent(lease.Renew); len(after) != len(before) || len(before) < 1000 {
			t.Errorf("%d renews while it waited, %d afterwards", len(before), len(after)-len(before))
		}
		if err := set.Release(t.Context()); err != nil {
			t.Error(err)
		}
		for _, lock := range []string{"a", "b", "c", "d"} {
			empty(t, wire.engine, lock)
		}
		shut(t, a, b)
	})
}

func TestAcquireAllModesAndMistakes(t *testing.T) {
	bubble(t, func(t *testing.T, wire *line) {
		a, b := open(t, wire, "a"), open(t, wire, "b")
		wants := []client.Want{{Lock: "x"}, {Lock: "cfg", Mode: lease.Shared}}
		set, err := a.AcquireWants(t.Context(), kept, wants...)
		if err != nil {
			t.Fatal(err)
		}
		if wants[0].Lock != "x" {
			t.Error("the caller's slice was sorted")
		}
		if set.Lease("cfg").Mode() != lease.Shared || set.Lease("x").Mode() != lease.Exclusive {
			t.Error("modes")
		}
		time.Sleep(time.Hour)
		if set.Context().Err() != nil {
			t.Error("not kept alive")
		}
		if _, err := b.AcquireAll(t.Context(), ten, "p", "q", "p"); !errors.Is(err, client.ErrTerms) {
			t.Error(err)
		}
		limited := ten
		limited.Wait = time.Minute
		begun := time.Now()
		if _, err := b.AcquireAll(t.Context(), limited, "p", "x", "y"); !errors.Is(err, client.ErrWaitLimit) || time.Since(begun) != time.Minute {
			t.Errorf("after %v: %v", time.Since(begun), err)
		}
		empty(t, wire.engine, "p")
		nothing, err := b.AcquireAll(t.Context(), ten)
		if err != nil || len(nothing.Leases()) != 0 || nothing.Context().Err() != nil {
			t.Error("no locks at all", err)
		}
		if err := nothing.Release(t.Context()); err != nil || nothing.Context().Err() == nil {
			t.Error(err)
		}
		shut(t, a, b)
	})
}

// A set is renewed as a whole, ends with the first of its leases, and is lost with it.
func TestSetAsAWhole(t *testing.T) {
	bubble(t, func(t *testing.T, wire *line) {
		a := open(t, wire, "a")
		set, err := a.AcquireAll(t.Context(), ten, "K", "L", "M")
		if err != nil {
			t.Fatal(err)
		}
		begun := time.Now()
		if err := set.Renew(t.Context(), time.Hour); err != nil || set.Expiry().Sub(begun) != time.Hour {
			t.Errorf("until %v: %v", set.Expiry(), err)
		}
		if err := set.Lease("L").Renew(t.Context(), time.Minute); err != nil || set.Expiry().Sub(begun) != time.Minute {
			t.Errorf("until %v: %v", set.Expiry(), err)
		}
		release(t, set.Lease("K"))
		synctest.Wait()
		if closed(set.Lost()) || set.Context().Err() == nil || !errors.Is(set.Err(), client.ErrReleased) {
			t.Errorf("one was released: %v", set.Err())
		}
		<-set.Lost()
		if after := time.Since(begun); after != time.Minute {
			t.Errorf("lost after %v", after)
		}
		if err := set.Renew(t.Context(), time.Hour); !errors.Is(err, client.ErrLost) || !errors.Is(err, client.ErrReleased) {
			t.Error(err)
		}
		if left := time.Until(set.Lease("M").Expiry()); left != time.Hour {
			t.Errorf("the others were not renewed: %v left", left)
		}
		if err := set.Release(t.Context()); !errors.Is(err, client.ErrLost) {
			t.Error(err)
		}
		shut(t, a)
	})
}

// When one lease is lost while the next lock is waited for, nothing is kept.
func TestAcquireAllLosesOne(t *testing.T) {
	bubble(t, func(t *testing.T, wire *line) {
		a, b := open(t, wire, "a"), open(t, wire, "b")
		acquire(t, a, "c", client.Terms{TTL: time.Hour})
		result := make(chan error)
		go func() {
			_, err := b.AcquireAll(t.Context(), ten, "a", "b", "c")
			result <- err
		}()
		time.Sleep(time.Minute)
		if _, err := wire.engine.Ask(t.Context(), lease.Operation{Kind: lease.Evict, Client: "b", Lock: "a"}); err != nil {
			t.Fatal(err)
		}
		var lost *client.LostError
		if err := <-result; !errors.As(err, &lost) || lost.Lock != "a" || lost.Reason != client.Evicted || errors.Is(err, context.Canceled) {
			t.Error(err)
		}
		for _, lock := range []string{"a", "b"} {
			empty(t, wire.engine, lock)
		}
		if v := view(t, wire.engine, "c"); len(v.Queue) > 0 {
			t.Errorf("%+v", v)
		}
		shut(t, a, b)
	})
}

// ring has two clients wait for each other: the younger is aborted.
func ring(t *testing.T, older, younger *client.Client, lastIsYounger bool) (victim error) {
	t.Helper()
	l := acquire(t, older, "L", kept)
	m := acquire(t, younger, "M", kept)
	result := make(chan error, 1)
	wait := func(c *client.Client, lock string) {
		got, err := c.Acquire(t.Context(), lock, kept)
		if err == nil {
			release(t, got)
		}
		if c == younger {
			result <- err
		}
	}
	var group sync.WaitGroup
	first, firstLock, last, lastLock := younger, "L", older, "M"
	if lastIsYounger {
		first, firstLock, last, lastLock = older, "M", younger, "L"
	}
	group.Go(func() { wait(first, firstLock) })
	synctest.Wait()
	group.Go(func() { wait(last, lastLock) })
	victim = <-result
	group.Wait()
	<-m.Lost()
	if !errors.Is(m.Err(), client.ErrLost) || !errors.Is(m.Err(), client.ErrDeadlock) {
		t.Errorf("the victim's lease: %v", m.Err())
	}
	if err := m.Release(t.Context()); !errors.Is(err, client.ErrDeadlock) {
		t.Error(err)
	}
	release(t, l)
	return victim
}

// The victim of a deadlock is told the cycle, whether its own acquire closed it or
// it had been waiting.
func TestD_TheVictimsError(t *testing.T) {
	for _, lastIsYounger := range []bool{false, true} {
		bubble(t, func(t *testing.T, wire *line) {
			a, b := open(t, wire, "a"), open(t, wire, "b")
			err := ring(t, a, b, lastIsYounger)
			var d *client.DeadlockError
			if !errors.Is(err, client.ErrDeadlock) || !errors.As(err, &d) || d.Lock != "L" || d.Why == nil {
				t.Fatal(err)
			}
			at := slices.IndexFunc(d.Why.Cycle, func(w lease.Wait) bool { return w.Waiter == "b" })
			if len(d.Why.Cycle) != 2 || at < 0 || d.Why.Cycle[at] != (lease.Wait{Waiter: "b", Lock: "L", Blocker: "a", Token: 1, Age: 1}) {
				t.Errorf("%+v", d.Why)
			}
			text := `"b" waits for "L" on "a" (holding it, exclusive, token 1, age 1)`
			if !errors.Is(err, client.ErrDeadlock) || !strings.Contains(err.Error(), text) {
				t.Errorf("%v does not say %s", err, text)
			}
			shut(t, a, b)
			empty(t, wire.engine, "L")
			empty(t, wire.engine, "M")
		})
	}
}
