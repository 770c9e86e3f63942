package journal

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"slices"
	"strings"
)

// layout is what a directory holds, as found by reading it and nothing else.
type layout struct {
	manifest  manifest
	fresh     bool       // nothing has ever been here
	segments  []*segment // ascending, without gaps
	leftovers []string   // names that a finished operation would have removed
	snapshots []uint64   // ascending; nothing is known of their content
	torn      Torn
	beyond    int // snapshots listed, of records in segments that were not
}

// Torn is a torn tail: what a crash left of records that nobody had been told
// were durable.
type Torn struct {
	File   string // path of the segment; "" if there is no torn tail
	Offset int64  // where the last whole record ends
	Bytes  int64  // how much is cut
	Index  uint64 // the first record that is not whole
	Why    string // what is wrong with it, for people

	// CutShort: no crash has left it, so records from Index on may have been
	// acknowledged. Only Options.AcceptCut lets it pass.
	CutShort bool
}

// loader reads a directory.
type loader struct {
	fsys     FS
	dir      string
	progress func(done, total int64) // bytes; may be nil
	names    []string
	layout   layout

	acceptCut  bool  // Options.AcceptCut
	groupBytes int64 // how large a group can be

	// beside: the lock is not ours, and somebody may be writing; see beside.go.
	beside bool
}

// load reads a directory that nobody writes to, and checks everything that is to
// stay. The layout is as far as it came. The error is *DamageError, *VersionError
// or the file system's.
func load(fsys FS, dir string, o *Options) (*layout, error) {
	l := loader{fsys: fsys, dir: dir, acceptCut: o.AcceptCut, groupBytes: o.groupBytes, progress: o.Progress}
	err := l.run()
	return &l.layout, err
}

func (l *loader) run() error {
	names, err := l.fsys.List(l.dir)
	if err != nil {
		return fmt.Errorf("journal: reading %s: %w", l.dir, err)
	}
	l.names = names
	l.sortNames()
	l.layout.manifest, err = readManifest(l.fsys, l.dir)
	if errors.Is(err, fs.ErrNotExist) {
		// The manifest is published before anything else and never removed.
		if len(l.layout.segments) == 0 && len(l.layout.snapshots) == 0 {
			l.layout.fresh = true
			return nil
		}
		return &DamageError{File: pathIn(l.dir, manifestName), Why: "the file is missing"}
	}
	if err != nil {
		return err
	}
	if err := l.checkIntent(); err != nil {
		return err
	}
	if l.layout.manifest.state == stateResetting {
		return nil
	}
	if err := l.choose(); err != nil {
		return err
	}
	if err := l.scanAll(); err != nil {
		return err
	}
	return l.checkEnds()
}

// sortNames tells the files apart. Names that are none of the journal's are left
// alone.
func (l *loader) sortNames() {
	for _, name := range l.names {
		if strings.HasSuffix(name, tempSuffix) {
			if l.isOurs(strings.TrimSuffix(name, tempSuffix)) {
				l.layout.leftovers = append(l.layout.leftovers, name)
			}
		} else if first, ok := indexIn(name, segmentPrefix); ok {
			l.layout.segments = append(l.layout.segments, &segment{name: name, first: first})
		} else if index, ok := indexIn(name, snapshotPrefix); ok {
			l.layout.snapshots = append(l.layout.snapshots, index)
		}
	}
	slices.SortFunc(l.layout.segments, func(a, b *segment) int {
		if a.first < b.first {
			return -1
		}
		return 1
	})
	slices.Sort(l.layout.snapshots)
}

func (l *loader) isOurs(name string) bool {
	_, isSegment := indexIn(name, segmentPrefix)
	_, isSnapshot := indexIn(name, snapshotPrefix)
	return isSegment || isSnapshot || name == manifestName
}

// choose sets aside the segments that an unfinished release or truncation was to
// remove. They may be there in part, so nothing is asked of them.
func (l *loader) choose() error {
	m, segments := l.layout.manifest, l.layout.segments
	for len(segments) > 1 && segments[1].first <= m.first {
		l.layout.leftovers = append(l.layout.leftovers, segments[0].name)
		segments = segments[1:]
	}
	if m.state == stateTruncating {
		for len(segments) > 1 && segments[len(segments)-1].first > m.last {
			l.layout.leftovers = append(l.layout.leftovers, segments[len(segments)-1].name)
			segments = segments[:len(segments)-1]
		}
	}
	l.layout.segments = segments
	if len(segments) == 0 || segments[0].first > m.first {
		return &DamageError{File: pathIn(l.dir, segmentName(m.first)), Index: m.first,
			Why: fmt.Sprintf("the journal begins at record %d and no segment holds it", m.first)}
	}
	return nil
}

// scanAll reads the segments, each continuing the one before.
func (l *loader) scanAll() error {
	total, err := l.measure()
	if err != nil {
		return err
	}
	var done int64
	for i := 0; i < len(l.layout.segments); i++ {
		s := l.layout.segments[i]
		if i > 0 {
			if err := l.checkJoint(l.layout.segments[i-1], s); err != nil {
				return err
			}
		}
		if err := l.scanOne(s, i); err != nil {
			gone, err := l.excuse(err, i)
			if err != nil {
				return err
			}
			i -= gone
		}
		done += s.size
		if l.progress != nil {
			l.progress(done, total)
		}
	}
	return nil
}

