package gauge

import (
	"slices"
	"testing"

	"github.com/leasekeeper/lkactor/actors/lease"
)

var (
	client = &lease.Client{ID: 3, Name: "c"}
	lock   = &lease.Lock{ID: 5, Name: "L"}
)

func effect(change lease.Change, at lease.Instant) *lease.Effect {
	return &lease.Effect{Change: change, Lock: lock, Client: client, At: at}
}

// Of what began before the book nothing is measured, and nothing is mixed up with it.
func TestWhatWasThereBefore(t *testing.T) {
	b := New(10)
	b.Effect(effect(lease.ChangeLapsed, 5), 1)
	b.Effect(effect(lease.ChangeWithdrawn, 6), 2)
	granted := effect(lease.ChangeGranted, 7)
	granted.FromQueue = true
	b.Effect(granted, 3)
	b.Effect(effect(lease.ChangeReleased, 9), 4)
	want := []Sample{{Kind: Grant, Waited: true, Value: 1}, {Kind: Hold, Reason: lease.GivenUp, Value: 2}}
	if got := b.Take(nil); !slices.Equal(got, want) {
		t.Errorf("%+v", got)
	}
}

// A book that nobody reads is full at some time, and says how much it has missed; how
// long things last it still knows.
func TestFullBook(t *testing.T) {
	b := New(2)
	for i := range 5 {
		b.Batch(i)
	}
	b.Effect(effect(lease.ChangeGranted, 10), 1)
	if b.Len() != 2 || b.Missed() != 4 {
		t.Errorf("%d samples, %d missed", b.Len(), b.Missed())
	}
	spare := b.Take(nil)
	b.Effect(effect(lease.ChangeLapsed, 30), 2)
	if got := b.Take(spare); !slices.Equal(got, []Sample{{Kind: Hold, Reason: lease.Lapse, Value: 20}}) {
		t.Errorf("%+v", got)
	}
	if b.Len() != 0 {
		t.Errorf("%d samples are left", b.Len())
	}
}

// However many victims an acquire has, it is one deadlock.
func TestDeadlocksAndVictims(t *testing.T) {
	b := New(10)
	for _, seq := range []uint64{4, 4, 9} {
		b.Effect(effect(lease.ChangeAborted, 0), seq)
	}
	count := map[Kind]int{}
	for _, s := range b.Take(nil) {
		count[s.Kind]++
	}
	if count[Deadlock] != 2 || count[Victim] != 3 {
		t.Errorf("%v", count)
	}
}
