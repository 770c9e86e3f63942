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
	// index finds slots once there have been too many to scan.
	index map[uint32]int32

	// What the slices start with. Most tables never hold more, and have it where
	// they are themselves.
	fewIDs   [few]uint32
	fewSpare [few]int32
}

const few = 2

// Size is how many slots there have ever been at once: the length that the
// caller's slices need.
func (t *Table) Size() int { return len(t.ids) }

// Used is how many ids have a slot.
func (t *Table) Used() int { return len(t.ids) - len(t.spare) }

// Find gives the slot of id, or None.
func (t *Table) Find(id uint32) int32 {
	if t.index != nil {
		if s, ok := t.index[id]; ok {
			return s
		}
		return None
	}
	for s, at := range t.ids {
		if at == id {
			return int32(s)
		}
	}
	return None
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
		if len(t.ids) == scanLimit+1 {
			t.indexAll()
		}
	}
	if t.index != nil {
		t.index[id] = slot
	}
	return slot
}

// Drop frees a slot in use.
func (t *Table) Drop(slot int32) {
	if t.index != nil {
		delete(t.index, t.ids[slot])
	}
	t.ids[slot] = 0
	t.spare = append(t.spare, slot)
}

func (t *Table) indexAll() {
	t.index = make(map[uint32]int32, 2*scanLimit)
	for s, id := range t.ids {
		if id != 0 {
			t.index[id] = int32(s)
		}
	}
}
