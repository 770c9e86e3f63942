package sequencer

import (
	"fmt"
	"slices"
	"testing"

	"github.com/leasekeeper/lkactor/actors/lease"
)

// The clock goes where an operation takes it, and never back (O4, O11).
func TestO11_TheClockNeverGoesBack(t *testing.T) {
	q := New(newFake(), Settings{})
	steps := []struct {
		op   lease.Operation
		now  lease.Instant
		back bool
	}{
		{op(lease.Inspect, -5, "", "L"), -5, false},
		{op(lease.Inspect, 7, "", "L"), 7, false},
		{op(lease.Inspect, 3, "", "L"), 7, true},
		{lease.RefuseUntimed(lease.UnknownOperation), 7, true},
		{lease.Refuse(9, lease.InvalidArguments), 9, true},
		{lease.Operation{Kind: lease.Inspect, At: lease.MaxMagnitude + 1, Lock: "L"}, 9, true},
		{lease.Operation{Kind: lease.Acquire, At: 11, Client: "c", Lock: "L", TTL: 0}, 11, true},
	}
	for i, s := range steps {
		do(q, s.op)
		if _, now := q.Stamp(); now != s.now || q.WentBack() != s.back {
			t.Errorf("operation %d: now %d, back %v; want %d, %v", i, now, q.WentBack(), s.now, s.back)
		}
	}
}

// Asking about a name does not make it known.
func TestAskingKeepsNothing(t *testing.T) {
	f := newFake()
	q := New(f, Settings{})
	for _, kind := range []lease.Kind{lease.Renew, lease.Release, lease.Inspect, lease.Read, lease.Status} {
		ask := op(kind, 0, "nobody", "noLane")
		ask.Key = "k"
		do(q, ask)
	}
	if q.locks.size != 0 || q.clients.size != 0 || len(f.locks) != 0 {
		t.Errorf("%d locks and %d clients are known, lanes %v", q.locks.size, q.clients.size, f.locks)
	}
}

// A name that is no valid Unicode is refused before anything is made of it (O10).
func TestO10_BadNamesAreNeverKnown(t *testing.T) {
	q := New(newFake(), Settings{})
	for _, kind := range []lease.Kind{lease.Acquire, lease.Renew, lease.Release, lease.Inspect, lease.Status, lease.Write, lease.Read} {
		bad := op(kind, 0, "\xff", "\xff")
		bad.Key, bad.Value, bad.Token = "k", "v", 1
		if r := do(q, bad)[0]; r.Outcome != lease.Failed || r.Code != lease.InvalidArguments {
			t.Errorf("%v: %+v", kind, r)
		}
	}
	if q.locks.size != 0 || q.clients.size != 0 {
		t.Errorf("%d locks and %d clients are known", q.locks.size, q.clients.size)
	}
}

// A client is told of things together; a question brings it what is left of everything
// before.
func TestNotesWaitForAQuestion(t *testing.T) {
	f := newFake()
	q := New(f, Settings{})
	do(q, op(lease.Acquire, 0, "c", "A"), op(lease.Acquire, 0, "c", "B"), op(lease.Release, 1, "c", "A"))
	if len(f.notes["c"]) != 0 {
		t.Fatalf("told at once: %v", f.notes["c"])
	}
	do(q, op(lease.Status, 2, "c", ""))
	want := []lease.Change{lease.ChangeRegistered, lease.ChangeGranted} // of what has come and gone, nothing
	if !slices.Equal(f.notes["c"], want) || f.questions["c"] != 1 {
		t.Fatalf("told %v, want %v", f.notes["c"], want)
	}
	for i := range notesKept {
		do(q, op(lease.Acquire, 3, "c", fmt.Sprint("L", i)))
	}
	if len(f.notes["c"]) != len(want)+notesKept {
		t.Errorf("%d notes after %d more", len(f.notes["c"]), notesKept)
	}
}
