package client_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/leasekeeper/lkactor/actors/client"
	"github.com/leasekeeper/lkactor/actors/lease"
)

var kept = client.Terms{TTL: 9 * time.Second, KeepAlive: true}

// A lease that nobody renews ends for its holder when it does for the service: the
// work under it a margin earlier, by its context.
func TestLeaseRunsOut(t *testing.T) {
	bubble(t, func(t *testing.T, wire *line) {
		c := open(t, wire, "a")
		begun := time.Now()
		l := acquire(t, c, "L", ten)
		type key struct{}
		other, err := c.Acquire(context.WithValue(t.Context(), key{}, 7), "M", client.Terms{TTL: 10 * time.Second, Margin: 4 * time.Second})
		if err != nil {
			t.Fatal(err)
		}
		if other.Context().Value(key{}) != 7 {
			t.Error("the context of a lease has not the values of its acquire's")
		}
		<-other.Context().Done()
		if d := time.Since(begun); d != 6*time.Second || !errors.Is(context.Cause(other.Context()), client.ErrClosing) {
			t.Errorf("the context ended after %v: %v", d, context.Cause(other.Context()))
		}
		<-l.Context().Done()
		if d := time.Since(begun); d != 9*time.Second || !errors.Is(context.Cause(l.Context()), client.ErrClosing) {
			t.Errorf("the context ended after %v: %v", d, context.Cause(l.Context()))
		}
		if closed(l.Lost()) || l.Err() != nil {
			t.Error("lost before its end")
		}
		<-l.Lost()
		var lost *client.LostError
		if d := time.Since(begun); d != 10*time.Second || !errors.As(l.Err(), &lost) || lost.Token != 1 || lost.Lock != "L" {
			t.Errorf("lost after %v: %v", d, l.Err())
		}
		if err := l.Renew(t.Context(), time.Second); !errors.Is(err, client.ErrLost) {
			t.Errorf("renew: %v", err)
		}
		if err := l.Release(t.Context()); !errors.Is(err, client.ErrLost) {
			t.Errorf("release: %v", err)
		}
		acquire(t, c, "L", ten) // it can be had again
		shut(t, c)
	})
}

// Who is told of the end first, the holder or by its own clock, makes no difference;
// a context that is asked for late has ended already.
func TestContextAskedForLate(t *testing.T) {
	bubble(t, func(t *testing.T, wire *line) {
		c := open(t, wire, "a")
		l := acquire(t, c, "L", ten)
		time.Sleep(9500 * time.Millisecond)
		if ctx := l.Context(); !errors.Is(context.Cause(ctx), client.ErrClosing) {
			t.Error(context.Cause(ctx))
		}
		time.Sleep(time.Second)
		m := acquire(t, c, "M", ten)
		release(t, m)
		if ctx := m.Context(); !errors.Is(context.Cause(ctx), client.ErrReleased) {
			t.Error(context.Cause(ctx))
		}
		if closed(m.Lost()) {
			t.Error("a release is no loss")
		}
		shut(t, c)
	})
}

// At the moment of its end a lease is lost for whoever asks, whether or not its timer
// has come to it.
func TestAskedAtItsEnd(t *testing.T) {
	bubble(t, func(t *testing.T, wire *line) {
		c := open(t, wire, "a")
		for i := range 300 {
			l := acquire(t, c, "L", ten)
			var err error
			switch i % 4 {
			case 0:
				time.Sleep(ten.TTL)
				err = l.Err()
			case 1:
				time.Sleep(ten.TTL)
				err = context.Cause(l.Context())
			case 2:
				time.Sleep(ten.TTL)
				err = l.Release(t.Context())
			case 3:
				time.Sleep(ten.TTL)
				err = l.Renew(t.Context(), time.Minute)
			}
			if !errors.Is(err, client.ErrLost) {
				t.Fatalf("%d: %v", i%4, err)
			}
		}
		shut(t, c)
	})
}

