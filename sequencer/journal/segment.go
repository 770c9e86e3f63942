package journal

import (
	"fmt"
	"path/filepath"
)

// segment is what is known of one segment file: after a scan, or because this
// process has written it.
type segment struct {
	name  string
	first uint64 // its first record
	size  int64  // length of the file
	least int64  // its length when it was made, and so the least it can have; 0 if not known
	end   cursor // after its last record
	marks []mark // a sparse index, ascending

	// How a scan ended: foundEnd, foundSeal or foundBad, and what was bad.
	ended finding
	why   string
	bad   frame // foundBad: what is there, if it was a frame
	// headless: the file is shorter than its header, as a prefix of one is.
	headless bool
}

// mark is an entry of a segment's index: the frame of a record begins here.
type mark struct {
	index uint64
	at    int64
	chain uint32 // checksum of the frame before it
}

// markAt adds a mark if the last one is far enough away. The place is that of the
// frame to come.
func (s *segment) markAt(c cursor) {
	if n := len(s.marks); n == 0 || c.at-s.marks[n-1].at >= markStrideBytes {
		s.marks = append(s.marks, mark{index: c.index, at: c.at, chain: c.chain})
	}
}

// near gives a place at or before the record, from which a walk gets there.
func (s *segment) near(seed uint32, index uint64) cursor {
	c := cursor{seed: seed, index: s.first, at: headerBytes}
	for lo, hi := 0, len(s.marks); lo < hi; {
		mid := (lo + hi) / 2
		if m := s.marks[mid]; m.index <= index {
			c.index, c.at, c.chain = m.index, m.at, m.chain
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return c
}

// walk steps through records from c on, while visit says to go on. It returns the
// step at which it stopped: the first that is no record, or the last visited.
func walk(w *window, c *cursor, visit func(before cursor, s step) (more bool, err error)) (step, error) {
	for need := frameBytes; ; {
		b, end, err := w.from(c.at, need)
		if err != nil {
			return step{}, err
		}
		before := *c
		s := c.step(b, end)
		switch s.found {
		case foundShort:
			need = s.need
			continue
		case foundRecord:
			more, err := visit(before, s)
			if err != nil || !more {
				return s, err
			}
			need = frameBytes
		default:
			return s, nil
		}
	}
}

// scan reads the segment through, up to and with record upTo, and says how it
// ended. The file is open as f; id is the journal's. The error is *DamageError,
// *VersionError or the file system's; a bad frame is not an error here, for only
// what follows says what it is.
func (s *segment) scan(f File, path string, id uint64, newest bool, upTo uint64) error {
	w := newWindow(f, s.size)
	b, _, err := w.from(0, headerBytes)
	if err != nil {
		return fmt.Errorf("journal: reading %s: %w", path, err)
	}
	seed := seedOf(id)
	s.marks = nil
	s.end = cursor{seed: seed, index: s.first, at: headerBytes, groupAt: headerBytes}
	if newest && len(b) < headerBytes {
		s.headless, s.ended, s.why = true, foundBad, "the file ends within its header"
		return nil
	}
	head, err := decodeHeader(b, path, magicSegment)
	if err != nil {
		return err
	}
	if head.id != id {
		return &DamageError{File: path, Index: s.first, Why: "the segment belongs to another journal"}
	}
	if head.index != s.first {
		return &DamageError{File: path, Index: s.first, Why: fmt.Sprintf("the segment begins with record %d and is named for another", head.index)}
	}
	s.end.chain, s.least = head.chain, int64(head.extent)
	s.markAt(s.end)
	if upTo < s.first {
		s.ended, s.why = foundBad, "nothing of it was to stay"
		return nil
	}
	last, err := walk(w, &s.end, func(before cursor, _ step) (bool, error) {
		s.markAt(before)
		return s.end.index <= upTo, nil
	})
	if err != nil {
		return fmt.Errorf("journal: reading %s: %w", path, err)
	}
	return s.settle(last, path)
}

// settle files how the scan ended.
func (s *segment) settle(last step, path string) error {
	s.ended, s.why, s.bad = last.found, last.why, last.frame
	switch last.found {
	case foundEnd:
		s.why = "the end mark is here"
	case foundMisplaced:
		return &DamageError{File: path, Offset: s.end.at, Index: s.end.index, Why: last.why}
	case foundUnknown:
		return &VersionError{File: path, Offset: s.end.at, What: "frame", Version: uint32(last.frame.version)}
	}
	return nil
}

// chainBefore gives the checksum that the segment's first frame continues.
func (s *segment) chainBefore() uint32 { return s.marks[0].chain }

// reach is how far beyond the last whole record a crash can have written: that is one
// group, and the space after it is zeros from when it was set aside. A record that is
// longer than groups are is a group of its own, and its first bytes are durable before
// the others are written, so that it tells its own length.
func (s *segment) reach(groupBytes int64) int64 {
	f := s.bad
	if s.ended == foundBad && f.known() && f.kind == kindRecord && f.index == s.end.index && f.previous == s.end.chain {
		return max(groupBytes, f.size())
	}
	return groupBytes
}

// checkRest wants nothing after the seal of a segment that another one follows. The seal
// itself may be missing, or be torn.
func (s *segment) checkRest(f File, path string) error {
	w := newWindow(f, s.size)
	for at := s.end.at + frameBytes; ; {
		b, end, err := w.from(at, 1)
		if err != nil {
			return fmt.Errorf("journal: reading %s: %w", path, err)
		}
		for i := range b {
			if b[i] != 0 {
				return &DamageError{File: path, Offset: at + int64(i), Why: "something follows the last record of a finished segment"}
			}
		}
		if at += int64(len(b)); end {
			return nil
		}
	}
}

// findTail searches what follows the end of the newest segment. The error is
// *DamageError if that proves damage.
func (s *segment) findTail(f File, path string) (dirtyEnd int64, err error) {
	from := min(s.end.at, s.size)
	t := newTail(s.end.seed, s.end.index, s.size-from)
	w := newWindow(f, s.size)
	for at, need := from, frameBytes; ; {
		b, end, err := w.from(at, need)
		if err != nil {
			return 0, fmt.Errorf("journal: reading %s: %w", path, err)
		}
		done, more := t.look(b, at, end)
		if t.proof != nil {
			return 0, &DamageError{File: path, Offset: s.end.at, Index: s.end.index, Why: fmt.Sprintf(
				"%s, yet the frame at byte %d was written after this one was durable", s.why, t.proofAt)}
		}
		if end && more == 0 {
			return t.dirtyEnd, nil
		}
		at, need = at+int64(done), more
	}
}

func pathIn(dir, name string) string { return filepath.Join(dir, name) }
