package durable

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"math"

	"github.com/leasekeeper/lkactor/actors/oplog"
	"github.com/leasekeeper/lkactor/sequencer"
	"github.com/leasekeeper/lkactor/sequencer/journal"
)

// View is a directory read beside whoever has it open, as of the moment of Look. It
// changes nothing.
type View struct {
	files *journal.View
}

// Look reads the files of a directory through; damage is in the report. An error
// tells that they could not be read, one that matches ErrMoved that they could not
// be because somebody changed them all the time.
func Look(fs journal.FS, dir string) (*View, error) {
	files, err := journal.Look(fs, dir)
	if err != nil {
		return nil, moved(err)
	}
	return &View{files}, nil
}

// Files is what there is on disk, and whether it is whole.
func (v *View) Files() *journal.Report { return &v.files.Report }

// ErrMoved is matched by the error of a look at a directory in which an engine has given
// up records or snapshots meanwhile. It says nothing of damage: look again.
var ErrMoved = errors.New("durable: the engine has given up records while they were read; look again")

// moved tells of an error that comes of that. A view names only what was there.
func moved(err error) error {
	if errors.Is(err, journal.ErrNotFound) || errors.Is(err, journal.ErrMoving) {
		return fmt.Errorf("%w: %w", ErrMoved, err)
	}
	return err
}

// viewed is the source that a view is.
type viewed struct{ *journal.View }

func (v viewed) snapshots() ([]journal.Snapshot, []error, error) {
	return v.Report.Snapshots, v.Report.Broken, nil
}

func (v viewed) openSnapshot(index uint64) (*journal.SnapshotReader, error) {
	return v.OpenSnapshot(index)
}

func (v viewed) bounds() (first, last uint64) {
	if v.Report.Records > 0 {
		return v.Report.First, v.Report.Last
	}
	// Nothing is held: it goes on where the newest segment begins.
	if n := len(v.Report.Segments); n > 0 {
		last = v.Report.Segments[n-1].Last
	}
	return last + 1, last
}

// Standing is where a history has come to.
type Standing struct {
	Header oplog.Header
	Begun  bool // an engine has used the directory; nothing else counts otherwise
	sequencer.State
	Held, Waiting int // locks that somebody holds, requests in queues

	Snapshot uint64  // the last record in the snapshot that the state was built on, 0 for none
	Passed   []error // snapshots that are damaged and are not needed
}

// Standing brings the state back as it was after record upTo, or after the last one,
// as a start would. Errors are those of Open that tell of the content.
func (v *View) Standing(ctx context.Context, upTo uint64, progress func(Progress)) (*Standing, error) {
	s, err := v.standing(ctx, upTo, progress)
	return s, moved(err)
}

func (v *View) standing(ctx context.Context, upTo uint64, progress func(Progress)) (*Standing, error) {
	if err := v.files.Report.Err; err != nil {
		return nil, err
	}
	r, err := recoverState(ctx, viewed{v.files}, upTo, progress)
	if err != nil {
		return nil, err
	}
	s := &Standing{Header: r.header, Begun: r.begun, Snapshot: r.snapshot, Passed: r.passed}
	state, _, locks := r.order.Save()
	s.State = state
	for l := range locks {
		if l.Claims != nil {
			s.Held++
			s.Waiting += len(l.Claims.Queue)
		}
	}
	return s, nil
}

// Verify reads everything that a start could need: that all records can be run, and that
// each snapshot is the state that the records before it lead to, so far as there are
// any. It gives the first thing that is wrong.
func (v *View) Verify(ctx context.Context, progress func(Progress)) (*Standing, error) {
	standing, err := v.Standing(ctx, math.MaxUint64, progress)
	if err != nil {
		return nil, err
	}
	for _, s := range v.files.Report.Snapshots { // the newest first
		if err := v.verifySnapshot(ctx, s.Index); err != nil {
			return nil, moved(err)
		}
	}
	return standing, nil
}

// verifySnapshot compares a snapshot with what comes of the one before it, or of
// nothing, and the records in between.
func (v *View) verifySnapshot(ctx context.Context, index uint64) error {
	in, err := v.files.OpenSnapshot(index)
	if err != nil {
		return err
	}
	defer func() { _ = in.Close() }() // it was only read
	header, order, err := readState(in, index)
	if err != nil {
		return err
	}
	before := &before{viewed{v.files}, index}
	r, err := recoverState(ctx, before, index, nil)
	if errors.Is(err, ErrIncomplete) {
		return nil // what it was made from is gone
	}
	if err != nil {
		return err
	}
	got, want := sha256.New(), sha256.New()
	if err := errors.Join(writeState(got, header, order), writeState(want, r.header, r.order)); err != nil {
		return err
	}
	if !bytes.Equal(got.Sum(nil), want.Sum(nil)) {
		return &RecordError{index, "the snapshot is whole, and is not the state that the records before it lead to"}
	}
	return nil
}

// before is a source without the snapshots from one on.
type before struct {
	viewed
	index uint64
}

func (b *before) snapshots() (whole []journal.Snapshot, broken []error, err error) {
	all, broken, err := b.viewed.snapshots()
	for _, s := range all {
		if s.Index < b.index {
			whole = append(whole, s)
		}
	}
	return whole, broken, err
}
