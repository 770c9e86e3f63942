package due

import (
	"math/rand/v2"
	"testing"

	"github.com/leasekeeper/lkactor/actors/lease"
)

// The heap against the dumbest thing that could replace it: a map searched
// whole.
func TestHeapAgreesWithSearch(t *testing.T) {
	for seed := range uint64(200) {
		rng := rand.New(rand.NewPCG(seed, 1))
		var h Heap
		want := map[uint32]lease.Instant{}
		for range 400 {
			id := uint32(rng.IntN(30))
			if rng.IntN(3) == 0 {
				h.Remove(id)
				delete(want, id)
			} else {
				at := lease.Instant(rng.IntN(20))
				h.Set(id, at, int64(id))
				want[id] = at
			}
			check(t, seed, &h, want)
		}
	}
}

func check(t *testing.T, seed uint64, h *Heap, want map[uint32]lease.Instant) {
	t.Helper()
	first, at := uint32(0), lease.Never
	for id := range uint32(30) {
		if due, in := want[id]; in && due < at {
			first, at = id, due
		}
	}
	if id, due := h.Min(); id != first || due != at || h.Len() != len(want) {
		t.Fatalf("seed %d: Min = %d at %d, %d in all; want %d at %d, %d",
			seed, id, due, h.Len(), first, at, len(want))
	}
}

func TestHeapOfNothing(t *testing.T) {
	var h Heap
	h.Remove(7)
	if _, at := h.Min(); at != lease.Never {
		t.Fatalf("an empty heap is due at %d", at)
	}
}

func TestHeapSteadyStateAllocatesNothing(t *testing.T) {
	var h Heap
	for id := range uint32(100) {
		h.Set(id, lease.Instant(id), int64(id))
	}
	if n := testing.AllocsPerRun(100, func() {
		h.Set(50, 7, 50)
		h.Remove(50)
		h.Set(50, 50, 50)
	}); n != 0 {
		t.Fatalf("%v allocations per round", n)
	}
}
