package journal

// group is a run of frames that becomes durable with one sync: a stretch of a
// batch's bytes and where it goes. It never spans two segments.
type group struct {
	from, to int    // in the batch's bytes
	last     uint64 // its last record
	at       int64  // offset in the segment

	// fresh: the group is the first of a new segment, which has to be made before
	// it is written; before is the cursor between the old one and the new.
	fresh  bool
	before cursor
	// size is how long the segment has to be made, 0 if it is long enough.
	size int64
}

// batch is what has been appended and is not on its way to disk yet.
type batch struct {
	bytes  []byte
	groups []group
	marks  []mark // for the indexes of the segments that the groups go to
}

// reset empties the batch and keeps its memory, unless a rare large one has grown
// it beyond what is worth keeping.
func (b *batch) reset() {
	b.bytes, b.groups, b.marks = b.bytes[:0], b.groups[:0], b.marks[:0]
	if cap(b.bytes) > 2*maxGroupBytes {
		b.bytes = nil
	}
}

// placer decides where the next frame goes. It is pure: it knows sizes and
// checksums and touches no file.
type placer struct {
	cursor              // where the next frame goes
	size         int64  // of the segment that the cursor is in
	segmentBytes int64  // of segments to come, unless a record needs more
	groupBytes   int64  // of a group, unless one record is longer
	markedAt     int64  // offset of the segment's last mark
	base         uint64 // first record of the group being built
}

// add frames a record at the end of the batch.
func (p *placer) add(b *batch, record []byte) {
	need := int64(frameBytes + len(record))
	// Every segment keeps room for its seal.
	full := p.at+need+frameBytes > p.size
	if full || !p.fits(b, need) {
		p.begin(b, full, need)
	}
	if p.at-p.markedAt >= markStrideBytes {
		b.marks = append(b.marks, mark{index: p.index, at: p.at, chain: p.chain})
		p.markedAt = p.at
	}
	f := frame{previous: p.chain, index: p.index, kind: kindRecord, unsynced: uint16(p.index - p.base)}
	b.bytes, p.chain = appendFrame(b.bytes, p.seed, f, record)
	g := &b.groups[len(b.groups)-1]
	g.to, g.last = len(b.bytes), p.index
	p.index++
	p.at += need
}

// fits says whether the batch's last group can take need bytes more.
func (p *placer) fits(b *batch, need int64) bool {
	if len(b.groups) == 0 {
		return false
	}
	g := b.groups[len(b.groups)-1]
	return p.index-p.base < maxGroupRecords && int64(g.to-g.from)+need <= p.groupBytes
}

// begin starts a group, in a new segment if the present one is full. An empty
// segment that is too small for the record is made longer: two segments cannot
// begin with the same record.
func (p *placer) begin(b *batch, full bool, need int64) {
	g := group{from: len(b.bytes), to: len(b.bytes)}
	if full {
		g.fresh, g.before = p.at > headerBytes, p.cursor
		g.size = max(p.segmentBytes, headerBytes+need+frameBytes)
		p.at, p.size, p.markedAt = headerBytes, g.size, headerBytes
	}
	g.at = p.at
	p.base = p.index
	b.groups = append(b.groups, g)
}
