package sequencer

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/leasekeeper/lkactor/actors/lease"
)

// oneShot is a client that asks one thing under an id and is closed.
func oneShot(q *Sequencer, at lease.Instant, client string) {
	do(q, live(lease.Acquire, at, client, "L", "only"), live(lease.Release, at, client, "L", ""),
		lease.Operation{Kind: lease.Close, At: at, Client: client})
}

// A client that is kept for its requests alone is none to those who count, and goes with
// the last of them, whoever moves the clock (E3).
func TestE3_ClientsKeptForTheirRequests(t *testing.T) {
	q := New(newFake(), Settings{Dialect: lease.Live})
	const clients = 2*forgottenAtOnce + 10
	for i := range clients {
		oneShot(q, 0, fmt.Sprint("c", i))
	}
	do(q, live(lease.Acquire, 1, "stays", "M", "id"))
	if n, kept := q.clientCount(), q.clients.len(); n != 1 || kept != clients+1 {
		t.Errorf("%d clients, %d are kept", n, kept)
	}
	if list, _ := q.ListClients(nil, 0, 2*clients); len(list) != 1 || list[0].Name != "stays" {
		t.Errorf("listed: %+v", list)
	}
	if due := q.requestsDue(); due != lease.RequestWindow+requestGrace {
		t.Errorf("a tick is wanted at %d", due)
	}
	do(q, live(lease.Acquire, 2, "c7", "L", "again")) // it is a client again
	if n := q.clientCount(); n != 2 {
		t.Errorf("%d clients, and c7", n)
	}
	do(q, live(lease.Release, 3, "c7", "L", ""), lease.Operation{Kind: lease.Close, At: 3, Client: "c7"})
	tick := func(at lease.Instant) { do(q, lease.Operation{Kind: lease.Tick, At: at}) }
	if tick(lease.RequestWindow - 1); q.asked.requests.len() != clients+2 {
		t.Errorf("%d requests are left before their time", q.asked.requests.len())
	}
	for range 3 { // no operation forgets all of them
		tick(lease.RequestWindow)
	}
	if n, kept := q.asked.requests.len(), q.clients.len(); n != 2 || kept != 2 || q.knownClient("c7") == nil {
		t.Errorf("%d requests and %d clients are left: c7's second is not over, nor that of stays", n, kept)
	}
	tick(lease.RequestWindow + 2)
	c := q.knownClient("stays")
	if n := q.asked.requests.len(); n != 0 || q.clients.len() != 1 || c == nil || c.requests != nil || q.asked.aside != 0 {
		t.Errorf("%d requests and %d clients are left", n, q.clients.len())
	}
	if due := q.requestsDue(); due != lease.Never {
		t.Errorf("a tick is wanted at %d", due)
	}
}

// Whatever is asked, the chains and the counts are what a plain list of the requests
// says, and an order that is saved and loaded has the same.
func TestE3_ChainsOfRequests(t *testing.T) {
	for seed := range uint64(10) {
		rng := rand.New(rand.NewPCG(seed, 3))
		q := New(newFake(), Settings{Dialect: lease.Live})
		type use struct {
			client, id string
			at         lease.Instant
		}
		var uses []use // that are remembered, the oldest first
		var now lease.Instant
		for step := range 600 {
			now += lease.Instant(rng.Int64N(lease.RequestWindow / 100))
			u := use{fmt.Sprint("c", rng.IntN(4)), fmt.Sprint("r", rng.IntN(60)), now}
			ops := []lease.Operation{live(lease.Renew, now, u.client, "L", u.id)}
			if rng.IntN(8) == 0 {
				ops = append(ops, lease.Operation{Kind: lease.Close, At: now, Client: u.client})
			} else if rng.IntN(8) == 0 {
				ops = append(ops, live(lease.Acquire, now, u.client, "M", ""), live(lease.Release, now, u.client, "M", ""))
			}
			do(q, ops...)
			uses = slices.DeleteFunc(uses, func(u use) bool { return now >= u.at+lease.RequestWindow })
			if !slices.ContainsFunc(uses, func(o use) bool { return o.client == u.client && o.id == u.id }) {
				uses = append(uses, u)
			}
			orders := []*directory{&q.directory}
			if step%20 == 0 {
				orders = append(orders, &reload(t, q).directory)
			}
			for _, d := range orders {
				var have []use
				before := uint32(0)
				for n := d.asked.first; n != 0; n = d.asked.requests.at(n).behind {
					r := d.asked.requests.at(n)
					if r.before != before {
						t.Fatalf("seed %d, step %d: the chain is broken", seed, step)
					}
					before = n
					c := d.clients.at(r.client)
					if d.requested(c, r.id()) != r {
						t.Fatalf("seed %d, step %d: request %q of %q is not found", seed, step, r.id(), c.Name)
					}
					have = append(have, use{c.Name, r.id(), r.at})
				}
				if !slices.Equal(have, uses) || before != d.asked.last || len(uses) != d.asked.requests.len() {
					t.Fatalf("seed %d, step %d: %v, want %v", seed, step, have, uses)
				}
				perClient, aside := 0, 0
				for id := uint32(1); id <= d.clients.size; id++ {
					if c := d.clients.at(id); c.Name != "" && c.requests != nil {
						perClient += c.requests.n
						if c.age == 0 {
							aside++
						}
					}
				}
				if perClient != len(uses) || aside != d.asked.aside {
					t.Fatalf("seed %d, step %d: %d requests of clients, %d aside, counted %d", seed, step, perClient, aside, d.asked.aside)
				}
			}
		}
	}
}

