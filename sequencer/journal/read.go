package journal

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"sync"
)

// span is a segment as far as it may be read: immutable, so that reading needs no
// lock.
type span struct {
	path string
	from cursor // at or before the first record wanted
	last uint64 // the last record that may be read
}

// spans gives what has to be read for the records from..to, as far as they are
// durable.
func spans(segments []*segment, d *disk, from, to uint64) []span {
	var list []span
	for _, s := range segments {
		if s.end.index <= from || s.first > to {
			continue
		}
		list = append(list, span{
			path: d.path(s.name),
			from: s.near(s.end.seed, max(from, s.first)),
			last: min(to, s.end.index-1),
		})
	}
	return list
}

// replay visits the records from..last of a span.
func (sp span) replay(fsys FS, from uint64, visit func(index uint64, record []byte) error) error {
	f, err := fsys.OpenRead(sp.path)
	if errors.Is(err, fs.ErrNotExist) {
		return ErrNotFound // released since
	}
	if err != nil {
		return fmt.Errorf("journal: reading %s: %w", sp.path, err)
	}
	defer func() { _ = f.Close() }()
	size, err := f.Size()
	if err != nil {
		return fmt.Errorf("journal: reading %s: %w", sp.path, err)
	}
	c := sp.from
	var visited error
	last, err := walk(newWindow(f, size), &c, func(before cursor, s step) (bool, error) {
		if before.index >= from {
			visited = visit(before.index, s.record)
		}
		return visited == nil && c.index <= sp.last, nil
	})
	switch {
	case visited != nil:
		return visited
	case err != nil:
		return fmt.Errorf("journal: reading %s: %w", sp.path, err)
	case c.index <= sp.last:
		return &DamageError{File: sp.path, Offset: c.at, Index: c.index, Why: last.why}
	}
	return nil
}

// chainOf gives the checksum of the last frame of a span; 0 if its file has been released.
func (sp span) chainOf(fsys FS) (uint32, error) {
	f, err := fsys.OpenRead(sp.path)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, fmt.Errorf("journal: reading %s: %w", sp.path, err)
	}
	defer func() { _ = f.Close() }()
	size, err := f.Size()
	if err != nil {
		return 0, fmt.Errorf("journal: reading %s: %w", sp.path, err)
	}
	c := sp.from
	w := newWindow(f, size)
	w.lot = readLotBytes
	last, err := walk(w, &c, func(cursor, step) (bool, error) { return c.index <= sp.last, nil })
	switch {
	case err != nil:
		return 0, fmt.Errorf("journal: reading %s: %w", sp.path, err)
	case c.index <= sp.last:
		return 0, &DamageError{File: sp.path, Offset: c.at, Index: c.index, Why: last.why}
	}
	return c.chain, nil
}

// Replay visits the records from..to in order, to at most the last one durable
// when it is called. It may run beside everything but TruncateAfter and Reset, which
// may have it answer with damage that is none. The record is good until
// visit returns; an error of visit ends the replay and is returned as it is.
//
// ErrNotFound: from is not held, or is released while the replay runs. An empty
// range is not an error.
func (j *Journal) Replay(from, to uint64, visit func(index uint64, record []byte) error) error {
	j.mu.Lock()
	if j.err != nil {
		defer j.mu.Unlock()
		return j.err
	}
	to = min(to, j.durable)
	if from > to {
		j.mu.Unlock()
		return nil
	}
	if from < j.manifest.first {
		j.mu.Unlock()
		return ErrNotFound
	}
	list := spans(j.segments, &j.disk, from, to)
	j.mu.Unlock()
	for _, sp := range list {
		if err := sp.replay(j.fs, from, visit); err != nil {
			return err
		}
	}
	return nil
}

// Read appends the record to buf and returns that. One record after another is
// quick; otherwise a read goes over some 64 KiB.
//
// ErrNotFound: the record is not held, or not durable yet.
func (j *Journal) Read(index uint64, buf []byte) ([]byte, error) {
	j.mu.Lock()
	if j.err != nil {
		defer j.mu.Unlock()
		return buf, j.err
	}
	if index < j.manifest.first || index > j.durable {
		j.mu.Unlock()
		return buf, ErrNotFound
	}
	list := spans(j.segments, &j.disk, index, index)
	j.mu.Unlock()
	return j.reader.read(j.fs, list[0], index, buf)
}

// reader remembers where the last Read ended, so that reading on is cheap.
type reader struct {
	mu   sync.Mutex
	path string // "" when nothing is open
	file File
	win  *window
	at   cursor
}

// readLotBytes is how much a Read loads at once.
const readLotBytes = markStrideBytes

func (r *reader) read(fsys FS, sp span, index uint64, buf []byte) ([]byte, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.path == sp.path && r.at.index <= index && r.at.index >= sp.from.index {
		out, last, err := r.walkTo(index, buf)
		if err == nil && last.found == foundRecord {
			return out, nil
		}
		// What was loaded may be older than the record: once more, afresh.
	}
	if err := r.open(fsys, sp); err != nil {
		return buf, err
	}
	out, last, err := r.walkTo(index, buf)
	if err != nil {
		return buf, fmt.Errorf("journal: reading %s: %w", sp.path, err)
	}
	if last.found != foundRecord {
		return buf, &DamageError{File: sp.path, Offset: r.at.at, Index: r.at.index, Why: last.why}
	}
	return out, nil
}

// walkTo goes on to the record and appends it to buf.
func (r *reader) walkTo(index uint64, buf []byte) ([]byte, step, error) {
	last, err := walk(r.win, &r.at, func(before cursor, s step) (bool, error) {
		if before.index == index {
			buf = append(buf, s.record...)
			return false, nil
		}
		return true, nil
	})
	return buf, last, err
}

func (r *reader) open(fsys FS, sp span) error {
	if r.path != sp.path {
		r.close()
		f, err := fsys.OpenRead(sp.path)
		if errors.Is(err, fs.ErrNotExist) {
			return ErrNotFound
		}
		if err != nil {
			return fmt.Errorf("journal: reading %s: %w", sp.path, err)
		}
		r.path, r.file = sp.path, f
	}
	r.win = newWindow(r.file, math.MaxInt64)
	size, err := r.file.Size()
	if err != nil {
		return fmt.Errorf("journal: reading %s: %w", sp.path, err)
	}
	r.win.size, r.win.lot, r.at = size, readLotBytes, sp.from
	return nil
}

// close forgets the open file. Closing what was only read cannot lose anything.
func (r *reader) close() {
	if r.file != nil {
		_ = r.file.Close()
	}
	r.path, r.file, r.win = "", nil, nil
}

// drop is close for those who do not read.
func (r *reader) drop() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.close()
}
