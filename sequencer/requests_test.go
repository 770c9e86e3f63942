package sequencer

import (
	"fmt"
	"testing"

	"github.com/leasekeeper/lkactor/actors/lease"
)

const ms = lease.MinTTLNanoseconds

func live(kind lease.Kind, at lease.Instant, client, lock, id string) lease.Operation {
	return lease.Operation{Kind: kind, At: at, Client: client, Lock: lock, TTL: 5 * ms, ID: id}
}

// An id gets its first result again, also within a batch and whatever has become
// of the lock; used for something else it is refused (E3).
func TestE3_AnIDGetsItsFirstResult(t *testing.T) {
	q := New(newFake(), Settings{Dialect: lease.Live})
	ops := []lease.Operation{
		live(lease.Acquire, 1, "c", "L", "one"),
		live(lease.Acquire, 2, "c", "L", "one"), // in the same batch
		live(lease.Release, 3, "c", "L", ""),
		live(lease.Acquire, 4, "c", "L", "one"),
		live(lease.Acquire, 5, "c", "M", "one"),
		live(lease.Acquire, 6, "d", "L", "one"), // another client's
	}
	results := make([]lease.Result, len(ops))
	for i := range ops {
		if err := q.Take(&ops[i], &results[i]); err != nil {
			t.Fatal(err)
		}
	}
	if err := q.Flush(); err != nil {
		t.Fatal(err)
	}
	first := results[0]
	if first.Outcome != lease.Granted || results[1] != first || results[3] != first {
		t.Errorf("%+v, then %+v and %+v", first, results[1], results[3])
	}
	if results[4].Code != lease.IDReused {
		t.Errorf("used for something else: %+v", results[4])
	}
	if results[5].Outcome != lease.Granted || results[5].Until != 6+5*ms {
		t.Errorf("by another client: %+v", results[5])
	}
}

// An id is forgotten after 24 hours, and when its client has used 1,024 later ones
// (E3).
func TestE3_TheWindow(t *testing.T) {
	ask := func(q *Sequencer, at lease.Instant, id string) lease.Result {
		return do(q, live(lease.Renew, at, "c", "L", id))[0]
	}
	fresh := func() *Sequencer {
		q := New(newFake(), Settings{Dialect: lease.Live})
		do(q, live(lease.Acquire, 0, "c", "L", "id"))
		return q
	}
	// The first use was an acquire, so a renew under the same id is refused as long
	// as it is remembered.
	q := fresh()
	if r := ask(q, lease.RequestWindow-1, "id"); r.Code != lease.IDReused {
		t.Errorf("just before 24 hours: %+v", r)
	}
	if r := ask(q, lease.RequestWindow, "id"); r.Code == lease.IDReused {
		t.Errorf("after 24 hours: %+v", r)
	}
	q = fresh()
	for i := range lease.RequestCount - 1 {
		ask(q, 1, fmt.Sprint("later", i))
	}
	if r := ask(q, 1, "id"); r.Code != lease.IDReused {
		t.Errorf("after 1,023 later ids: %+v", r)
	}
	ask(q, 1, "the 1024th")
	if r := ask(q, 1, "id"); r.Code == lease.IDReused {
		t.Errorf("after 1,024 later ids: %+v", r)
	}
	if c := q.knownClient("c"); len(c.requests.byID) > lease.RequestCount || c.requests.n > lease.RequestCount || q.asked.requests.len() > lease.RequestCount {
		t.Errorf("%d ids are kept", c.requests.n)
	}
}
