package journal

import "fmt"

// recover, with mu held, reads the directory, finishes what an interrupted operation left undone
// and takes over what it finds. Whatever it shows must be on disk for certain: a
// process that was killed leaves writes in memory that no sync has followed, and
// a failed sync leaves some that no later sync would write.
func (j *Journal) recover() error {
	l, err := load(j.fs, j.dir, &j.options)
	if err != nil {
		return err
	}
	if err := j.repair(l); err != nil {
		return err
	}
	newest := l.segments[len(l.segments)-1]
	path := j.path(newest.name)
	f, err := j.fs.Open(path)
	if err != nil {
		return fmt.Errorf("journal: opening %s: %w", path, err)
	}
	j.manifest, j.segments, j.active = l.manifest, l.segments, f
	j.durable = newest.end.index - 1
	j.place = placer{
		cursor: newest.end, size: newest.size, segmentBytes: j.options.SegmentBytes, groupBytes: j.options.groupBytes,
		markedAt: newest.marks[len(newest.marks)-1].at, base: newest.end.index,
	}
	if newest.size < newest.least {
		j.place.size = newest.end.at // left as it is by Sparing: what is added goes into another one
	}
	return nil
}

// repair makes the directory what the layout says. Each step is durable before
// one that builds on it begins, and an interrupted repair begins again.
func (j *Journal) repair(l *layout) error {
	clean := l.fresh
	if n := len(l.segments); n > 0 && l.manifest.state == stateReady {
		clean = l.segments[n-1].ended == foundEnd && l.torn == Torn{} && len(l.leftovers) == 0
	}
	j.recovery = Recovery{New: l.fresh, Clean: clean, Torn: l.torn, Removed: l.leftovers}
	// The names that the layout came from may not be durable yet.
	if err := j.syncDir(); err != nil {
		return fmt.Errorf("journal: %w", err)
	}
	if err := j.remove(l.leftovers); err != nil {
		return fmt.Errorf("journal: %w", err)
	}
	var err error
	switch {
	case l.fresh:
		l.manifest = manifest{id: j.options.ID, first: 1, state: stateResetting}
		if l.manifest.id == 0 {
			l.manifest.id = newID()
		}
		if err = j.publishManifest(l.manifest); err == nil {
			err = j.finishReset(l)
		}
	case l.manifest.state == stateResetting:
		err = j.finishReset(l)
	case l.manifest.state == stateTruncating:
		err = j.finishTruncation(l)
	default:
		if l.torn.CutShort && l.manifest.known >= l.torn.Index {
			l.manifest.known = l.torn.Index - 1 // the loss was accepted
			err = j.publishManifest(l.manifest)
		}
		if err == nil {
			err = j.finishTail(l)
		}
	}
	if err != nil {
		return fmt.Errorf("journal: repairing %s: %w", j.dir, err)
	}
	return nil
}

// finishReset makes the journal an empty one that begins where the manifest says.
func (j *Journal) finishReset(l *layout) error {
	names := make([]string, 0, len(l.segments))
	for _, s := range l.segments {
		names = append(names, s.name)
	}
	if err := j.remove(names); err != nil {
		return err
	}
	s := &segment{name: segmentName(l.manifest.first), first: l.manifest.first, size: j.options.SegmentBytes}
	s.end = cursor{seed: seedOf(l.manifest.id), index: s.first, at: headerBytes, groupAt: headerBytes}
	s.markAt(s.end)
	if err := j.publishSegment(l.manifest.id, s.end, s.size); err != nil {
		return err
	}
	l.segments = []*segment{s}
	l.manifest.state, l.manifest.known = stateReady, 0
	return j.publishManifest(l.manifest)
}

// finishTruncation cuts the newest segment after the last record that stays. The
// file is made shorter rather than overwritten: what is cut was durable, and half
// of it would look like damage.
func (j *Journal) finishTruncation(l *layout) error {
	s := l.segments[len(l.segments)-1]
	f, err := j.fs.Open(j.path(s.name))
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	if err := f.Truncate(s.end.at); err != nil {
		return err
	}
	if err := j.enlarge(f, s); err != nil {
		return err
	}
	l.manifest.known = l.manifest.last
	l.manifest.state, l.manifest.last = stateReady, 0
	return j.publishManifest(l.manifest)
}

