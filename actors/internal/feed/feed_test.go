package feed

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"testing"

	"github.com/leasekeeper/lkactor/actors/lease"
)

// client is one client as it is, and the events by which it becomes so.
type client struct {
	rng   *rand.Rand
	token lease.Token
	holds map[string]lease.Token
}

// move changes something and gives the event.
func (c *client) move() lease.Event {
	lock := fmt.Sprint("L", c.rng.IntN(3*Limit))
	if c.holds[lock] != 0 {
		e := lease.Event{Kind: lease.EventLost, Reason: lease.Lapse, Lock: lock, Token: c.holds[lock]}
		delete(c.holds, lock)
		return e
	}
	c.token++
	c.holds[lock] = c.token
	return lease.Event{Kind: lease.EventGranted, Lock: lock, Token: c.token}
}

// current is how the client stands.
func (c *client) current() lease.Event {
	state := &lease.ClientView{}
	for lock, token := range c.holds {
		state.Holds = append(state.Holds, lease.HoldView{Lock: lock, Token: token})
	}
	return lease.Event{Kind: lease.EventCurrent, State: state}
}

// reader is a subscriber that makes itself a picture of the client.
type reader struct {
	holds map[string]lease.Token
	last  map[string]lease.Token // the highest token it heard of, by lock
}

func (r *reader) read(t *testing.T, events []lease.Event) {
	for _, e := range events {
		switch e.Kind {
		case lease.EventCurrent:
			clear(r.holds)
			for _, h := range e.State.Holds {
				r.holds[h.Lock] = h.Token
			}
		case lease.EventGranted:
			if e.Token < r.last[e.Lock] {
				t.Errorf("granted %s token %d after token %d", e.Lock, e.Token, r.last[e.Lock])
			}
			r.holds[e.Lock] = e.Token
		case lease.EventLost:
			delete(r.holds, e.Lock)
		}
		r.last[e.Lock] = max(r.last[e.Lock], e.Token)
	}
}

// However slow it is, a subscriber ends up with the right picture, and never has
// more waiting for it than a feed may keep.
func TestWhoeverCatchesUpIsRight(t *testing.T) {
	for seed := range uint64(300) {
		rng := rand.New(rand.NewPCG(seed, 7))
		c := &client{rng: rng, holds: map[string]lease.Token{}}
		r := &reader{holds: map[string]lease.Token{}, last: map[string]lease.Token{}}
		var f Feed
		f.Put(c.current())
		read := func() {
			if number, events := f.Next(); events != nil {
				r.read(t, events)
				f.Confirm(number - 1) // of no effect
				if !f.Out() {
					t.Fatalf("seed %d: an old confirmation counts", seed)
				}
				f.Confirm(number)
			}
			if f.Behind() && !f.Out() {
				for range rng.IntN(3) { // before the answer comes
					f.Put(c.move())
				}
				f.Put(c.current())
				if f.Behind() {
					t.Fatalf("seed %d: still behind", seed)
				}
			}
		}
		pace := 1 + rng.IntN(400)
		behind := 0
		for range 2_000 {
			if f.Put(c.move()) {
				behind++
			}
			if len(f.kept) > Limit+1 {
				t.Fatalf("seed %d: %d events are kept", seed, len(f.kept))
			}
			if rng.IntN(pace) == 0 {
				read()
			}
		}
		read()
		read()
		if !maps.Equal(r.holds, c.holds) {
			t.Fatalf("seed %d: the client holds %v, its subscriber thinks %v", seed, c.holds, r.holds)
		}
		if pace == 400 && behind == 0 {
			t.Errorf("seed %d: a subscriber that reads every %d events was never behind", seed, pace)
		}
	}
}

// One portion at a time, and of each lock the newest of each kind.
func TestOnePortionAtATime(t *testing.T) {
	var f Feed
	f.Put(lease.Event{Kind: lease.EventGranted, Lock: "L", Token: 1})
	number, events := f.Next()
	if number != 1 || len(events) != 1 {
		t.Fatal(number, events)
	}
	f.Put(lease.Event{Kind: lease.EventLost, Lock: "L", Token: 1})
	f.Put(lease.Event{Kind: lease.EventGranted, Lock: "K", Token: 1})
	f.Put(lease.Event{Kind: lease.EventLost, Lock: "K", Token: 1})
	f.Put(lease.Event{Kind: lease.EventWithdrawn, Lock: "L"})
	f.Put(lease.Event{Kind: lease.EventDeadlock})
	f.Put(lease.Event{Kind: lease.EventWithdrawn, Lock: "L"})
	f.Put(lease.Event{Kind: lease.EventDeadlock})
	f.Put(lease.Event{Kind: lease.EventGranted, Lock: "M", Token: 5})
	f.Put(lease.Event{Kind: lease.EventGranted, Lock: "L", Token: 2})
	f.Put(lease.Event{Kind: lease.EventEnded})
	if _, more := f.Next(); more != nil || f.Waiting() != 7 {
		t.Fatal(more, f.Waiting())
	}
	f.Confirm(1)
	_, events = f.Next()
	want := []lease.EventKind{
		lease.EventLost, lease.EventLost, lease.EventWithdrawn, lease.EventDeadlock, lease.EventGranted, lease.EventGranted, lease.EventEnded,
	}
	if len(events) != len(want) {
		t.Fatalf("%+v", events)
	}
	for i, e := range events {
		if e.Kind != want[i] {
			t.Errorf("event %d is %v", i, e.Kind)
		}
	}
	if events[5].Token != 2 {
		t.Errorf("%+v", events[5])
	}
}

// What does not fit is given up, but for the end.
func TestTheEndIsAlwaysKept(t *testing.T) {
	var f Feed
	f.Put(lease.Event{Kind: lease.EventCurrent})
	f.Next()
	for i := range 2 * Limit {
		if behind := f.Put(lease.Event{Kind: lease.EventGranted, Lock: fmt.Sprint(i)}); behind != (i == Limit) {
			t.Errorf("event %d: behind %v", i, behind)
		}
	}
	f.Put(lease.Event{Kind: lease.EventEnded})
	f.Confirm(1)
	if _, events := f.Next(); len(events) != 1 || events[0].Kind != lease.EventEnded || !f.Behind() {
		t.Errorf("%+v", events)
	}
}
