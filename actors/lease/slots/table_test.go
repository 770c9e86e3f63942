package slots

import (
	"math/rand/v2"
	"testing"
)

// The table against a map, across the size at which it begins to index.
func TestTableAgreesWithMap(t *testing.T) {
	for seed := range uint64(100) {
		rng := rand.New(rand.NewPCG(seed, 2))
		var table Table
		slots := map[uint32]int32{}
		owners := map[int32]uint32{}
		ids := 1 + rng.IntN(60)
		for range 500 {
			id := uint32(1 + rng.IntN(ids))
			slot, known := slots[id]
			if got := table.Find(id); known && got != slot || !known && got != None {
				t.Fatalf("seed %d: Find(%d) = %d, want %d (%v)", seed, id, got, slot, known)
			}
			if known {
				table.Drop(slot)
				delete(slots, id)
				delete(owners, slot)
				continue
			}
			slot = table.Add(id)
			if other, taken := owners[slot]; taken {
				t.Fatalf("seed %d: %d was given the slot of %d", seed, id, other)
			}
			slots[id], owners[slot] = slot, id
			if table.Used() != len(slots) || table.Size() > 60 {
				t.Fatalf("seed %d: %d used of %d", seed, table.Used(), table.Size())
			}
		}
	}
}