// A renew counts from when it was sent and can shorten (L2); no margin survives that
// the new ttl has no room for.
func TestL2_Renew(t *testing.T) {
	bubble(t, func(t *testing.T, wire *line) {
		c := open(t, wire, "a")
		l := acquire(t, c, "L", ten)
		for _, ttl := range []time.Duration{time.Minute, 2 * time.Second, 10 * time.Second} {
			time.Sleep(time.Second)
			if err := l.Renew(t.Context(), ttl); err != nil {
				t.Fatal(err)
			}
			if left := time.Until(l.Expiry()); left != ttl {
				t.Errorf("renewed for %v: %v left", ttl, left)
			}
			if v := view(t, wire.engine, "L"); v.Holders[0].Token != 1 || time.Duration(v.Holders[0].Until-wire.engine.Now()) != ttl {
				t.Errorf("%+v", v)
			}
		}
		for _, ttl := range []time.Duration{48 * time.Hour, 0, -time.Hour, time.Microsecond} {
			if err := l.Renew(t.Context(), ttl); !errors.Is(err, lease.InvalidTTL) {
				t.Errorf("for %v: %v", ttl, err)
			}
			synctest.Wait()
		}
		m := acquire(t, c, "M", client.Terms{TTL: 10 * time.Second, Margin: 5 * time.Second})
		if err := m.Renew(t.Context(), 5*time.Second); !errors.Is(err, client.ErrTerms) || m.Context().Err() != nil {
			t.Errorf("no room for the margin: %v", err)
		}
		ended, cancel := context.WithCancel(t.Context())
		cancel()
		if err := l.Renew(ended, time.Minute); !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
		if l.Err() != nil || l.Context().Err() != nil {
			t.Error("a renew that failed has ended the lease")
		}
		shut(t, c)
	})
}

// A lease that is kept is renewed at about a third of its ttl, not at the same
// moments as others, and lives as long as it is wanted.
func TestKeepAlive(t *testing.T) {
	bubble(t, func(t *testing.T, wire *line) {
		c := open(t, wire, "a")
		begun := time.Now()
		l, other := acquire(t, c, "L", kept), acquire(t, c, "M", kept)
		time.Sleep(time.Hour)
		if l.Err() != nil || l.Context().Err() != nil || other.Err() != nil {
			t.Fatal("not kept alive")
		}
		ops, at := wire.sent(lease.Renew)
		last, moments := map[string]time.Time{"L": begun, "M": begun}, map[time.Time]int{}
		for i, op := range ops {
			if d := at[i].Sub(last[op.Lock]); d > 3*time.Second || d < 2400*time.Millisecond {
				t.Fatalf("a renew of %s after %v", op.Lock, d)
			}
			last[op.Lock] = at[i]
			moments[at[i]]++
			if op.Expect != 1 || time.Duration(op.TTL) != kept.TTL {
				t.Fatalf("%+v", op)
			}
		}
		if len(ops) < 2400 || len(moments) < len(ops)-5 {
			t.Errorf("%d renews at %d moments", len(ops), len(moments))
		}
		l.KeepAlive(false)
		<-l.Lost()
		other.KeepAlive(false)
		other.KeepAlive(true)
		time.Sleep(time.Hour)
		if other.Err() != nil {
			t.Error("not kept after it was switched on")
		}
		shut(t, c)
	})
}

// A lease out of a queue is renewed as any other is, from its grant on.
func TestKeepAliveOutOfAQueue(t *testing.T) {
	bubble(t, func(t *testing.T, wire *line) {
		a, b := open(t, wire, "a"), open(t, wire, "b")
		first := acquire(t, a, "L", client.Terms{TTL: time.Hour})
		go func() {
			time.Sleep(time.Minute)
			release(t, first)
		}()
		second := acquire(t, b, "L", kept)
		granted := time.Now()
		time.Sleep(4 * time.Second)
		if _, at := wire.sent(lease.Renew); len(at) != 1 || at[0].Sub(granted) < 2400*time.Millisecond {
			t.Errorf("granted at %v, renewed at %v", granted, at)
		}
		release(t, second)
		shut(t, a, b)
	})
}

