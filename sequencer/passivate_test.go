package sequencer

import (
	"fmt"
	"runtime"
	"slices"
	"testing"

	"github.com/asynkron/protoactor-go/actor"

	"github.com/leasekeeper/lkactor/actors/lease"
)

// The hand sends idle locks away and leaves those in use, however many there are.
func TestHandSparesWhatIsInUse(t *testing.T) {
	f := newFake()
	q := New(f, Settings{Keep: Keep{Locks: 2, Clients: 2}})
	for i := range 10 {
		do(q, op(lease.Acquire, 0, fmt.Sprint("c", i), fmt.Sprint("held", i)))
	}
	if len(f.gone) != 0 {
		t.Fatalf("%v were sent away", f.gone)
	}
	for i := range 30 {
		name := fmt.Sprint("idle", i)
		do(q, op(lease.Acquire, 1, name, name), op(lease.Release, 1, name, name))
	}
	for _, name := range f.gone {
		if name[:4] != "idle" {
			t.Errorf("%s was sent away", name)
		}
	}
	// The hand looks at two seats for each that is taken, and passes those in use, too.
	if kept := 30 + 30 - len(f.gone); kept > 24 {
		t.Errorf("%d idle locks and clients are kept", kept)
	}
}

// What has a seat and goes on using it makes the hand do nothing, though there are more seats
// than are to be kept: what makes it go on is that somebody takes one.
func TestS_TheHandGoesByNewSeats(t *testing.T) {
	q := New(newFake(), Settings{Keep: Keep{Locks: 10, Clients: 10}})
	for i := range 1000 {
		name := fmt.Sprint(i)
		do(q, op(lease.Acquire, 0, name, name))
	}
	before := q.seats
	for i := range 1000 {
		name := fmt.Sprint(i)
		do(q, op(lease.Renew, 1, name, name), op(lease.Release, 1, name, name))
	}
	if q.seats.locks.hand != before.locks.hand || q.seats.clients.hand != before.clients.hand || q.Seats() != 1000 {
		t.Errorf("the hand was at %d and %d and is at %d and %d; %d seats", before.locks.hand, before.clients.hand,
			q.seats.locks.hand, q.seats.clients.hand, q.Seats())
	}
	for i := range 2000 { // two looks for each seat of an idle lock, and as many for the client
		name := fmt.Sprint("new", i)
		do(q, op(lease.Acquire, 2, name, name), op(lease.Release, 2, name, name))
	}
	if q.Seats() > 1000 {
		t.Errorf("%d seats are left", q.Seats())
	}
}

// A sweep goes on at once as long as it is alone, and gives way where something has been done
// since its last step.
func TestASweepGivesWay(t *testing.T) {
	a := NewActor(Config{Later: func() {}, Halted: func() bool { return false }})
	a.order = New(newFake(), Settings{Keep: DefaultKeep})
	work := func(n int) {
		for i := range n {
			name := fmt.Sprint(i)
			do(a.order, op(lease.Acquire, 0, name, name), op(lease.Release, 0, name, name))
		}
	}
	ctx := &sendingContext{}
	pauses := 0
	a.ctx, a.GiveWay = ctx, func() { pauses++ }
	work(4*sweepStep + 1)
	a.sweep()
	if pauses != 1 || ctx.sent != 0 {
		t.Errorf("after work: %d pauses, %d steps at once", pauses, ctx.sent)
	}
	a.sweep()
	if pauses != 1 || ctx.sent != 1 {
		t.Errorf("alone: %d pauses, %d steps at once", pauses, ctx.sent)
	}
	work(1)
	a.sweep()
	if pauses != 2 || ctx.sent != 1 {
		t.Errorf("after work again: %d pauses, %d steps at once", pauses, ctx.sent)
	}
}

// sendingContext is what an actor has of Proto.Actor that only sends.
type sendingContext struct {
	actor.Context
	sent int
}

func (c *sendingContext) Send(*actor.PID, any) { c.sent++ }

func (c *sendingContext) Self() *actor.PID { return nil }

// A sweep takes what has not been used since the one before, and says whether
// there is reason for another.
func TestSweepTakesTwoRounds(t *testing.T) {
	f := newFake()
	q := New(f, Settings{Keep: DefaultKeep})
	do(q, op(lease.Acquire, 0, "c", "L"), op(lease.Release, 0, "c", "L"))
	sweep := func() bool {
		used, err := q.Sweep(q.Seats())
		if err != nil {
			t.Fatal(err)
		}
		return used
	}
	if !sweep() || len(f.gone) != 0 {
		t.Fatalf("the first sweep took %v", f.gone)
	}
	do(q, op(lease.Acquire, 1, "d", "L"), op(lease.Release, 1, "d", "L"))
	if !sweep() || !slices.Equal(f.gone, []string{"c"}) {
		t.Fatalf("the second sweep took %v", f.gone)
	}
	sweep()
	if sweep(); !slices.Equal(f.gone, []string{"c", "L", "d"}) || sweep() || q.Seats() != 0 {
		t.Fatalf("in the end %v are gone, %d seats are left", f.gone, q.Seats())
	}
}

