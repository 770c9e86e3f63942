package sequencer

import "hash/maphash"

// index finds ids by name. It keeps no names, only eight bytes for each, and
// asks whoever has them; so a directory of ten million names costs little more
// than the names. It is in parts that grow one at a time: no operation ever
// waits for all names to be moved.
//
// The seed of the hash is random, so that nobody can choose names that collide.
// Nothing but the place of a name depends on it.
type index struct {
	seed  maphash.Seed
	parts [indexParts]part
}

// indexParts is how many parts there are, a power of two.
const indexParts = 256

// part is an open-addressing table, probed in line; a zero id is an empty place.
type part struct {
	places []place
	used   int
}

type place struct {
	hash uint32 // some bits of it, to look at few names that differ
	id   uint32
}

func newIndex() index { return index{seed: maphash.MakeSeed()} }

// find gives the id of a name, zero if it is not known, and its hash for add.
// named tells whether the name of an id is the one looked for.
func (x *index) find(name string, nameOf func(id uint32) string) (id uint32, hash uint64) {
	hash = maphash.String(x.seed, name)
	p := &x.parts[hash%indexParts]
	if p.used == 0 {
		return 0, hash
	}
	mask := uint32(len(p.places) - 1)
	tag := uint32(hash >> 32)
	for at := tag & mask; ; at = (at + 1) & mask {
		q := p.places[at]
		if q.id == 0 {
			return 0, hash
		}
		if q.hash == tag && nameOf(q.id) == name {
			return q.id, hash
		}
	}
}

// add enters a name that find has not found, by the hash that find gave.
func (x *index) add(hash uint64, id uint32) {
	p := &x.parts[hash%indexParts]
	if 4*(p.used+1) > 3*len(p.places) {
		p.grow()
	}
	p.put(place{hash: uint32(hash >> 32), id: id})
	p.used++
}

// remove takes out a name that is known, before whoever has the names forgets it.
func (x *index) remove(name string, id uint32) {
	hash := maphash.String(x.seed, name)
	p := &x.parts[hash%indexParts]
	mask := uint32(len(p.places) - 1)
	hole := uint32(hash>>32) & mask
	for p.places[hole].id != id {
		hole = (hole + 1) & mask
	}
	// Move up those behind that would otherwise not be found any more: those whose
	// search passes the hole.
	for at := (hole + 1) & mask; p.places[at].id != 0; at = (at + 1) & mask {
		if home := p.places[at].hash & mask; (at-home)&mask >= (at-hole)&mask {
			p.places[hole] = p.places[at]
			hole = at
		}
	}
	p.places[hole] = place{}
	p.used--
}

func (p *part) grow() {
	old := p.places
	p.places = make([]place, max(8, 2*len(old)))
	for _, q := range old {
		if q.id != 0 {
			p.put(q)
		}
	}
}

func (p *part) put(q place) {
	mask := uint32(len(p.places) - 1)
	at := q.hash & mask
	for p.places[at].id != 0 {
		at = (at + 1) & mask
	}
	p.places[at] = q
}
