// Package due keeps things in the order in which they fall due.
//
// A lock uses it for its leases, the sequencer for its locks. Like package lease
// it is pure and imports only that.
package due

import "github.com/leasekeeper/lkactor/actors/lease"

// Heap orders small integer ids by the instant at which each falls due, then by
// a tie-break that the caller gives. The zero value is an empty heap. It
// allocates only to grow, and must not be copied once it has been used.
type Heap struct {
	items []item
	// place[id] is one more than the id's index in items; zero when it is not
	// in the heap.
	place []int32

	// What the slices start with: most heaps never hold more, and have it where
	// they are themselves.
	fewItems [few]item
	fewPlace [few]int32
}

const few = 2

type item struct {
	at  lease.Instant
	tie int64
	id  uint32
}

func (a item) before(b item) bool {
	return a.at < b.at || a.at == b.at && a.tie < b.tie
}

// Len is how many ids the heap holds.
func (h *Heap) Len() int { return len(h.items) }

// Min gives the id that falls due first and its instant; lease.Never when the
// heap is empty.
func (h *Heap) Min() (id uint32, at lease.Instant) {
	if len(h.items) == 0 {
		return 0, lease.Never
	}
	return h.items[0].id, h.items[0].at
}

// At gives the instant at which id falls due; lease.Never if it is not in the
// heap.
func (h *Heap) At(id uint32) lease.Instant {
	if int(id) >= len(h.place) || h.place[id] == 0 {
		return lease.Never
	}
	return h.items[h.place[id]-1].at
}

// Set puts id into the heap or moves it there. Of ids due at one instant the
// one with the smaller tie comes first; ties must differ.
func (h *Heap) Set(id uint32, at lease.Instant, tie int64) {
	if h.place == nil {
		h.items, h.place = h.fewItems[:0], h.fewPlace[:0]
	}
	for int(id) >= len(h.place) {
		h.place = append(h.place, 0)
	}
	it := item{at: at, tie: tie, id: id}
	k := int(h.place[id]) - 1
	if k < 0 {
		h.items = append(h.items, it)
		h.up(len(h.items)-1, it)
		return
	}
	if it.before(h.items[k]) {
		h.up(k, it)
	} else {
		h.down(k, it)
	}
}

// Remove takes id out of the heap; nothing happens if it is not there.
func (h *Heap) Remove(id uint32) {
	if int(id) >= len(h.place) || h.place[id] == 0 {
		return
	}
	k := int(h.place[id]) - 1
	h.place[id] = 0
	last := len(h.items) - 1
	moved := h.items[last]
	h.items = h.items[:last]
	if k == last {
		return
	}
	if k > 0 && moved.before(h.items[(k-1)/2]) {
		h.up(k, moved)
	} else {
		h.down(k, moved)
	}
}

// up writes it at k or above, wherever no parent comes after it.
func (h *Heap) up(k int, it item) {
	for k > 0 {
		parent := (k - 1) / 2
		if !it.before(h.items[parent]) {
			break
		}
		h.put(k, h.items[parent])
		k = parent
	}
	h.put(k, it)
}

// down writes it at k or below, wherever no child comes before it.
func (h *Heap) down(k int, it item) {
	for {
		child := 2*k + 1
		if child >= len(h.items) {
			break
		}
		if child+1 < len(h.items) && h.items[child+1].before(h.items[child]) {
			child++
		}
		if !h.items[child].before(it) {
			break
		}
		h.put(k, h.items[child])
		k = child
	}
	h.put(k, it)
}

func (h *Heap) put(k int, it item) {
	h.items[k] = it
	h.place[it.id] = int32(k) + 1
}