// A lease that has ended unnoticed keeps no seat, unless somebody watches: then it
// is noticed in its own order and not by the hand.
func TestHandNoticesLapses(t *testing.T) {
	q := New(newFake(), Settings{})
	l := &LockEntry{lockBelief: lockBelief{holders: 1, until: 5}}
	if q.now = 4; q.mayLapse(l) {
		t.Error("a live lease may lapse")
	}
	if q.now = 5; !q.mayLapse(l) {
		t.Error("a lease that has ended may not lapse")
	}
	q.watch = func(*lease.Effect) {}
	if q.mayLapse(l) {
		t.Error("the hand notices a lapse that somebody watches for")
	}
}

// Whatever is forgotten and used again between two sweeps, by the same name or by
// another that gets its number, has one place on the shelf.
func TestAPlaceOnTheShelfIsOne(t *testing.T) {
	q := New(newFake(), Settings{Keep: DefaultKeep, Dialect: lease.Live})
	done := func(ops ...lease.Operation) {
		t.Helper()
		for i, r := range do(q, ops...) {
			if r.Outcome == lease.Failed {
				t.Fatalf("%v: %v", ops[i].Kind, r.Code)
			}
		}
	}
	use := func(name string) {
		done(live(lease.Acquire, 0, name, name, ""), live(lease.Release, 0, name, name, ""))
	}
	for i := range 1000 {
		for _, name := range []string{"same", fmt.Sprint("other", i)} {
			use(name)
			done(op(lease.Forget, 0, "", name), op(lease.Close, 0, name, ""))
		}
	}
	if locks, clients := len(q.seats.locks.ids), len(q.seats.clients.ids); locks > 1 || clients > 1 {
		t.Errorf("%d locks and %d clients on the shelf where one of each was there at a time", locks, clients)
	}
	use("same")
	for range 2 {
		if _, err := q.Sweep(q.Seats()); err != nil {
			t.Fatal(err)
		}
	}
	use("same")
	if q.Seats() != 1 {
		t.Errorf("%d seats after a use of what had been swept away", q.Seats())
	}
}

// A sweep costs what it looks at, and not what there is: with a hundred times more
// clients that have something to be told yet, a step makes no more memory. One that
// copied the list of their posts stopped an engine for tens of milliseconds.
func TestS_ASweepStepCostsItsLooks(t *testing.T) {
	const looks, steps = 256, 8
	swept := func(clients int) (bytes uint64) {
		q := New(newFake(), Settings{Keep: Keep{Locks: clients, Clients: clients}})
		for i := range clients {
			name := fmt.Sprint("c", i)
			do(q, op(lease.Acquire, 0, name, name), op(lease.Release, 0, name, name))
		}
		if len(q.outbox.open) != clients {
			t.Fatalf("%d of %d clients have something to be told", len(q.outbox.open), clients)
		}
		for left := q.Seats(); left > 0; left -= looks { // takes the marks off
			if _, err := q.Sweep(min(left, looks)); err != nil {
				t.Fatal(err)
			}
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		for range steps {
			if _, err := q.Sweep(looks); err != nil {
				t.Fatal(err)
			}
		}
		runtime.ReadMemStats(&after)
		if gone := clients - q.Seats(); gone != looks*steps {
			t.Fatalf("%d of %d clients are gone", gone, clients)
		}
		return after.TotalAlloc - before.TotalAlloc
	}
	few, many := swept(2*looks*steps), swept(100*looks*steps)
	if t.Logf("%d and %d bytes in %d steps", few, many, steps); many > 2*few+1<<20 {
		t.Errorf("%d bytes with many clients, %d with few", many, few)
	}
}

// The list of posts gives its room back when most of them have been delivered.
func TestOutboxShrinks(t *testing.T) {
	const clients = 64 << 10
	q := New(newFake(), Settings{})
	posts := make([]*Post, clients)
	for i := range posts {
		posts[i] = q.outbox.opened(&ClientEntry{})
	}
	for _, i := range []int{0, clients - 1} { // the rest in between stays in order
		q.outbox.close(posts[i])
	}
	for i, post := range posts[1 : clients-1] {
		if q.outbox.open[post.place] != post {
			t.Fatalf("post %d is not at its place", i)
		}
		q.outbox.close(post)
	}
	if room := cap(q.outbox.open); len(q.outbox.open) != 0 || room > 4*keptSize {
		t.Errorf("%d posts are open, with room for %d", len(q.outbox.open), room)
	}
}
