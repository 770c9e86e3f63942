package durable

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/leasekeeper/lkactor/actors/internal/chance"
	"github.com/leasekeeper/lkactor/actors/lease"
	"github.com/leasekeeper/lkactor/actors/model"
	"github.com/leasekeeper/lkactor/sequencer/journal/crashfs"
)

// A snapshot that is whole and is not the state that the records before it lead to is
// found out.
func TestVerifyComparesSnapshots(t *testing.T) {
	for _, honest := range []bool{true, false} {
		fs, r := written(t, 2, chance.LiveProfiles[0], 5)
		s := mustOpen(t, options(fs))
		state := r.states[r.last]
		if !honest {
			state = bytes.Replace(state, []byte{byte(r.seq)}, []byte{byte(r.seq) - 1}, 1)
		}
		err := s.journal.WriteSnapshot(r.last, func(w io.Writer) error {
			_, err := w.Write(state)
			return err
		})
		if err := errors.Join(err, s.Close()); err != nil {
			t.Fatal(err)
		}
		v, err := Look(fs, dir)
		if err != nil {
			t.Fatal(err)
		}
		_, err = v.Verify(t.Context(), nil)
		if honest != (err == nil) || !honest && !strings.Contains(err.Error(), "not the state") {
			t.Errorf("honest %v: %v", honest, err)
		}
	}
}

// Snapshots are made by themselves when there are enough records, beside whoever goes
// on; what is given up is not needed, even if the newest snapshot is damaged.
func TestSnapshotsByThemselves(t *testing.T) {
	fs := crashfs.New(1)
	o := options(fs)
	o.SnapshotBytes = 8 << 10
	failed := make(chan error, 100)
	o.SnapshotFailed = func(err error) { failed <- err }
	s := mustOpen(t, o)
	r := newRecorder(t, s, 1)
	for seed := uint64(0); s.journal.FirstIndex() == 1; seed++ {
		r.run(t, operations(t, seed, chance.LiveProfiles[seed%3]), 5)
	}
	if err := s.Close(); err != nil || len(failed) > 0 {
		t.Fatal(err, len(failed))
	}
	checkState(t, fs, r, 0)
	again := mustOpen(t, options(fs))
	snapshots, broken, err := again.journal.Snapshots()
	first := again.journal.FirstIndex()
	if err := errors.Join(err, again.Close()); err != nil || len(broken) > 0 || len(snapshots) < 1 {
		t.Fatal(err, broken, snapshots)
	}
	if oldest := snapshots[len(snapshots)-1]; oldest.Index+1 != first && len(snapshots) > 1 {
		t.Errorf("%v, and the first record is %d", snapshots, first)
	}
	name := fmt.Sprintf("%s/snapshot-%020d", dir, snapshots[0].Index)
	text := fs.Bytes(name)
	text[len(text)/2] ^= 1
	fs.Put(name, text)
	checkState(t, fs, r, 1)
}

// checkState opens the directory: the state must be the last one, with so many damaged
// snapshots passed over.
func checkState(t *testing.T, fs *crashfs.FS, r *recorder, passed int) {
	t.Helper()
	s := mustOpen(t, options(fs))
	if got := recoveredBytes(t, s); !bytes.Equal(got, r.states[r.last]) {
		t.Error("another state")
	}
	if _, wrong := s.Recovery(); len(wrong) != passed {
		t.Errorf("passed over: %v", wrong)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}

// Where records are missing that no snapshot covers nothing starts, and so it is where a
// snapshot has a form that is not known.
func TestWhatCannotBeStartedFrom(t *testing.T) {
	fs, r := written(t, 2, chance.LiveProfiles[0], 5)
	s := mustOpen(t, options(fs))
	if err := errors.Join(s.Snapshot(t.Context()), s.journal.ReleaseBefore(r.last+1), s.Close()); err != nil {
		t.Fatal(err)
	}
	checkState(t, fs, r, 0)
	name := fmt.Sprintf("%s/snapshot-%020d", dir, r.last)
	whole := fs.Bytes(name)

	torn := bytes.Clone(whole)
	torn[len(torn)/2] ^= 1
	fs.Put(name, torn)
	if _, err := Open(dir, options(fs)); !errors.Is(err, ErrIncomplete) || !strings.Contains(err.Error(), name) {
		t.Errorf("%v", err)
	}
	fs.Put(name, whole)
	s = mustOpen(t, options(fs))
	err := s.journal.WriteSnapshot(r.last, func(w io.Writer) error {
		_, err := io.WriteString(w, "lkactor-state 9\nwhatever")
		return err
	})
	if err := errors.Join(err, s.Close()); err != nil {
		t.Fatal(err)
	}
	var version *VersionError
	if _, err := Open(dir, options(fs)); !errors.As(err, &version) || version.Version != "9" {
		t.Errorf("%v", err)
	}
}

// A restore replaces: what a store recovers is the state of its directory and nothing of
// any other.
func TestAnotherDirectoryIsAnotherState(t *testing.T) {
	a, ra := written(t, 2, chance.LiveProfiles[0], 5)
	b, rb := written(t, 3, chance.LiveProfiles[1], 5)
	checkState(t, a, ra, 0)
	checkState(t, b, rb, 0)
	if bytes.Equal(ra.states[ra.last], rb.states[rb.last]) {
		t.Error("both are one state")
	}
	if fresh := stateBytes(t, model.Make(lease.Live, nil)); !bytes.Equal(fresh, ra.states[0]) {
		t.Error("the beginning is not that of a fresh service")
	}
}
