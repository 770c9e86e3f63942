package durable

import (
	"context"
	"errors"
	"fmt"

	"github.com/leasekeeper/lkactor/actors/lease"
	"github.com/leasekeeper/lkactor/actors/model"
	"github.com/leasekeeper/lkactor/actors/oplog"
	"github.com/leasekeeper/lkactor/sequencer"
	"github.com/leasekeeper/lkactor/sequencer/journal"
)

// Progress says how far a recovery has come.
type Progress struct {
	Snapshot uint64 // the last record in the snapshot it started from, 0 for none
	Record   uint64 // the last record that has been run
	Last     uint64 // the last one there is
}

// ErrIncomplete is matched by the error of a directory in which records are missing
// that no whole snapshot covers.
var ErrIncomplete = errors.New("durable: records are missing that no whole snapshot covers")

// source is a directory as far as recovery reads it: an open journal, or a view.
type source interface {
	records
	snapshots() (whole []journal.Snapshot, broken []error, err error)
	openSnapshot(index uint64) (*journal.SnapshotReader, error)
	bounds() (first, last uint64) // of the records held; first is last+1 if there is none
}

// recovered is what a directory has told.
type recovered struct {
	header   oplog.Header
	begun    bool   // there is a header: somebody has used the directory
	snapshot uint64 // what it started from, 0 for none
	last     uint64 // the last record in order
	bytes    int64  // of the records run after the snapshot
	order    *sequencer.Sequencer
	passed   []error // snapshots that are damaged and were not needed
}

// fresh gives the order of a service that nobody has used.
func fresh() *sequencer.Sequencer {
	return sequencer.NewLoader(lease.Live, sequencer.State{Now: lease.Dawn}).Done()
}

// recoverState brings the state back as it was after record upTo, or after the last
// one if that is less. A snapshot that is damaged is passed over if one before it and
// the records since are there; one of an unknown form ends it.
func recoverState(ctx context.Context, from source, upTo uint64, progress func(Progress)) (*recovered, error) {
	first, last := from.bounds()
	r := &recovered{last: min(last, upTo)}
	if err := r.start(from, first); err != nil {
		return nil, err
	}
	if progress == nil {
		progress = func(Progress) {}
	}
	told := Progress{Snapshot: r.snapshot, Record: r.snapshot, Last: r.last}
	progress(told)
	if r.snapshot >= r.last {
		return r, nil
	}
	m := model.Resume(r.order, lease.Live, nil)
	seq, _ := r.order.Stamp()
	results := make([]lease.Result, 0)
	err := replay(ctx, from, r.snapshot+1, r.last, seq, func(p *portion) error {
		if len(p.ops) > len(results) {
			results = make([]lease.Result, len(p.ops))
		}
		if err := run(m, p, results[:len(p.ops)]); err != nil {
			return err
		}
		clear(results[:len(p.ops)])
		r.bytes += p.size
		told.Record = p.last
		progress(told)
		return nil
	})
	if err != nil {
		return nil, err
	}
	r.order = m.Freeze()
	return r, nil
}

// run runs a portion. A panic of the rules stops the start like a record that makes no
// sense, and says where: what follows from it nobody knows.
func run(m *model.Model, p *portion, results []lease.Result) (err error) {
	defer func() {
		if cause := recover(); cause != nil {
			err = &RecordError{p.first, fmt.Sprintf("it, or one of those up to %d, cannot be run: %v", p.last, cause)}
		}
	}()
	var pace pace
	for i := range p.ops {
		pace.step()
		results[i] = m.Do(&p.ops[i])
	}
	return nil
}

// start finds the snapshot to start from, or the header in the first record.
func (r *recovered) start(from source, first uint64) error {
	whole, broken, err := from.snapshots()
	if err != nil {
		return err
	}
	for _, wrong := range broken {
		if version := (*journal.VersionError)(nil); errors.As(wrong, &version) {
			return wrong
		}
	}
	if _, last := from.bounds(); len(whole) > 0 && whole[0].Index > last {
		return fmt.Errorf("%w: there is a snapshot of record %d, and the journal ends with %d", ErrIncomplete, whole[0].Index, last)
	}
	for _, s := range whole {
		if s.Index > r.last || s.Index+1 < first {
			continue
		}
		if err := r.load(from, s.Index); err != nil {
			return err
		}
		r.passed = broken
		return nil
	}
	if first > 1 {
		return errors.Join(fmt.Errorf("%w: the first one held is %d", ErrIncomplete, first), errors.Join(broken...))
	}
	r.order, r.passed = fresh(), broken
	if r.last == 0 {
		return nil
	}
	return from.Replay(1, 1, func(index uint64, record []byte) (err error) {
		r.header, err = parseHeaderRecord(index, record)
		r.begun = err == nil
		return err
	})
}

// load reads the snapshot of that index.
func (r *recovered) load(from source, index uint64) error {
	in, err := from.openSnapshot(index)
	if err != nil {
		return err
	}
	defer func() { _ = in.Close() }() // it was only read
	r.header, r.order, err = readState(in, index)
	r.snapshot, r.begun = index, true
	return err
}

// opened is the source that an open journal is.
type opened struct{ *journal.Journal }

func (o opened) snapshots() ([]journal.Snapshot, []error, error) { return o.Snapshots() }

func (o opened) openSnapshot(index uint64) (*journal.SnapshotReader, error) {
	return o.OpenSnapshot(index)
}

func (o opened) bounds() (first, last uint64) {
	last = o.Durable()
	if first = o.FirstIndex(); first == 0 {
		first = last + 1
	}
	return first, last
}
