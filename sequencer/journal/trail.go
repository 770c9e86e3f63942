package journal

// trail is the records of a journal as far as they tell which history a snapshot is of:
// a snapshot carries the checksum of its last record's frame, and that covers the one
// before it, and so all before it.
type trail struct {
	disk     *disk
	id       uint64     // 0 where it is not known
	segments []*segment // those that the ends of segments still tell of
}

// trail gives that of an open journal, with mu held. What it has of a segment stays as it
// is while others write.
func (j *Journal) trail() *trail {
	t := &trail{disk: &j.disk, id: j.id}
	for _, s := range j.segments {
		c := *s
		t.segments = append(t.segments, &c)
	}
	return t
}

// trail gives that of a view, as far as its segments could be read.
func (v *View) trail() *trail {
	t := &trail{disk: &v.disk, id: v.layout.manifest.id}
	for _, s := range v.layout.segments {
		if len(s.marks) == 0 {
			break
		}
		t.segments = append(t.segments, s)
	}
	return t
}

// chainAt gives the checksum of the frame of a record; 0 if that is not known, as the
// record has been released, or the journal has been reset since.
func (t *trail) chainAt(index uint64) (chain uint32, err error) {
	if len(t.segments) == 0 {
		return 0, nil
	}
	if first := t.segments[0]; index+1 == first.first {
		return first.marks[0].chain, nil
	}
	for _, sp := range spans(t.segments, t.disk, index, index) {
		chain, err = sp.chainOf(t.disk.fs)
	}
	return chain, err
}
