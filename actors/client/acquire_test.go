package client_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/leasekeeper/lkactor/actors/client"
	"github.com/leasekeeper/lkactor/actors/lease"
)

var ten = client.Terms{TTL: 10 * time.Second}

// acquire takes a lock that must be had.
func acquire(t testing.TB, c *client.Client, lock string, terms client.Terms) *client.Lease {
	t.Helper()
	l, err := c.Acquire(context.Background(), lock, terms)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func release(t testing.TB, l *client.Lease) {
	t.Helper()
	if err := l.Release(context.Background()); err != nil {
		t.Error(err)
	}
}

// A client waits until the one before it has released, and each grant has a token
// of its own.
func TestAcquireWaits(t *testing.T) {
	bubble(t, func(t *testing.T, wire *line) {
		a, b := open(t, wire, "a"), open(t, wire, "b")
		first := acquire(t, a, "L", ten)
		got := make(chan *client.Lease)
		go func() { got <- acquire(t, b, "L", ten) }()
		synctest.Wait()
		time.Sleep(3 * time.Second)
		select {
		case <-got:
			t.Fatal("two hold it")
		default:
		}
		release(t, first)
		second := <-got
		if first.Token() != 1 || second.Token() != 2 || second.Lock() != "L" || second.Mode() != lease.Exclusive {
			t.Errorf("tokens %d and %d", first.Token(), second.Token())
		}
		if left := time.Until(second.Expiry()); left != 10*time.Second {
			t.Errorf("%v left of a lease just granted", left)
		}
		release(t, second)
		release(t, second) // harmless
		empty(t, wire.engine, "L")
		shut(t, a, b)
	})
}

func TestAcquireShared(t *testing.T) {
	bubble(t, func(t *testing.T, wire *line) {
		a, b, c := open(t, wire, "a"), open(t, wire, "b"), open(t, wire, "c")
		shared := ten
		shared.Mode = lease.Shared
		acquire(t, a, "L", shared)
		acquire(t, b, "L", shared)
		if _, err := c.TryAcquire(t.Context(), "L", ten); !errors.Is(err, client.ErrWouldBlock) {
			t.Error(err)
		}
		acquire(t, c, "L", shared)
		shut(t, a, b, c)
		empty(t, wire.engine, "L")
	})
}

// What ends a wait without a grant leaves nothing in the queue, and says why.
func TestAcquireGivenUp(t *testing.T) {
	bubble(t, func(t *testing.T, wire *line) {
		a, b := open(t, wire, "a"), open(t, wire, "b")
		held := acquire(t, a, "L", client.Terms{TTL: time.Hour})
		done, cancel := context.WithCancel(t.Context())
		cancel()
		short, stop := context.WithTimeout(t.Context(), time.Minute)
		defer stop()
		limited := ten
		limited.Wait = time.Second
		for _, c := range []struct {
			name  string
			ctx   context.Context
			terms client.Terms
			want  error
			after time.Duration
		}{
			{"context already ended", done, ten, context.Canceled, 0},
			{"context with a deadline", short, ten, context.DeadlineExceeded, time.Minute},
			{"wait limit", t.Context(), limited, client.ErrWaitLimit, time.Second},
			{"ttl out of range", t.Context(), client.Terms{}, lease.InvalidTTL, 0},
			{"negative wait", t.Context(), client.Terms{TTL: 1e9, Wait: -1}, client.ErrTerms, 0},
			{"margin without end", t.Context(), client.Terms{TTL: 1e9, Margin: 1e9}, client.ErrTerms, 0},
			{"negative margin", t.Context(), client.Terms{TTL: 1e9, Margin: -1}, client.ErrTerms, 0},
		} {
			begun := time.Now()
			l, err := b.Acquire(c.ctx, "L", c.terms)
			var e *client.Error
			if l != nil || !errors.Is(err, c.want) || !errors.As(err, &e) || e.Lock != "L" || e.Client != "b" || e.Op != "acquire" {
				t.Errorf("%s: %v, %v", c.name, l, err)
			}
			if after := time.Since(begun); after != c.after {
				t.Errorf("%s: after %v", c.name, after)
			}
			if v := view(t, wire.engine, "L"); len(v.Queue) > 0 {
				t.Errorf("%s: %v is left in the queue", c.name, v.Queue)
			}
		}
		if ops, _ := wire.sent(lease.Acquire); len(ops) != 4 { // a's, and b's that were not refused before
			t.Errorf("%d acquires were sent: %v", len(ops), ops)
		}
		release(t, held)
		shut(t, a, b)
	})
}

// A client that already waits, or has the lock, is refused (C1); so is another
// instance of its name.
func TestC1_Busy(t *testing.T) {
	bubble(t, func(t *testing.T, wire *line) {
		a, b := open(t, wire, "a"), open(t, wire, "b")
		held := acquire(t, a, "L", ten)
		for range 2 {
			if _, err := a.Acquire(t.Context(), "L", ten); !errors.Is(err, lease.ClientBusy) {
				t.Errorf("a second lease: %v", err)
			}
			if _, err := a.TryAcquire(t.Context(), "L", ten); !errors.Is(err, lease.ClientBusy) {
				t.Errorf("trying for a second lease: %v", err)
			}
		}
		waiting := make(chan error)
		ctx, cancel := context.WithCancel(t.Context())
		go func() {
			_, err := b.Acquire(ctx, "L", ten)
			waiting <- err
		}()
		synctest.Wait()
		for _, lock := range []string{"L", "M"} {
			if _, err := b.Acquire(t.Context(), lock, ten); !errors.Is(err, lease.ClientBusy) {
				t.Errorf("a second wait, for %s: %v", lock, err)
			}
		}
		if _, err := client.Open(t.Context(), wire, "b"); !errors.Is(err, client.ErrClientInUse) {
			t.Errorf("a second instance: %v", err)
		}
		cancel()
		if err := <-waiting; !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
		release(t, held)
		shut(t, a, b)
		shut(t, open(t, wire, "b")) // the name is free again
	})
}

// TryAcquire leaves nothing in the queue, and asks for nothing that is not free.
func TestTryAcquire(t *testing.T) {
	bubble(t, func(t *testing.T, wire *line) {
		a, b := open(t, wire, "a"), open(t, wire, "b")
		l, err := a.TryAcquire(t.Context(), "L", ten)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := b.TryAcquire(t.Context(), "L", ten); !errors.Is(err, client.ErrWouldBlock) {
			t.Error(err)
		}
		if ops, _ := wire.sent(lease.Acquire); len(ops) != 1 {
			t.Errorf("%d acquires", len(ops))
		}
		// Now another one comes in between looking and asking.
		release(t, l)
		between := open(t, wire.engine, "c")
		var taken *client.Lease
		wire.set(func(l *line) {
			l.lossy = func(op lease.Operation) loss {
				if op.Kind == lease.Acquire && op.Client == "b" {
					taken = acquire(t, between, "L", ten)
				}
				return arrives
			}
		})
		if _, err := b.TryAcquire(t.Context(), "L", ten); !errors.Is(err, client.ErrWouldBlock) {
			t.Error(err)
		}
		if v := view(t, wire.engine, "L"); len(v.Holders) != 1 || len(v.Queue) > 0 {
			t.Errorf("%+v", v)
		}
		release(t, taken)
		shut(t, a, b, between)
	})
}

// An operator who evicts a waiter ends its wait (E4).
func TestE4_EvictedWhileWaiting(t *testing.T) {
	bubble(t, func(t *testing.T, wire *line) {
		a, b := open(t, wire, "a"), open(t, wire, "b")
		held := acquire(t, a, "L", ten)
		waiting := make(chan error)
		go func() {
			_, err := b.Acquire(t.Context(), "L", ten)
			waiting <- err
		}()
		synctest.Wait()
		evict := lease.Operation{Kind: lease.Evict, Client: "b", Lock: "L"}
		if _, err := wire.engine.Ask(t.Context(), evict); err != nil {
			t.Fatal(err)
		}
		var lost *client.LostError
		if err := <-waiting; !errors.As(err, &lost) || lost.Reason != client.Evicted || lost.Token != 0 {
			t.Error(err)
		}
		evict.Client = "a"
		if _, err := wire.engine.Ask(t.Context(), evict); err != nil {
			t.Fatal(err)
		}
		<-held.Lost()
		if err := held.Err(); !errors.As(err, &lost) || lost.Reason != client.Evicted || lost.Token != 1 {
			t.Error(err)
		}
		if err := held.Release(t.Context()); !errors.Is(err, client.ErrLost) {
			t.Error(err)
		}
		shut(t, a, b)
	})
}

// A wait can be limited by the place in the queue: who would stand farther back is told so
// at once, and leaves nothing behind.
func TestWaitLimitByPlace(t *testing.T) {
	bubble(t, func(t *testing.T, wire *line) {
		a, b, c := open(t, wire, "a"), open(t, wire, "b"), open(t, wire, "c")
		held := acquire(t, a, "L", client.Terms{TTL: time.Hour})
		first := client.Terms{TTL: time.Hour, Places: 1}
		granted := make(chan *client.Lease)
		go func() { granted <- acquire(t, b, "L", first) }() // the next in line
		synctest.Wait()
		begun := time.Now()
		_, err := c.Acquire(t.Context(), "L", first)
		if !errors.Is(err, client.ErrWaitLimit) || !strings.Contains(err.Error(), "place 2 in the queue") || time.Since(begun) != 0 {
			t.Errorf("after %v: %v", time.Since(begun), err)
		}
		if _, err := c.AcquireAll(t.Context(), first, "K", "L"); !errors.Is(err, client.ErrWaitLimit) {
			t.Error(err)
		}
		if v := view(t, wire.engine, "L"); len(v.Queue) != 1 || v.Queue[0].Client != "b" {
			t.Errorf("%+v", v)
		}
		empty(t, wire.engine, "K")
		release(t, held)
		held = <-granted
		go func() { granted <- acquire(t, c, "L", first) }()
		synctest.Wait()
		release(t, held)
		release(t, <-granted)
		if _, err := c.Acquire(t.Context(), "L", client.Terms{TTL: time.Hour, Places: -1}); !errors.Is(err, client.ErrTerms) {
			t.Error(err)
		}
		shut(t, a, b, c)
	})
}
