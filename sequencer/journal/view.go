package journal

import (
	"errors"
	"fmt"
	"io/fs"
)

// Report is what a directory holds and whether it is whole.
type Report struct {
	Segments  []SegmentReport // ascending
	Records   uint64
	First     uint64 // the first record, 0 if there is none
	Last      uint64 // the last whole one, 0 if there is none
	Snapshots []Snapshot
	Broken    []error // snapshots that are not whole: *DamageError or *VersionError

	// Torn is a torn tail, which the next Open cuts. While somebody has the
	// directory open it is a write under way.
	Torn Torn
	// Closed: the journal ends with the mark that Close leaves.
	Closed bool
	// Pending says what the next Open will finish or clear away.
	Pending []string
	// Err is what is wrong, nil if nothing is: *DamageError or *VersionError. What
	// the report says of records then goes only as far as that.
	Err error

	Held bool // somebody has the directory open
	PID  int  // who, 0 if that is not known
}

// SegmentReport is one segment.
type SegmentReport struct {
	File        string // path
	First, Last uint64 // Last is First-1 in one without records
	Bytes       int64  // up to the end of the last whole record
	Size        int64  // of the file
	Sealed      bool   // says that another follows
}

// Whole says whether nothing is wrong: a start from here loses nothing that was
// acknowledged.
func (r *Report) Whole() bool { return r.Err == nil && len(r.Broken) == 0 }

// View is a directory read without opening it: it takes no lock, writes nothing,
// and may be used while an engine has the directory open. It is as of the moment
// of reading.
type View struct {
	Report Report
	disk   disk
	layout *layout
}

// Verify reads a directory through and says what is there. The error tells that
// it could not be read; damage is in the report.
func Verify(dir string) (*Report, error) {
	v, err := Look(OS{}, dir)
	if err != nil {
		return nil, err
	}
	return &v.Report, nil
}

// Look reads a directory through for a view of it. Somebody who writes to it
// meanwhile may give up files, go on to new ones, and be met in the middle of a
// write; none of that is damage. A finding counts if nobody can have written, or if
// the next reading has the same one: names and places only ever go up, so a writer
// does not bring about one twice. ErrMoving: it never came to that.
func Look(fsys FS, dir string) (*View, error) {
	before, err := sight(fsys, dir)
	if err != nil {
		return nil, err
	}
	last := ""
	for range lookTries {
		v, trouble, err := look(fsys, dir, before)
		if trouble == nil {
			return v, err
		}
		after, unseen := sight(fsys, dir)
		if unseen != nil {
			return nil, unseen
		}
		alone := !before.held && before.same(&after)
		if (alone || trouble.Error() == last) && !errors.Is(trouble, ErrMoving) {
			return v, err
		}
		before, last = after, trouble.Error()
	}
	return nil, ErrMoving
}

// look reads once. trouble is what is wrong with what it found, if anything is; a
// writer may be the reason. Look answers with v and err if none is.
func look(fsys FS, dir string, seen sighting) (v *View, trouble, err error) {
	v = &View{disk: disk{fs: fsys, dir: dir}}
	v.Report.PID, v.Report.Held = seen.pid, seen.held
	v.layout, err = loadBeside(fsys, dir)
	if err != nil && !isFinding(err) {
		return nil, err, err
	}
	v.Report.Err = err
	if v.layout.fresh && !v.Report.Held {
		err := fmt.Errorf("journal: there is none in %s: %w", dir, fs.ErrNotExist)
		return nil, err, err
	}
	v.describe()
	v.Report.Snapshots, v.Report.Broken, err = v.trail().checkSnapshots(v.layout.snapshots)
	if err != nil {
		return nil, err, err
	}
	if v.stranded() {
		return nil, ErrMoving, nil
	}
	return v, errors.Join(v.Report.Err, errors.Join(v.Report.Broken...)), nil
}

// describe puts the layout into the report's words.
func (v *View) describe() {
	r, l := &v.Report, v.layout
	r.Torn = l.torn
	for _, name := range l.leftovers {
		r.Pending = append(r.Pending, "remove "+name)
	}
	switch l.manifest.state {
	case stateResetting:
		r.Pending = append(r.Pending, fmt.Sprintf("begin anew with record %d", l.manifest.first))
		return
	case stateTruncating:
		r.Pending = append(r.Pending, fmt.Sprintf("cut what follows record %d", l.manifest.last))
	}
	for _, s := range l.segments {
		if s.end.index == 0 {
			break // not read: something before it is wrong
		}
		r.Segments = append(r.Segments, SegmentReport{
			File: v.disk.path(s.name), First: s.first, Last: s.end.index - 1,
			Bytes: s.end.at, Size: s.size, Sealed: s.ended == foundSeal,
		})
		if next := s.end.index; next > l.manifest.first {
			r.First, r.Last, r.Records = l.manifest.first, next-1, next-l.manifest.first
		}
		r.Closed = s.ended == foundEnd
	}
}

// Replay visits the records from..to, as far as they are whole, in order. The
// record is good until visit returns; an error of visit ends the replay and is
// returned as it is. ErrNotFound: from is not held, or has been released since.
func (v *View) Replay(from, to uint64, visit func(index uint64, record []byte) error) error {
	to = min(to, v.Report.Last)
	if from > to {
		return nil
	}
	if from < v.layout.manifest.first {
		return ErrNotFound
	}
	for _, sp := range spans(v.layout.segments, &v.disk, from, to) {
		if err := sp.replay(v.disk.fs, from, visit); err != nil {
			return err
		}
	}
	return nil
}

// OpenSnapshot opens the snapshot of this index; ErrNotFound if there is none.
// The caller closes it.
func (v *View) OpenSnapshot(index uint64) (*SnapshotReader, error) {
	return v.trail().openSnapshot(index)
}