// enlarge gives a segment that is too short the space it should have, durably.
func (j *Journal) enlarge(f File, s *segment) error {
	s.size = max(s.size, s.least, j.options.SegmentBytes)
	if err := f.Preallocate(s.size); err != nil {
		return err
	}
	return j.sync(f)
}

// finishTail makes the newest segment end with its last whole record, durably,
// and seals the one before if that was not done.
func (j *Journal) finishTail(l *layout) error {
	if n := len(l.segments); n > 1 && l.segments[n-2].ended != foundSeal {
		if err := j.seal(l.segments[n-2]); err != nil {
			return err
		}
	}
	s := l.segments[len(l.segments)-1]
	if s.headless {
		s.headless = false
		s.markAt(s.end)
		return j.remake(l.manifest.id, s)
	}
	short := s.size < max(s.least, j.options.SegmentBytes)
	if short && j.options.Sparing {
		if s.end.index == s.first {
			return j.remake(l.manifest.id, s) // another segment would need its name
		}
		// It is not written to: between its end mark and another one it would be found cut
		// short after a crash. A segment that another one follows may have any length.
		short = false
	}
	if s.ended == foundEnd && l.torn == (Torn{}) && !short {
		return nil // the mark was written after everything before it was durable
	}
	f, err := j.fs.Open(j.path(s.name))
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	if err := j.wipe(f, l.torn); err != nil {
		return err
	}
	if err := j.rewrite(f, s); err != nil {
		return err
	}
	if short {
		return j.enlarge(f, s)
	}
	return j.sync(f)
}

// remake puts an empty segment in the place of one without records.
func (j *Journal) remake(id uint64, s *segment) error {
	s.size, s.least = j.options.SegmentBytes, j.options.SegmentBytes
	return j.publishSegment(id, s.end, s.size)
}

func (j *Journal) seal(s *segment) error {
	f, err := j.fs.Open(j.path(s.name))
	if err != nil {
		return err
	}
	err = j.markEnd(kindSeal, f, s.end)
	if closed := f.Close(); err == nil {
		err = closed
	}
	return err
}

// wipe overwrites a torn tail with zeros. Half of a torn tail is a torn tail, so
// no order among these writes matters, and the space stays set aside. Only what is
// longer than a group keeps its first bytes until the rest is durably gone: they tell
// how far it may go.
func (j *Journal) wipe(f File, t Torn) error {
	if t.Bytes > j.options.groupBytes {
		rest := t
		rest.Offset, rest.Bytes = t.Offset+frameBytes, t.Bytes-frameBytes
		if err := j.clear(f, rest); err != nil {
			return err
		}
		if err := j.sync(f); err != nil {
			return err
		}
		t.Bytes = frameBytes
	}
	return j.clear(f, t)
}

// clear writes zeros over a stretch.
func (j *Journal) clear(f File, t Torn) error {
	nothing := make([]byte, min(t.Bytes, windowBytes))
	for done := int64(0); done < t.Bytes; {
		n := min(t.Bytes-done, int64(len(nothing)))
		if _, err := f.WriteAt(nothing[:n], t.Offset+done); err != nil {
			return err
		}
		done += n
	}
	return nil
}

// rewrite writes the last group once more, as it was read. It is the one whose
// sync may have failed or never have run, and after a failed one the system may
// take for written what is in memory only; written again, it has to be.
func (j *Journal) rewrite(f File, s *segment) error {
	w := newWindow(f, s.end.at)
	for at := s.end.groupAt; at < s.end.at; {
		b, _, err := w.from(at, 1)
		if err != nil {
			return err
		}
		if _, err := f.WriteAt(b, at); err != nil {
			return err
		}
		at += int64(len(b))
	}
	return nil
}
