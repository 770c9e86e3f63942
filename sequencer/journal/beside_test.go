package journal_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/leasekeeper/lkactor/sequencer/journal"
	"github.com/leasekeeper/lkactor/sequencer/journal/crashfs"
)

// watched is a file system that counts what is read of it and has something happen
// before the read of a number.
type watched struct {
	*crashfs.FS
	reads  int
	before func(read int)
	looks  int // how often somebody asked who holds it, as each reading begins with that
}

func (w *watched) Holder(path string) (pid int, held bool, err error) {
	w.looks++
	return w.FS.Holder(path)
}

func (w *watched) read() {
	w.reads++
	w.before(w.reads)
}

// List takes its time, as that of a directory may: what becomes of it meanwhile is seen
// in part, here the snapshots that come, and neither the segments nor what goes.
func (w *watched) List(dir string) ([]string, error) {
	names, err := w.FS.List(dir)
	if err != nil {
		return nil, err
	}
	w.read()
	later, err := w.FS.List(dir)
	for _, name := range later {
		if strings.HasPrefix(name, "snapshot-") && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names, err
}

func (w *watched) OpenRead(path string) (journal.File, error) {
	w.read()
	f, err := w.FS.OpenRead(path)
	return watchedFile{f, w}, err
}

type watchedFile struct {
	journal.File
	fs *watched
}

func (f watchedFile) ReadAt(p []byte, at int64) (int, error) {
	f.fs.read()
	return f.File.ReadAt(p, at)
}

// What somebody who writes may do between two steps of one who looks.
var doings = map[string]func(t *testing.T, j *journal.Journal){
	"append": func(t *testing.T, j *journal.Journal) { fill(t, j, j.Durable()+6, 2) },
	"rotate": func(t *testing.T, j *journal.Journal) { fill(t, j, j.Durable()+40, 5) },
	"snapshot": func(t *testing.T, j *journal.Journal) {
		fill(t, j, j.Durable()+40, 5)
		if err := j.WriteSnapshot(j.Durable(), snapshotOf("state")); err != nil {
			t.Fatal(err)
		}
	},
	"release": func(t *testing.T, j *journal.Journal) {
		if err := errors.Join(j.ReleaseBefore(21), j.ReleaseSnapshotsBefore(20)); err != nil {
			t.Fatal(err)
		}
	},
	"rotate and release": func(t *testing.T, j *journal.Journal) {
		last := j.Durable()
		fill(t, j, last+40, 5)
		if err := errors.Join(
			j.WriteSnapshot(last+30, snapshotOf("state")), j.ReleaseBefore(last+31), j.ReleaseSnapshotsBefore(last+30),
		); err != nil {
			t.Fatal(err)
		}
	},
	"close": func(t *testing.T, j *journal.Journal) { mustClose(t, j) },
}

// beside gives a journal of 60 records in some segments with two snapshots.
func beside(t *testing.T) (*watched, *journal.Journal) {
	t.Helper()
	fs := &watched{FS: crashfs.New(1), before: func(int) {}}
	j := mustOpen(t, dir, options(fs.FS, 1024))
	fill(t, j, 60, 3)
	if err := errors.Join(
		j.WriteSnapshot(10, snapshotOf("state")), j.WriteSnapshot(20, snapshotOf("state")), j.ReleaseBefore(11),
	); err != nil {
		t.Fatal(err)
	}
	return fs, j
}

// TestLookWhateverHappensMeanwhile has each of those things happen before each step of a
// look: what is seen is whole and holds all that was durable before.
func TestLookWhateverHappensMeanwhile(t *testing.T) {
	for name, happen := range doings {
		t.Run(name, func(t *testing.T) {
			steps := 0
			for at := 1; ; at++ {
				fs, j := beside(t)
				before := j.Durable()
				fs.before = func(read int) {
					if read == at {
						happen(t, j)
					}
				}
				v, err := journal.Look(fs, dir)
				if err != nil {
					t.Fatalf("before read %d: %v", at, err)
				}
				fs.before = func(int) {}
				checkSeen(t, v, j, fmt.Sprintf("before read %d", at), before)
				if fs.looks > 1 && name != "rotate and release" && name != "close" {
					t.Fatalf("before read %d: %d readings for what one is enough for", at, fs.looks)
				}
				if steps = fs.reads; steps < at {
					break // it was over by then
				}
			}
			if steps < 20 {
				t.Errorf("only %d steps", steps)
			}
		})
	}
}

// checkSeen holds a view of beside's journal against it. Records may have been given up since.
func checkSeen(t *testing.T, v *journal.View, j *journal.Journal, when string, before uint64) {
	t.Helper()
	r := v.Report
	if !r.Whole() || r.Last < before || r.Records != r.Last-r.First+1 {
		t.Fatalf("%s: %+v", when, r)
	}
	if !slices.ContainsFunc(r.Snapshots, func(s journal.Snapshot) bool { return s.Index+1 >= r.First }) {
		t.Fatalf("%s: nothing leads up to record %d: %v", when, r.First, r.Snapshots)
	}
	next := r.First
	err := v.Replay(r.First, r.Last, func(index uint64, got []byte) error {
		if index != next || !bytes.Equal(got, record(index)) {
			return fmt.Errorf("record %d is %q", index, got)
		}
		next++
		return nil
	})
	gone := errors.Is(err, journal.ErrNotFound) && r.First < j.FirstIndex()
	if err != nil && !gone || err == nil && next != r.Last+1 {
		t.Fatalf("%s: replayed up to %d: %v", when, next, err)
	}
	for _, s := range r.Snapshots {
		in, err := v.OpenSnapshot(s.Index)
		if errors.Is(err, journal.ErrNotFound) {
			continue // given up
		}
		if err != nil {
			t.Fatalf("%s: %v", when, err)
		}
		if text, err := io.ReadAll(in); string(text) != "state" || err != nil || s.Index > r.Last {
			t.Fatalf("%s: snapshot %d: %q, %v", when, s.Index, text, err)
		}
	}
}

// TestLookFindsDamageBesideAWriter has a file damaged of a journal that somebody goes on
// writing to at every step: the damage is told.
func TestLookFindsDamageBesideAWriter(t *testing.T) {
	for _, name := range []string{"segment-00000000000000000001", "snapshot-00000000000000000020"} {
		fs, j := beside(t)
		content := fs.Bytes(dir + "/" + name)
		content[len(content)/2] ^= 1
		fs.Put(dir+"/"+name, content)
		fs.before = func(int) { doings["append"](t, j) }
		v, err := journal.Look(fs, dir)
		if err != nil || v.Report.Whole() {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestLookGivesUp: there is an end to it when everything is given up again and again
// before it can be read, and it is not called damage.
func TestLookGivesUp(t *testing.T) {
	fs, j := beside(t)
	fs.before = func(int) {
		for range 2 { // of which each segment has room for one
			mustAppend(t, j, make([]byte, 700))
		}
		mustSync(t, j)
		if err := j.ReleaseBefore(j.Durable()); err != nil {
			t.Fatal(err)
		}
	}
	if v, err := journal.Look(fs, dir); !errors.Is(err, journal.ErrMoving) || v != nil {
		t.Errorf("%+v, %v", v, err)
	}
	fs.before = func(int) {}
	v, err := journal.Look(fs, dir)
	if err != nil {
		t.Fatal(err)
	}
	if r := v.Report; !r.Whole() || r.Last != j.Durable() {
		t.Errorf("afterwards: %+v", r)
	}
}
