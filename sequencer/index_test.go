package sequencer

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// The index against a map, with names that come and go.
func TestIndexAgreesWithMap(t *testing.T) {
	for seed := range uint64(20) {
		rng := rand.New(rand.NewPCG(seed, 1))
		x := newIndex()
		names := map[uint32]string{}
		ids := map[string]uint32{}
		nameOf := func(id uint32) string { return names[id] }
		for next := uint32(1); next < 4000; next++ {
			name := fmt.Sprint("n", rng.IntN(2000))
			id, hash := x.find(name, nameOf)
			if id != ids[name] {
				t.Fatalf("seed %d: %s is %d, want %d", seed, name, id, ids[name])
			}
			if id != 0 {
				x.remove(name, id)
				delete(names, id)
				delete(ids, name)
				continue
			}
			x.add(hash, next)
			names[next], ids[name] = name, next
		}
		for name, want := range ids {
			if id, _ := x.find(name, nameOf); id != want {
				t.Fatalf("seed %d: at the end %s is %d, want %d", seed, name, id, want)
			}
		}
	}
}

// An index spends eight bytes for a place, and at most 5/3 places for a name once
// its parts have grown: four thirds just before, and a quarter more just after.
func TestIndexIsSmall(t *testing.T) {
	x := newIndex()
	names := []string{""}
	const n = 100_000
	for id := uint32(1); id <= n; id++ {
		names = append(names, fmt.Sprint("lock-", id))
		_, hash := x.find(names[id], func(id uint32) string { return names[id] })
		x.add(hash, id)
	}
	places := 0
	for i := range x.parts {
		places += len(x.parts[i].places)
	}
	if places > n*5/3+indexParts {
		t.Errorf("%d places for %d names", places, n)
	}
}

// Values of a slab stay where they are, and their numbers are used again.
func TestSlab(t *testing.T) {
	var s slab[int]
	var all []*int
	for i := 1; i <= 3*chunkSize; i++ {
		id, v := s.add()
		if int(id) != i || *v != 0 {
			t.Fatalf("value %d has number %d and is %d", i, id, *v)
		}
		*v = i
		all = append(all, v)
	}
	for i, v := range all {
		if *v != i+1 || s.at(uint32(i+1)) != v {
			t.Fatalf("value %d has moved", i+1)
		}
	}
	s.drop(7)
	if id, v := s.add(); id != 7 || *v != 0 {
		t.Errorf("number %d, value %d after a drop of 7", id, *v)
	}
}
