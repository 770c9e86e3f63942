package crashfs

import "math/rand/v2"

// sectorBytes is what a disk writes at once.
const sectorBytes = 512

// inode is a file apart from its names.
type inode struct {
	seen    []byte   // what a process reads
	disk    []byte   // what the last sync made durable
	pending []change // since then, in order
}

// change is one thing that may or may not have reached the disk: a new length or
// one sector's content.
type change struct {
	resize bool
	size   int    // resize
	sector int    // otherwise: its number
	data   []byte // and what all of it was right after the write
}

func (n *inode) clone() *inode {
	return &inode{
		seen:    append([]byte(nil), n.seen...),
		disk:    append([]byte(nil), n.disk...),
		pending: append([]change(nil), n.pending...), // a change is never altered
	}
}

// resize sets the length.
func (n *inode) resize(size int) {
	if size == len(n.seen) {
		return
	}
	n.seen = fitted(n.seen, size)
	n.pending = append(n.pending, change{resize: true, size: size})
}

// write puts data at an offset.
func (n *inode) write(data []byte, at int) {
	if len(data) == 0 {
		return
	}
	if end := at + len(data); end > len(n.seen) {
		n.resize(end)
	}
	copy(n.seen[at:], data)
	for s := at / sectorBytes; s*sectorBytes < at+len(data); s++ {
		whole := n.seen[s*sectorBytes : min((s+1)*sectorBytes, len(n.seen))]
		n.pending = append(n.pending, change{sector: s, data: append([]byte(nil), whole...)})
	}
}

// sync makes the changes since the last one durable. It does not look at what is
// seen otherwise: what a failed sync has given up stays given up.
func (n *inode) sync() {
	for _, c := range n.pending {
		n.keep(c)
	}
	n.pending = nil
}

// keep puts one change on the disk.
func (n *inode) keep(c change) {
	if c.resize {
		n.disk = fitted(n.disk, c.size)
		return
	}
	at := c.sector * sectorBytes
	if end := at + len(c.data); end > len(n.disk) {
		n.disk = fitted(n.disk, end)
	}
	copy(n.disk[at:], c.data)
}

// lose makes the disk what it might be if no sync came: some of the changes are
// on it, and the others never will be.
func (n *inode) lose(r *rand.Rand) {
	if len(n.pending) == 0 {
		return
	}
	keep := chooser(r, len(n.pending))
	sizes := r.IntN(len(n.pending) + 1) // changes of length up to here are kept
	if all := r.IntN(2) == 0; all {
		sizes = len(n.pending)
	}
	final := len(n.disk)
	for i, c := range n.pending {
		switch {
		case c.resize && i < sizes:
			final = c.size
			n.keep(c)
		case !c.resize && keep(i):
			c.data = torn(r, c.data)
			n.keep(c)
		}
	}
	n.disk = fitted(n.disk, final)
	n.pending = nil
}

// torn gives what of a sector is written: nearly always all.
func torn(r *rand.Rand, data []byte) []byte {
	if r.IntN(16) == 0 {
		return data[:r.IntN(len(data)+1)]
	}
	return data
}

// fitted gives b with a length of size, cut or filled up with zeros.
func fitted(b []byte, size int) []byte {
	if size <= len(b) {
		return b[:size]
	}
	return append(b, make([]byte, size-len(b))...)
}

// chooser draws a way of losing n changes: none reached the disk, all did, the
// first few did, or each did or did not.
func chooser(r *rand.Rand, n int) func(i int) bool {
	switch r.IntN(6) {
	case 0:
		return func(int) bool { return false }
	case 1:
		return func(int) bool { return true }
	case 2:
		k := r.IntN(n + 1)
		return func(i int) bool { return i < k }
	case 3:
		k := r.IntN(n) // all but one
		return func(i int) bool { return i != k }
	}
	odds := 1 + r.IntN(9)
	return func(int) bool { return r.IntN(10) < odds }
}