// Nothing is renewed any more when Release, or Close, has returned.
func TestKeepAliveStops(t *testing.T) {
	bubble(t, func(t *testing.T, wire *line) {
		a, b := open(t, wire, "a"), open(t, wire, "b")
		for i := range 200 {
			l, m := acquire(t, a, "L", kept), acquire(t, b, "M", kept)
			// At random moments around a renew.
			time.Sleep(2400*time.Millisecond + time.Duration(i)*3*time.Millisecond)
			release(t, l)
			n, _ := wire.sent(lease.Renew)
			time.Sleep(kept.TTL)
			release(t, m)
			after, _ := wire.sent(lease.Renew)
			for _, op := range after[len(n):] {
				if op.Client == "a" {
					t.Fatal("renewed after Release")
				}
			}
			if len(after)-len(n) < 2 {
				t.Fatal("the other one was not renewed")
			}
		}
		acquire(t, a, "L", kept)
		acquire(t, b, "M", kept)
		time.Sleep(time.Minute)
		shut(t, a, b)
		before, _ := wire.sent(lease.Renew)
		time.Sleep(time.Hour)
		if after, _ := wire.sent(lease.Renew); len(after) != len(before) {
			t.Error("renewed after Close")
		}
		empty(t, wire.engine, "L")
		empty(t, wire.engine, "M")
		if _, err := a.Acquire(t.Context(), "L", ten); !errors.Is(err, client.ErrClosed) {
			t.Errorf("acquire by a closed client: %v", err)
		}
		closes, _ := wire.sent(lease.Close)
		shut(t, a) // the name may be somebody else's by now
		if again, _ := wire.sent(lease.Close); len(again) != len(closes) {
			t.Error("closed twice")
		}
	})
}

// A renew that waits for the service to have room for it is called off by Release.
func TestReleaseCallsOffARenew(t *testing.T) {
	bubble(t, func(t *testing.T, wire *line) {
		c := open(t, wire, "a")
		l := acquire(t, c, "L", kept)
		wire.set(func(w *line) { w.full = true })
		time.Sleep(4 * time.Second)
		byHand := make(chan error)
		go func() { byHand <- l.Renew(t.Context(), time.Minute) }()
		synctest.Wait()
		released := make(chan error)
		go func() { released <- l.Release(t.Context()) }()
		synctest.Wait()
		if !errors.Is(l.Err(), client.ErrReleased) {
			t.Error(l.Err())
		}
		if err := <-byHand; !errors.Is(err, client.ErrReleased) {
			t.Errorf("the renew by hand: %v", err)
		}
		wire.set(func(w *line) { w.full = false })
		if err := <-released; err != nil {
			t.Error(err)
		}
		time.Sleep(time.Hour)
		if ops, _ := wire.sent(lease.Renew); len(ops) != 0 {
			t.Errorf("%d renews", len(ops))
		}
		shut(t, c)
	})
}

// A renew that is just being handed over is waited for.
func TestReleaseWaitsForARenew(t *testing.T) {
	bubble(t, func(t *testing.T, wire *line) {
		c := open(t, wire, "a")
		l := acquire(t, c, "L", kept)
		gate := make(chan struct{})
		wire.set(func(w *line) {
			w.slow = func(op lease.Operation) {
				if op.Kind == lease.Renew {
					<-gate
				}
			}
		})
		time.Sleep(4 * time.Second)
		released := make(chan error, 1)
		go func() { released <- l.Release(t.Context()) }()
		synctest.Wait()
		select {
		case err := <-released:
			t.Errorf("Release has returned, and a renew is yet to be handed over: %v", err)
		default:
		}
		close(gate)
		if err := <-released; err != nil {
			t.Error(err)
		}
		_, renewed := wire.sent(lease.Renew)
		if len(renewed) != 1 {
			t.Errorf("%d renews", len(renewed))
		}
		shut(t, c)
	})
}

// A release ends the lease it is of, and no later one of the same client (E3).
func TestE3_ReleaseOfAnOldLease(t *testing.T) {
	bubble(t, func(t *testing.T, wire *line) {
		c := open(t, wire, "a")
		old := acquire(t, c, "L", ten)
		wire.set(func(w *line) { w.silent = true })
		for _, kind := range []lease.Kind{lease.Release, lease.Acquire} { // by somebody else in its name
			op := lease.Operation{Kind: kind, Client: "a", Lock: "L", TTL: lease.Duration(time.Hour)}
			if _, err := wire.engine.Ask(t.Context(), op); err != nil {
				t.Fatal(err)
			}
		}
		wire.set(func(w *line) { w.silent, w.held = false, nil })
		var lost *client.LostError
		if err := old.Release(t.Context()); !errors.As(err, &lost) || lost.Reason != client.Disowned {
			t.Error(err)
		}
		if v := view(t, wire.engine, "L"); len(v.Holders) != 1 || v.Holders[0].Token != 2 {
			t.Errorf("%+v", v)
		}
		shut(t, c)
	})
}

