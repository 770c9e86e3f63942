package deadlock

import (
	"math/rand/v2"
	"testing"
)

// The index against a map, with few pairs so that many collide.
func TestPairIndexAgreesWithMap(t *testing.T) {
	type pair struct{ lock, client nodeRef }
	for seed := range uint64(200) {
		rng := rand.New(rand.NewPCG(seed, 9))
		var index pairIndex
		want := map[pair]holdingRef{}
		size := 2 + rng.Int32N(30)
		for step := range 2_000 {
			p := pair{1 + nodeRef(rng.Int32N(size)), 1 + nodeRef(rng.Int32N(size))}
			if want[p] == 0 {
				want[p] = holdingRef(step + 1)
				index.insert(p.lock, p.client, want[p])
			} else {
				index.remove(p.lock, p.client)
				delete(want, p)
			}
		}
		for lock := nodeRef(1); lock <= nodeRef(size); lock++ {
			for client := nodeRef(1); client <= nodeRef(size); client++ {
				if got := index.find(lock, client); got != want[pair{lock, client}] {
					t.Fatalf("seed %d: find(%d, %d) = %d, want %d", seed, lock, client, got, want[pair{lock, client}])
				}
			}
		}
		if index.count != len(want) {
			t.Fatalf("seed %d: count is %d, want %d", seed, index.count, len(want))
		}
	}
}

// What comes and goes at a steady number does not make the table grow.
func TestPairIndexStaysSmall(t *testing.T) {
	var index pairIndex
	for i := range nodeRef(100_000) {
		index.insert(1, i+1, 1)
		if i >= 40 {
			index.remove(1, i-39)
		}
	}
	if len(index.entries) != minPairEntries {
		t.Errorf("%d entries for 40 pairs, want %d", len(index.entries), minPairEntries)
	}
}
