package deadlock

import "math/bits"

// pairIndex finds the holding of a lock and a client in constant time. It is a
// table with open addressing; removal closes the gap instead of leaving a
// tombstone, so a table of steady size never has to be rebuilt.
type pairIndex struct {
	entries []pairEntry // length is zero or a power of two
	count   int
}

// pairEntry is empty while its pair is zero, which no pair of nodes is.
type pairEntry struct {
	pair    uint64
	holding holdingRef
}

// minPairEntries is the length of the smallest table.
const minPairEntries = 64

func pairOf(lock, client nodeRef) uint64 { return uint64(lock)<<32 | uint64(client) }

// home is where a pair would best be found. Any constant with well mixed bits
// does; the order of the table shows nowhere.
func (x *pairIndex) home(pair uint64) int {
	high, low := bits.Mul64(pair^0x8f1e_6a3b_5d94_c277, 0x9e37_79b9_7f4a_7c15)
	return int((high ^ low) & uint64(len(x.entries)-1))
}

// find gives the holding of a pair, zero if there is none.
func (x *pairIndex) find(lock, client nodeRef) holdingRef {
	if x.count == 0 {
		return 0
	}
	return x.entries[x.place(pairOf(lock, client))].holding
}

// place is where a pair is, or the empty entry where it would go.
func (x *pairIndex) place(pair uint64) int {
	i := x.home(pair)
	for x.entries[i].pair != pair && x.entries[i].pair != 0 {
		i = (i + 1) & (len(x.entries) - 1)
	}
	return i
}

// insert adds a pair that is not there.
func (x *pairIndex) insert(lock, client nodeRef, h holdingRef) {
	if 4*(x.count+1) > 3*len(x.entries) {
		x.grow()
	}
	pair := pairOf(lock, client)
	x.entries[x.place(pair)] = pairEntry{pair, h}
	x.count++
}

func (x *pairIndex) grow() {
	old := x.entries
	x.entries = make([]pairEntry, max(minPairEntries, 2*len(old)))
	for _, entry := range old {
		if entry.pair != 0 {
			x.entries[x.place(entry.pair)] = entry
		}
	}
}

// remove takes out a pair that is there. An entry further on may have been
// pushed along by it: each that is not at home between the gap and itself moves
// into the gap.
func (x *pairIndex) remove(lock, client nodeRef) {
	mask := len(x.entries) - 1
	gap := x.place(pairOf(lock, client))
	for i := (gap + 1) & mask; x.entries[i].pair != 0; i = (i + 1) & mask {
		if home := x.home(x.entries[i].pair); (i-home)&mask >= (i-gap)&mask {
			x.entries[gap] = x.entries[i]
			gap = i
		}
	}
	x.entries[gap] = pairEntry{}
	x.count--
}