// measure fills in how long the segments are and gives the sum.
func (l *loader) measure() (total int64, err error) {
	for i := 0; i < len(l.layout.segments); i++ {
		s := l.layout.segments[i]
		if s.size, err = l.sizeOf(s); err != nil {
			gone, err := l.excuse(err, i)
			if err != nil {
				return 0, err
			}
			i -= gone
		}
		total += s.size
	}
	return total, nil
}

func (l *loader) sizeOf(s *segment) (int64, error) {
	f, err := l.fsys.OpenRead(pathIn(l.dir, s.name))
	if err != nil {
		return 0, err
	}
	defer func() { _ = f.Close() }()
	return f.Size()
}

// checkJoint says whether next, not yet scanned, may follow s.
func (l *loader) checkJoint(s, next *segment) error {
	if next.first == s.end.index {
		return nil
	}
	why := fmt.Sprintf("the next segment begins with record %d", next.first)
	if s.ended == foundSeal {
		return &DamageError{File: pathIn(l.dir, segmentName(s.end.index)), Index: s.end.index,
			Why: "the segment is missing; " + why}
	}
	return &DamageError{File: pathIn(l.dir, s.name), Offset: s.end.at, Index: s.end.index, Why: s.why + "; " + why}
}

// scanOne scans the segment at position i and looks at its end or its joint.
func (l *loader) scanOne(s *segment, i int) error {
	path := pathIn(l.dir, s.name)
	f, err := l.fsys.OpenRead(path)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	newest := i == len(l.layout.segments)-1
	truncating := l.layout.manifest.state == stateTruncating
	upTo := uint64(math.MaxUint64)
	if newest && truncating {
		upTo = l.layout.manifest.last
	}
	scan := func() error {
		if err := s.scan(f, path, l.layout.manifest.id, newest && !truncating, upTo); err != nil {
			return err
		}
		if i > 0 && !s.headless && s.chainBefore() != l.layout.segments[i-1].end.chain {
			return &DamageError{File: path, Index: s.first, Why: "the segment does not continue the one before it"}
		}
		switch {
		case !newest && l.layout.segments[i+1].first == s.end.index:
			return s.checkRest(f, path)
		case !newest || truncating:
			return nil
		}
		return l.endOf(s, f, path)
	}
	if l.beside && newest {
		return l.persist(s, scan)
	}
	return scan()
}

// endOf decides how the newest segment ends: where it was left, torn, or damaged.
func (l *loader) endOf(s *segment, f File, path string) error {
	if s.ended == foundSeal {
		if l.beside {
			if ahead, err := l.goesOn(s); ahead || err != nil {
				return err
			}
		}
		return &DamageError{File: pathIn(l.dir, segmentName(s.end.index)), Index: s.end.index,
			Why: fmt.Sprintf("%s says that another segment follows, and there is none", path)}
	}
	if s.headless {
		if i := len(l.layout.segments) - 2; i >= 0 {
			s.end.chain = l.layout.segments[i].end.chain
		}
		return l.cutShort(s, path, headerBytes)
	}
	dirtyEnd, err := s.findTail(f, path)
	if err != nil {
		return err
	}
	keep := s.end.at
	if s.ended == foundEnd {
		keep += frameBytes // the mark is as it should be
	}
	if dirtyEnd > keep {
		l.layout.torn = Torn{File: path, Offset: s.end.at, Bytes: dirtyEnd - s.end.at, Index: s.end.index, Why: s.why}
		if s.ended == foundEnd {
			l.layout.torn.Why = "something unfinished follows the end mark"
		}
	}
	if far := s.end.at + s.reach(l.groupBytes); dirtyEnd > far {
		err := l.lost(s, path, fmt.Sprintf("%s, and there is something up to byte %d; no crash leaves anything beyond byte %d, "+
			"so the file has been written over", s.why, dirtyEnd, far))
		if err != nil {
			return err
		}
	}
	if s.size < s.least && s.ended != foundEnd {
		return l.cutShort(s, path, s.least)
	}
	return nil
}

// checkEnds holds the segments against what the manifest and the snapshots say
// must have been there.
func (l *loader) checkEnds() error {
	m := l.layout.manifest
	s := l.layout.segments[len(l.layout.segments)-1]
	damage := func(why string) error {
		return &DamageError{File: pathIn(l.dir, s.name), Offset: s.end.at, Index: s.end.index, Why: why}
	}
	next := s.end.index
	switch {
	case m.state == stateTruncating && next <= m.last:
		return damage(fmt.Sprintf("%s; records up to %d were to stay", s.why, m.last))
	case next < m.first:
		return damage(fmt.Sprintf("the records end here, but all before %d were released as durable", m.first))
	}
	// Beside a writer the manifest may know of records in a segment that was not listed.
	if ahead := l.beside && s.ended == foundSeal; next <= m.known && m.state == stateReady && !ahead {
		return l.lost(s, pathIn(l.dir, s.name), fmt.Sprintf("%s, and the manifest says that record %d was durable", s.why, m.known))
	}
	if n := len(l.layout.snapshots); n > 0 && l.layout.snapshots[n-1] >= next {
		return damage(fmt.Sprintf("the records end here, but there is a snapshot of record %d", l.layout.snapshots[n-1]))
	}
	return nil
}
