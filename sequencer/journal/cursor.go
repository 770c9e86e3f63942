package journal

// cursor is a place between two frames and what the next one has to look like.
// It is the whole state of a scan, and pure: bytes go in through step, findings
// come out; who reads the bytes is not its business.
type cursor struct {
	seed  uint32 // what checksums start from
	index uint64 // of the next record
	chain uint32 // checksum of the frame before
	at    int64  // offset of the next frame in its segment

	// The last group seen so far: where its first frame begins.
	groupAt int64
}

// finding is what a step came to.
type finding uint8

const (
	// foundRecord: a whole record; the cursor has moved past it.
	foundRecord finding = iota
	// foundShort: the frame needs more bytes than were given; ask again.
	foundShort
	// foundEnd: an end mark, in its place.
	foundEnd
	// foundSeal: a seal, in its place.
	foundSeal
	// foundBad: no frame at all, or not a whole one. Whether that is the end of
	// the journal, a torn tail or damage depends on what follows.
	foundBad
	// foundMisplaced: a whole frame that belongs elsewhere. No crash does that.
	foundMisplaced
	// foundUnknown: a whole frame of another version.
	foundUnknown
)

// step is one finding and its particulars.
type step struct {
	found  finding
	need   int    // foundShort: how many bytes from the cursor on
	frame  frame  // where there is one
	record []byte // foundRecord: part of the bytes given
	why    string // foundBad, foundMisplaced: for people
}

// step looks at b, the bytes from the cursor on; end says that the file has no
// more than these.
func (c *cursor) step(b []byte, end bool) step {
	if len(b) < frameBytes {
		if end {
			return step{found: foundBad, why: "the file ends here"}
		}
		return step{found: foundShort, need: frameBytes}
	}
	f := parseFrame(b)
	switch {
	case f == frame{}:
		return step{found: foundBad, why: "nothing is written here"}
	case f.length > MaxRecordBytes:
		return step{found: foundBad, frame: f, why: "no record is that long"}
	case int64(len(b)) < f.size() && end:
		return step{found: foundBad, frame: f, why: "the record is longer than the file"}
	case int64(len(b)) < f.size():
		return step{found: foundShort, need: int(f.size())}
	}
	whole := b[:f.size()]
	if !f.holds(c.seed, whole) {
		return step{found: foundBad, frame: f, why: "the checksum is wrong"}
	}
	if !f.known() {
		return step{found: foundUnknown, frame: f}
	}
	return c.place(f, whole)
}

// place takes a whole frame if this is where it belongs.
func (c *cursor) place(f frame, whole []byte) step {
	switch {
	case f.index != c.index:
		return step{found: foundMisplaced, frame: f, why: "a whole frame of another record is here"}
	case f.previous != c.chain:
		return step{found: foundMisplaced, frame: f, why: "the frame does not continue the one before it"}
	case f.kind == kindEnd:
		return step{found: foundEnd, frame: f}
	case f.kind == kindSeal:
		return step{found: foundSeal, frame: f}
	}
	if f.unsynced == 0 {
		c.groupAt = c.at
	}
	c.index++
	c.chain = f.checksum
	c.at += f.size()
	return step{found: foundRecord, frame: f, record: whole[frameBytes:]}
}
