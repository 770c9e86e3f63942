package journal_test

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"maps"
	"sync"
	"testing"

	"github.com/leasekeeper/lkactor/sequencer/journal"
	"github.com/leasekeeper/lkactor/sequencer/journal/crashfs"
)

func mustLook(t testing.TB, fs journal.FS) *journal.View {
	t.Helper()
	v, err := journal.Look(fs, dir)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func TestLookAtAnOpenJournal(t *testing.T) {
	fs, j := withSnapshots(t)
	before := fs.Ops()
	v := mustLook(t, fs)
	r := v.Report
	if !r.Whole() || !r.Held || r.PID == 0 || r.First != 1 || r.Last != 40 || r.Records != 40 || len(r.Snapshots) != 3 || r.Closed {
		t.Errorf("%+v", r)
	}
	if len(r.Segments) < 2 || !r.Segments[0].Sealed || r.Segments[0].Last+1 != r.Segments[1].First {
		t.Errorf("%+v", r.Segments)
	}
	next := uint64(5)
	err := v.Replay(5, 100, func(index uint64, got []byte) error {
		if index != next || !bytes.Equal(got, record(index)) {
			t.Errorf("record %d: %q", index, got)
		}
		next++
		return nil
	})
	if err != nil || next != 41 {
		t.Errorf("replayed up to %d: %v", next, err)
	}
	s, err := v.OpenSnapshot(20)
	if err != nil {
		t.Fatal(err)
	}
	if text, err := io.ReadAll(s); string(text) != "state 20" || err != nil {
		t.Errorf("%q, %v", text, err)
	}
	if fs.Ops() != before {
		t.Error("looking has changed something")
	}
	if err := j.ReleaseBefore(15); err != nil {
		t.Fatal(err)
	}
	mustClose(t, j)
	if r := mustLook(t, fs).Report; !r.Whole() || r.Held || !r.Closed || r.First != 15 || r.Last != 40 {
		t.Errorf("%+v", r)
	}
}

func TestLookFindsTheDamageThatOpenFinds(t *testing.T) {
	all := journalOf(t, 60, 3, 2048, true)
	for name, whole := range all {
		for at := 0; at < len(whole); at += 13 {
			damaged := maps.Clone(all)
			damaged[name] = bytes.Clone(whole)
			damaged[name][at] ^= 4
			fs := withFiles(damaged)
			r := mustLook(t, fs).Report
			_, err := journal.Open(dir, options(fs, 2048))
			if (err == nil) != r.Whole() || err != nil && err.Error() != r.Err.Error() {
				t.Fatalf("%s byte %d: look says %v, open says %v", name, at, r.Err, err)
			}
		}
	}
}

// TestLookWithoutAManifest does not blame the snapshots for it.
func TestLookWithoutAManifest(t *testing.T) {
	fs, j := withSnapshots(t)
	mustClose(t, j)
	for _, manifest := range [][]byte{nil, []byte("no manifest")} {
		all := files(t, fs)
		if all["manifest"] = manifest; manifest == nil {
			delete(all, "manifest")
		}
		r := mustLook(t, withFiles(all)).Report
		if damage := damageIn(r.Err); damage == nil || damage.File != dir+"/manifest" || len(r.Broken) != 0 || len(r.Snapshots) != 3 {
			t.Errorf("%v, %v, %v", r.Err, r.Broken, r.Snapshots)
		}
	}
}

func TestLookWhereThereIsNone(t *testing.T) {
	empty := crashfs.New(1)
	if err := empty.MkdirAll(dir); err != nil {
		t.Fatal(err)
	}
	for _, none := range []*crashfs.FS{empty, crashfs.New(1)} {
		if _, err := journal.Look(none, dir); !errors.Is(err, fs.ErrNotExist) {
			t.Error(err)
		}
	}
}

// TestLookWhileItIsWritten reads again and again beside an engine that appends,
// rotates, writes snapshots and releases.
func TestLookWhileItIsWritten(t *testing.T) {
	fs := crashfs.New(1)
	j := mustOpen(t, dir, options(fs, 2048))
	stop := make(chan struct{})
	var looking sync.WaitGroup
	looking.Go(func() {
		for last := uint64(0); ; {
			select {
			case <-stop:
				return
			default:
			}
			v, err := journal.Look(fs, dir)
			if err != nil || !v.Report.Whole() || v.Report.Last < last && v.Report.Last != 0 {
				t.Errorf("%+v, %v after %d", v, err, last)
				return
			}
			last = v.Report.Last
		}
	})
	for last := uint64(20); last <= 2000; last += 20 {
		fill(t, j, last, 5)
		if err := j.WriteSnapshot(last, snapshotOf("state")); err != nil {
			t.Fatal(err)
		}
		if err := j.ReleaseBefore(last - 10); err != nil {
			t.Fatal(err)
		}
		if err := j.ReleaseSnapshotsBefore(last); err != nil {
			t.Fatal(err)
		}
	}
	close(stop)
	looking.Wait()
}
