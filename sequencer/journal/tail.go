package journal

import (
	"bytes"
	"encoding/binary"
)

// tail decides what a bad frame at the end of the newest segment is, from
// everything that follows it.
//
// A crash may leave any part of the last group on disk: it was being written and
// nobody had been told of it. So whole frames after a bad one prove nothing by
// themselves. But a group is written only after the one before it has been
// synced, and each frame says where its group begins. A whole frame whose group
// begins after the bad one therefore proves that the bad one had been synced:
// that is damage. End marks and seals are written after everything before them
// was synced and prove the same of all of it. Without such a proof the tail is
// torn, and what is cut was never acknowledged.
//
// What no log can see: the very last group of a journal that was not closed has
// nothing after it. Damage there looks as if its sync had never happened.
//
// Like cursor it is pure.
type tail struct {
	seed  uint32
	index uint64 // of the bad frame
	most  uint64 // no frame after it can have a higher index

	// dirtyEnd is the offset after the last byte that is not zero, 0 if none.
	dirtyEnd int64
	// proof is a frame that shows that the bad one had been synced, and proofAt
	// where it is; the search ends with the first.
	proof   *frame
	proofAt int64
}

// zeros is for skipping what was never written.
var zeros [4096]byte

// newTail prepares for a bad frame with this index that has room bytes from its
// own first to the end of the file.
func newTail(seed uint32, index uint64, room int64) *tail {
	return &tail{seed: seed, index: index, most: index + uint64(room)/frameBytes + 1}
}

// look searches b, which lies at offset at in the file; end says that the file
// has no more than that. It returns how many bytes are dealt with and, unless the
// search is over, how many it needs to see from there on.
func (t *tail) look(b []byte, at int64, end bool) (done, need int) {
	for q := 0; ; {
		if len(b)-q >= len(zeros) && bytes.Equal(b[q:q+len(zeros)], zeros[:]) {
			// A frame may begin in the zeros and go on after them.
			q += len(zeros) - frameBytes + 1
			continue
		}
		if len(b)-q < frameBytes {
			return t.rest(b, q, at, end)
		}
		if b[q] != 0 {
			t.dirtyEnd = at + int64(q) + 1
		}
		// Almost every place is dismissed by its index alone.
		if i := binary.LittleEndian.Uint64(b[q+8:]); i <= t.index || i > t.most {
			q++
			continue
		}
		f := parseFrame(b[q:])
		if int64(len(b)-q) < f.size() && !end && f.length <= MaxRecordBytes {
			return q, int(f.size())
		}
		if t.proves(f, b[q:]) {
			t.proof, t.proofAt = &f, at+int64(q)
			return q, 0
		}
		q++
	}
}

// rest deals with the last bytes, too few for a frame.
func (t *tail) rest(b []byte, q int, at int64, end bool) (done, need int) {
	if !end {
		return q, frameBytes
	}
	for i := len(b) - 1; i >= q; i-- {
		if b[i] != 0 {
			t.dirtyEnd = at + int64(i) + 1
			break
		}
	}
	return len(b), 0
}

// proves says whether f, at the beginning of b, is whole and was written after
// the bad frame had been synced.
func (t *tail) proves(f frame, b []byte) bool {
	return f.length <= MaxRecordBytes &&
		int64(len(b)) >= f.size() &&
		uint64(f.unsynced) < f.index && f.group() > t.index &&
		f.holds(t.seed, b[:f.size()])
}