// A service that does not answer: the lease is lost at its local expiry, which is
// not later than the service's, with its context ended before.
func TestLostWithoutAnswers(t *testing.T) {
	for _, how := range []struct {
		name string
		cut  func(*line)
	}{
		{"deaf", func(l *line) { l.deaf = true }},
		{"silent", func(l *line) { l.silent = true }},
	} {
		t.Run(how.name, func(t *testing.T) {
			bubble(t, func(t *testing.T, wire *line) {
				c, next := open(t, wire, "a"), open(t, wire.engine, "next")
				l := acquire(t, c, "L", kept)
				work := l.Context()
				time.Sleep(10 * time.Second)
				expiry := l.Expiry()
				wire.set(how.cut)
				<-work.Done()
				if d := time.Until(expiry); d != 900*time.Millisecond {
					t.Errorf("the context ended %v before the expiry", d)
				}
				<-l.Lost()
				var lost *client.LostError
				if !time.Now().Equal(expiry) || !errors.As(l.Err(), &lost) || lost.Reason != client.Expired {
					t.Errorf("lost %v after the expiry: %v", time.Since(expiry), l.Err())
				}
				begun := time.Now()
				if how.name == "deaf" { // otherwise the service has renewed once more
					taken := acquire(t, next, "L", ten)
					if waited := time.Since(begun); waited > 0 {
						t.Errorf("the next holder waited for %v", waited)
					}
					release(t, taken)
				}
				wire.set(func(l *line) { l.deaf, l.silent = false, false })
				if l.Err() == nil || l.Context().Err() == nil {
					t.Error("answers that came late have brought it back")
				}
				release(t, acquire(t, c, "L", ten))
				shut(t, c, next)
			})
		})
	}
}

// A renew that the service refuses loses the lease at once.
func TestLostByRefusal(t *testing.T) {
	bubble(t, func(t *testing.T, wire *line) {
		c := open(t, wire, "a")
		for _, keep := range []bool{false, true} {
			terms := ten
			terms.KeepAlive = keep
			l := acquire(t, c, "L", terms)
			wire.set(func(w *line) { w.silent = true }) // events, too
			if _, err := wire.engine.Ask(t.Context(), lease.Operation{Kind: lease.Release, Client: "a", Lock: "L"}); err != nil {
				t.Fatal(err)
			}
			begun := time.Now()
			wire.set(func(w *line) { w.silent, w.held = false, nil }) // nobody was told
			if !keep {
				if err := l.Renew(t.Context(), time.Minute); !errors.Is(err, client.ErrLost) {
					t.Error(err)
				}
			}
			<-l.Lost()
			var lost *client.LostError
			if !errors.As(l.Err(), &lost) || lost.Reason != client.Disowned || time.Since(begun) > 10*time.Second/3 {
				t.Errorf("after %v: %v", time.Since(begun), l.Err())
			}
		}
		shut(t, c)
	})
}

// A release that nobody answers ends the lease for its holder all the same, and can
// be tried again.
func TestReleaseUnanswered(t *testing.T) {
	bubble(t, func(t *testing.T, wire *line) {
		c := open(t, wire, "a")
		l := acquire(t, c, "L", kept)
		wire.set(func(w *line) { w.silent = true })
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := l.Release(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Fatal(err)
		}
		if !errors.Is(l.Err(), client.ErrReleased) || l.Context().Err() == nil {
			t.Error("not over")
		}
		again := make(chan error)
		go func() { again <- l.Release(t.Context()) }()
		synctest.Wait()
		wire.set(func(w *line) { w.silent = false })
		if err := <-again; err != nil {
			t.Errorf("the second release: %v", err)
		}
		empty(t, wire.engine, "L")
		shut(t, c)
	})
}
