package journal

import (
	"fmt"
	"math"
)

// cutShort deals with a newest segment that is shorter than it was made, least bytes.
//
// A segment gets its name once its header and its full length are synced, and nothing
// makes it shorter afterwards but a truncation, which the manifest tells of. So
// whatever the power does, it is never found shorter; a copy that was broken off, a
// file system that was repaired or a slip of a person's makes it so. How much was in
// what is missing nobody knows, and it may have been acknowledged: that is damage.
// Where the end mark is still there nothing is missing but space.
func (l *loader) cutShort(s *segment, path string, least int64) error {
	why := fmt.Sprintf("the file was made with %d bytes or more and has %d, which no crash does: "+
		"records from here on may be gone that were acknowledged", least, s.size)
	return l.lost(s, path, why)
}

// lost deals with a newest segment that does not have all of what was durable in it, or
// may not, for the reason why: it is damage, unless that is accepted.
func (l *loader) lost(s *segment, path, why string) error {
	if !l.acceptCut {
		return &DamageError{File: path, Offset: min(s.end.at, s.size), Index: s.end.index, Why: why, CutShort: true}
	}
	t := &l.layout.torn
	if *t == (Torn{}) {
		*t = Torn{File: path, Offset: min(s.end.at, s.size), Index: s.end.index}
	}
	if s.headless {
		t.Offset, t.Bytes = 0, s.size
	}
	t.Why, t.CutShort = why, true
	return nil
}

// checkIntent holds the directory against the intent in the manifest, if there is one,
// before any of it is carried out: nothing may be there that was not when it was written.
func (l *loader) checkIntent() error {
	m := l.layout.manifest
	if m.state == stateReady {
		return nil
	}
	damage := func(what string, last uint64) error {
		return &DamageError{File: pathIn(l.dir, manifestName), Index: m.known + 1, Why: fmt.Sprintf(
			"it would have records taken away, up to %d at most, and there is %s %d: it is older than they are", m.known, what, last)}
	}
	for _, s := range l.layout.segments {
		last, err := l.lastIn(s)
		if err != nil {
			return err
		}
		if last > m.known {
			return damage("a record", last)
		}
	}
	stays := m.last
	if m.state == stateResetting {
		stays = m.first - 1
	}
	if n := len(l.layout.snapshots); n > 0 && l.layout.snapshots[n-1] > stays {
		return damage("a snapshot of record", l.layout.snapshots[n-1])
	}
	return nil
}

// lastIn gives the last whole record of a segment, whatever came before it; 0 if there
// is none in it.
func (l *loader) lastIn(s *segment) (uint64, error) {
	path := pathIn(l.dir, s.name)
	f, err := l.fsys.OpenRead(path)
	if err != nil {
		return 0, err
	}
	defer func() { _ = f.Close() }()
	alone := &segment{name: s.name, first: s.first}
	if alone.size, err = f.Size(); err != nil {
		return 0, err
	}
	if err := alone.scan(f, path, l.layout.manifest.id, false, math.MaxUint64); err != nil {
		return 0, err
	}
	if alone.end.index == alone.first {
		return 0, nil
	}
	return alone.end.index - 1, nil
}
