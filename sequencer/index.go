package sequencer

import (
	"hash/maphash"
	"slices"
)

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

// part is an open-addressing table, probed in line; a zero id is an empty place. The
// home of a name is where its hash lies in the range of all hashes, so a part can have
// any size: it grows by a quarter, not to the double, and is never less than half full
// once it has grown. As entries stand nearly in the order of their hashes, growing is
// a walk along both tables and not a jump for each entry.
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
	tag := uint32(hash >> 32)
	for at := p.home(tag); ; at = p.after(at) {
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
	hole := p.home(uint32(hash >> 32))
	for p.places[hole].id != id {
		hole = p.after(hole)
	}
	// Move up those behind that would otherwise not be found any more: those whose
	// search passes the hole.
	for at := p.after(hole); p.places[at].id != 0; at = p.after(at) {
		if home := p.home(p.places[at].hash); p.distance(home, at) >= p.distance(hole, at) {
			p.places[hole] = p.places[at]
			hole = at
		}
	}
	p.places[hole] = place{}
	p.used--
}

// home is where the search for a hash begins.
func (p *part) home(hash uint32) int { return int(uint64(hash) * uint64(len(p.places)) >> 32) }

// after is where it goes on.
func (p *part) after(at int) int {
	if at++; at < len(p.places) {
		return at
	}
	return 0
}

// distance is how far to is from from, the way that a search goes.
func (p *part) distance(from, to int) int {
	if to >= from {
		return to - from
	}
	return to - from + len(p.places)
}

func (p *part) grow() {
	old := p.places
	p.places = slices.Grow([]place(nil), max(8, len(old)+len(old)/4))
	p.places = p.places[:cap(p.places)] // what the allocator gives beyond is ours anyway
	for _, q := range old {
		if q.id != 0 {
			p.put(q)
		}
	}
}

func (p *part) put(q place) {
	at := p.home(q.hash)
	for p.places[at].id != 0 {
		at = p.after(at)
	}
	p.places[at] = q
}
