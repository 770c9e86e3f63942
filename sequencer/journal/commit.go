package journal

// Append adds a record and returns its index. The record is copied; nothing is
// written before a Sync, and nothing may be told of it before a Sync that began
// afterwards has returned nil. Appending while a Sync runs is what it is for: all
// that comes in meanwhile is made durable by the next one together. Until then it
// is in memory, without a bound: whoever appends limits how far it runs ahead.
//
// ErrTooLarge leaves the journal as it was; any other error has stopped it.
func (j *Journal) Append(record []byte) (uint64, error) {
	if len(record) > MaxRecordBytes {
		return 0, ErrTooLarge
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.err != nil {
		return 0, j.err
	}
	j.place.add(&j.pending, record)
	return j.place.index - 1, nil
}

// Sync makes durable every record appended before it was called. Callers share
// the work: one writes for all of those that wait.
//
// An error means that of the records not yet durable any part may or may not
// survive; it is the answer of every later call too.
func (j *Journal) Sync() error {
	j.mu.Lock()
	defer j.mu.Unlock()
	for want := j.place.index - 1; j.err == nil && j.durable < want; {
		if j.busy {
			j.changed.Wait()
			continue
		}
		j.commit()
	}
	return j.err
}

// commit writes what is pending, with mu held; it lets go of mu on the way, and
// nobody else commits meanwhile. A group is written only once the one before it
// is durable: telling a torn tail from damage rests on that.
func (j *Journal) commit() {
	j.busy = true
	b := j.pending
	j.pending, j.spare = j.spare, batch{}
	for i := 0; i < len(b.groups) && j.err == nil; i++ {
		g := &b.groups[i]
		j.mu.Unlock()
		doing, err := j.write(&b, g)
		j.mu.Lock()
		if err != nil {
			_ = j.fail(doing, err) // Sync returns it
			break
		}
		j.wrote(&b, g)
	}
	b.reset()
	j.spare = b
	j.busy = false
	j.changed.Broadcast()
}

// write puts one group on disk, without mu. It says what it was doing.
func (j *Journal) write(b *batch, g *group) (doing string, err error) {
	if g.fresh {
		if err := j.rotate(g); err != nil {
			return "starting a segment", err
		}
	} else if g.size > 0 {
		if err := j.active.Preallocate(g.size); err != nil {
			return "enlarging a segment", err
		}
	}
	if int64(g.to-g.from) > j.options.groupBytes {
		// One long record. What a crash leaves of it may reach far beyond the last whole
		// record; that it is no damage is known by its first bytes.
		if _, err := j.active.WriteAt(b.bytes[g.from:g.from+frameBytes], g.at); err != nil {
			return "a write", err
		}
		if err := j.sync(j.active); err != nil {
			return "a sync", err
		}
	}
	if _, err := j.active.WriteAt(b.bytes[g.from:g.to], g.at); err != nil {
		return "a write", err
	}
	return "a sync", j.sync(j.active)
}

// rotate makes the segment that a group begins and seals the one before it. The
// seal comes second: while it is not there the new segment may be missing.
func (j *Journal) rotate(g *group) error {
	if err := j.publishSegment(j.id, g.before, g.size); err != nil {
		return err
	}
	f, err := j.fs.Open(j.path(segmentName(g.before.index)))
	if err != nil {
		return err
	}
	old := j.active
	j.active = f
	if err := j.markEnd(kindSeal, old, g.before); err != nil {
		_ = old.Close() // the first error is the one to tell
		return err
	}
	return old.Close()
}

// wrote files that a group is durable, with mu held, and wakes who waits for it.
func (j *Journal) wrote(b *batch, g *group) {
	if g.fresh {
		s := &segment{name: segmentName(g.before.index), first: g.before.index, end: g.before}
		s.end.at = headerBytes
		s.markAt(s.end)
		j.segments = append(j.segments, s)
	}
	s := j.segments[len(j.segments)-1]
	if g.size > 0 {
		s.size = g.size
	}
	s.end.index, s.end.at = g.last+1, g.at+int64(g.to-g.from)
	n := 0
	for n < len(b.marks) && b.marks[n].index <= g.last {
		n++
	}
	s.marks = append(s.marks, b.marks[:n]...)
	b.marks = b.marks[n:]
	j.durable = g.last
	j.changed.Broadcast()
}
