package client_test

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/leasekeeper/lkactor/actors/client"
	"github.com/leasekeeper/lkactor/actors/lease"
)

var kept = client.Terms{TTL: 9 * time.Second, KeepAlive: true}

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

// A renew that was not answered is not sent again when Release, or Close, has returned,
// whether or not the service would notice that it is too late.
func TestKeepAliveStopsSendingAgain(t *testing.T) {
	bubble(t, func(t *testing.T, wire *line) {
		c := open(t, wire, "a", client.WithRequestIDs())
		wire.set(func(w *line) {
			w.blind = true
			w.lossy = func(op lease.Operation) loss {
				if op.Kind == lease.Renew {
					return lost
				}
				return arrives
			}
		})
		for i := range 100 {
			l := acquire(t, c, "L", kept)
			time.Sleep(3*time.Second + time.Duration(i)*time.Millisecond)
			before, _ := wire.sent(lease.Renew)
			if len(before) == 0 {
				t.Fatal("no renew")
			}
			if i%2 == 0 {
				release(t, l)
			} else {
				shut(t, c)
				c = open(t, wire, "a", client.WithRequestIDs())
			}
			before, _ = wire.sent(lease.Renew)
			time.Sleep(time.Minute)
			if after, _ := wire.sent(lease.Renew); len(after) != len(before) {
				t.Fatalf("round %d: %d renews after the end", i, len(after)-len(before))
			}
		}
		shut(t, c)
	})
}
