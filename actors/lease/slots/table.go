// Package slots gives small stable numbers to ids that come and go, so that what
// belongs to them can live in plain slices.
//
// A lock uses it for its claims by client, a client for its leases by lock. Like
// package lease it is pure.
package slots

// None is what Find answers for an id that has no slot.
const None int32 = -1

// scanLimit is up to how many slots an id is found by looking through all of
// them: the ids of 16 slots fill one cache line.
const scanLimit = 16

// Table maps ids to slots. Ids are above zero; slots count from 0 and are used
// again. The zero value is an empty table. A table must not be copied once it
// has been used.
type Table struct {
	ids   []uint32 // ids[slot], zero if the slot is free
	spare []int32

	*index // nil until there have been too many to scan

	// What the slices start with. Most tables never hold more, and have it where
	// they are themselves.
	fewIDs   [few]uint32
	fewSpare [few]int32
}

const few = 2

// index finds the slots of many ids.
type index struct {
	// places is an open-addressing table of slots, each one higher so that zero
	// is an empty place. Its size is a power of two, and shift takes the product in
	// home down to it.
	places []int32
	shift  uint8
}

// Size is how many slots there have ever been at once: the length that the
// caller's slices need.
func (t *Table) Size() int { return len(t.ids) }

// Used is how many ids have a slot.
func (t *Table) Used() int { return len(t.ids) - len(t.spare) }

// Find gives the slot of id, or None.
func (t *Table) Find(id uint32) int32 {
	if t.index == nil {
		for s, at := range t.ids {
			if at == id {
				return int32(s)
			}
		}
		return None
	}
	mask := uint32(len(t.places) - 1)
	for at := t.home(id); ; at = (at + 1) & mask {
		s := t.places[at] - 1
		if s == None || t.ids[s] == id {
			return s
		}
	}
}

// Add gives a slot to an id that has none.
func (t *Table) Add(id uint32) (slot int32) {
	if n := len(t.spare); n > 0 {
		slot = t.spare[n-1]
		t.spare = t.spare[:n-1]
		t.ids[slot] = id
	} else {
		if t.ids == nil {
			t.ids, t.spare = t.fewIDs[:0], t.fewSpare[:0]
		}
		slot = int32(len(t.ids))
		t.ids = append(t.ids, id)
		if n := len(t.ids); n > scanLimit && (t.index == nil || 2*n > len(t.places)) {
			t.replace(4 * n)
			return slot
		}
	}
	if t.index != nil {
		t.put(slot)
	}
	return slot
}

// Drop frees a slot in use.
func (t *Table) Drop(slot int32) {
	if t.index != nil {
		t.take(slot)
	}
	t.ids[slot] = 0
	t.spare = append(t.spare, slot)
}

// home is where the search for an id begins: the high bits of its product with an
// odd number near 2^32 times the golden ratio, which spreads ids that follow each
// other.
func (x *index) home(id uint32) uint32 { return id * 0x9E3779B1 >> x.shift }

// replace gives all slots in use a place in a table of at least size.
func (t *Table) replace(size int) {
	bits := uint8(1)
	for 1<<bits < size {
		bits++
	}
	t.index = &index{make([]int32, 1<<bits), 32 - bits}
	for s, id := range t.ids {
		if id != 0 {
			t.put(int32(s))
		}
	}
}

func (t *Table) put(slot int32) {
	mask := uint32(len(t.places) - 1)
	at := t.home(t.ids[slot])
	for t.places[at] != 0 {
		at = (at + 1) & mask
	}
	t.places[at] = slot + 1
}

// take empties the place of a slot, and moves up those behind that would
// otherwise not be found any more.
func (t *Table) take(slot int32) {
	mask := uint32(len(t.places) - 1)
	hole := t.home(t.ids[slot])
	for t.places[hole] != slot+1 {
		hole = (hole + 1) & mask
	}
	for at := (hole + 1) & mask; t.places[at] != 0; at = (at + 1) & mask {
		home := t.home(t.ids[t.places[at]-1])
		// It may move into the hole if its search passes there: if the hole is no
		// further from its place than its home is.
		if (at-home)&mask >= (at-hole)&mask {
			t.places[hole] = t.places[at]
			hole = at
		}
	}
	t.places[hole] = 0
}
