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

// viewTries is how often a directory that somebody is writing to is read before
// what looks wrong is taken to be: files come and go, and two parts of a file may
// be read on two sides of a write.
const viewTries = 5

// Verify reads a directory through and says what is there. The error tells that
// it could not be read; damage is in the report.
func Verify(dir string) (*Report, error) {
	v, err := Look(OS{}, dir)
	if err != nil {
		return nil, err
	}
	return &v.Report, nil
}

// Look reads a directory through for a view of it.
func Look(fsys FS, dir string) (*View, error) {
	for try := 1; ; try++ {
		v, moving, err := look(fsys, dir)
		if moving && try < viewTries {
			continue
		}
		return v, err
	}
}

// look reads once. moving says that what it found may be due to a writer.
func look(fsys FS, dir string) (v *View, moving bool, err error) {
	v = &View{disk: disk{fs: fsys, dir: dir}}
	v.Report.PID, v.Report.Held, err = fsys.Holder(v.disk.path(lockName))
	if err != nil {
		return nil, false, fmt.Errorf("journal: reading %s: %w", dir, err)
	}
	v.layout, err = load(fsys, dir, nil)
	switch {
	case err == nil:
	case isFinding(err):
		v.Report.Err = err
	case v.Report.Held && errors.Is(err, fs.ErrNotExist):
		return nil, true, err
	default:
		return nil, false, err
	}
	if v.layout.fresh && !v.Report.Held {
		return nil, false, fmt.Errorf("journal: there is none in %s: %w", dir, fs.ErrNotExist)
	}
	v.describe()
	v.Report.Snapshots, v.Report.Broken, err = checkSnapshots(&v.disk, v.layout.manifest.id, v.layout.snapshots)
	if err != nil {
		return nil, false, err
	}
	return v, v.Report.Held && !v.Report.Whole(), nil
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
	return openSnapshot(&v.disk, v.layout.manifest.id, index)
}