// reload gives an order loaded from what q saves.
func reload(t *testing.T, q *Sequencer) *Sequencer {
	t.Helper()
	if err := q.Freeze(); err != nil {
		t.Fatal(err)
	}
	state, clients, _ := q.Save()
	loader := NewLoader(lease.Live, state)
	for c := range clients {
		if _, err := loader.Client(c); err != nil {
			t.Fatal(err)
		}
	}
	return loader.Done()
}

// A request that is forgotten before its batch has run, since time has leapt or its client
// has used too many later ids, takes no other's place (E3).
func TestE3_ForgottenWithinItsBatch(t *testing.T) {
	q := New(newFake(), Settings{Dialect: lease.Live})
	take := func(op lease.Operation) *lease.Result {
		result := new(lease.Result)
		if err := q.Take(&op, result); err != nil {
			t.Fatal(err)
		}
		return result
	}
	first := take(live(lease.Acquire, 0, "a", "L", "id"))
	take(lease.Operation{Kind: lease.Tick, At: lease.RequestWindow})
	if err := q.Flush(); err != nil {
		t.Fatal(err)
	}
	take(live(lease.Renew, lease.RequestWindow, "b", "M", "id")) // kept where a's was
	again := take(live(lease.Renew, lease.RequestWindow, "b", "M", "id"))
	for i := range lease.RequestCount + 1 {
		take(live(lease.Renew, lease.RequestWindow, "c", "N", fmt.Sprint(i)))
	}
	if err := q.Flush(); err != nil {
		t.Fatal(err)
	}
	if first.Outcome != lease.Granted || again.Code != lease.NotHolder {
		t.Errorf("%+v, %+v", first, again)
	}
	if n := q.knownClient("c").requests.n; n != lease.RequestCount || len(q.pending) > 0 {
		t.Errorf("%d requests of c, %d await their result", n, len(q.pending))
	}
}

// An id that is over may be used anew, whether or not there was time to forget it (E3).
func TestE3_UsedAnewBeforeItIsForgotten(t *testing.T) {
	q := New(newFake(), Settings{Dialect: lease.Live})
	for i := range 2 * forgottenAtOnce { // older, and too many for two operations
		oneShot(q, 0, fmt.Sprint("c", i))
	}
	use := func(kind lease.Kind, at lease.Instant) lease.Result {
		return do(q, live(kind, at, "late", "M", "id"))[0]
	}
	if r := use(lease.Acquire, 0); r.Outcome != lease.Granted {
		t.Errorf("at first: %+v", r)
	}
	if r := use(lease.Renew, lease.RequestWindow); r.Code != lease.NotHolder {
		t.Errorf("after 24 hours: %+v", r)
	}
	if r := use(lease.Acquire, lease.RequestWindow); r.Code != lease.IDReused {
		t.Errorf("again: %+v", r)
	}
	if n := q.asked.requests.len(); n != 1 {
		t.Errorf("%d requests are left", n)
	}
}
