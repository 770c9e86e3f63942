package journal

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"slices"
)

// What a loader does differently beside somebody who writes. It relies on the order
// in which a writer does things:
//
//   - Names are listed before the manifest is read, and a release publishes the
//     manifest before it takes names away. So a file that is listed and gone lies
//     before the first record that the manifest names by now, or it is missed.
//   - A segment has its name before the one before it is sealed, and is sealed before
//     it gets its first record. So a listed segment that another one follows is
//     complete, and one that is sealed is followed by one that is there.
//   - A group is written once the one before it is written and synced. So once a frame
//     has been seen that proves a bad one to have been synced, the bad one has been
//     written whole: if it is bad when it is read again, it is damaged.

// loadBeside is load for one who does not have the lock. ErrMoving: everything that
// was listed has been given up meanwhile.
func loadBeside(fsys FS, dir string) (*layout, error) {
	l := loader{fsys: fsys, dir: dir, beside: true, groupBytes: maxGroupBytes}
	err := l.run()
	return &l.layout, err
}

// excuse decides what it means that segment i could not be read: that it has been
// released, by which the loader then goes on without it and those before it, or err.
// It gives how many segments have gone from the front.
func (l *loader) excuse(err error, i int) (gone int, _ error) {
	if !l.beside || !errors.Is(err, fs.ErrNotExist) {
		return 0, err
	}
	m, unread := readManifest(l.fsys, l.dir)
	if unread != nil {
		return 0, unread
	}
	if m.state != stateReady || m.id != l.layout.manifest.id {
		return 0, ErrMoving
	}
	l.layout.manifest = m
	for len(l.layout.segments) > 1 && l.layout.segments[1].first <= m.first {
		l.layout.segments = l.layout.segments[1:]
		gone++
	}
	switch {
	case gone > i:
		return min(gone, i+1), nil
	case len(l.layout.segments) == 1 && m.first > l.layout.segments[0].first:
		return 0, ErrMoving // it was the newest listed, and what follows is not
	}
	return 0, err
}

// persist scans the newest segment until a scan finds nothing wrong, or the same
// place as the scan before it: a writer has been there by then.
func (l *loader) persist(s *segment, scan func() error) error {
	for stuck := uint64(0); ; stuck = s.end.index {
		s.headless = false
		l.layout.torn = Torn{}
		if err := scan(); err == nil || !isFinding(err) || s.end.index == stuck {
			return err
		}
	}
}

// goesOn says whether the writer has gone on from the sealed segment s, the newest
// that was listed. What is read then ends where it ends.
func (l *loader) goesOn(s *segment) (bool, error) {
	names, err := l.fsys.List(l.dir)
	if err != nil {
		return false, fmt.Errorf("journal: reading %s: %w", l.dir, err)
	}
	if !slices.Contains(names, segmentName(s.end.index)) {
		m, err := readManifest(l.fsys, l.dir)
		if err == nil && m.first > s.end.index {
			err = ErrMoving // it has come and gone
		}
		return false, err
	}
	l.layout.snapshots = slices.DeleteFunc(l.layout.snapshots, func(i uint64) bool {
		if i >= s.end.index {
			l.layout.beyond++
		}
		return i >= s.end.index
	})
	return true, nil
}

// stranded says whether a snapshot that was listed has been given up for one that was
// not, so that nothing leads up to the first record held any more.
func (v *View) stranded() bool {
	r, l := &v.Report, v.layout
	left := len(l.snapshots) + l.beyond - len(r.Snapshots) - len(r.Broken)
	if r.Err != nil || l.manifest.first <= 1 || left == 0 {
		return false
	}
	return !slices.ContainsFunc(r.Snapshots, func(s Snapshot) bool { return s.Index+1 >= l.manifest.first })
}

// sighting is what can be seen of a directory without reading its records.
type sighting struct {
	names    []string
	manifest []byte // its content, nil if it is not there
	held     bool
	pid      int
}

// sight looks at a directory.
func sight(fsys FS, dir string) (s sighting, err error) {
	s.pid, s.held, err = fsys.Holder(pathIn(dir, lockName))
	if err == nil {
		s.names, err = fsys.List(dir)
	}
	if err != nil {
		return s, fmt.Errorf("journal: reading %s: %w", dir, err)
	}
	m, err := readManifest(fsys, dir)
	switch {
	case err == nil:
		s.manifest = m.encode()
	case !isFinding(err) && !errors.Is(err, fs.ErrNotExist):
		return s, err
	}
	return s, nil
}

func (s *sighting) same(t *sighting) bool {
	return slices.Equal(s.names, t.names) && bytes.Equal(s.manifest, t.manifest) && s.held == t.held
}
