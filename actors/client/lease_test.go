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
