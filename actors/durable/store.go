package durable

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sync"
	"time"

	"github.com/google/uuid"

	"github.com/leasekeeper/lkactor/actors/lease"
	"github.com/leasekeeper/lkactor/actors/oplog"
	"github.com/leasekeeper/lkactor/sequencer"
	"github.com/leasekeeper/lkactor/sequencer/journal"
)

// Options says how a directory is opened. The zero value is the one for use.
type Options struct {
	// Journal is how the files are kept; see there.
	Journal journal.Options

	// SnapshotBytes is after how many bytes of records a snapshot is made, in the
	// background; 0 means DefaultSnapshotBytes, less than 0 never.
	SnapshotBytes int64

	// KeepHistory keeps records that snapshots cover, for an audit log that can be
	// replayed from its beginning. The directory then grows without a bound.
	KeepHistory bool

	// Progress is told how far the recovery of the state has come. May be nil. How
	// far the reading of the files is that comes before, Journal.Progress is told.
	Progress func(Progress)

	// SnapshotFailed is told why a snapshot could not be made, on a goroutine of its
	// own; it will be tried again after as many bytes more. May be nil. A failure
	// that stops the journal itself stops the engine, too.
	SnapshotFailed func(error)
}

// Store is an open directory: what actors.WithJournal takes. One engine can use it,
// once. Close it after the engine has stopped.
type Store struct {
	journal   *journal.Journal
	committer *journal.Committer
	folder    *folder
	passed    []error

	header oplog.Header
	begun  bool
	order  *sequencer.Sequencer // until it is given away

	record []byte // the record being built
	ticket uint64 // of the last one appended
	failed error  // why none is appended any more

	told   func(ticket uint64, err error) // set before the first record
	once   sync.Once                      // Close
	closed error                          // what it answered
}

// ErrTaken is the error of a store that an engine has used before.
var ErrTaken = errors.New("durable: an engine has used this store; open the directory anew")

// Open opens the directory, or makes one, and brings its state back. Only one process
// at a time can have it open.
//
// Errors are those of journal.Open, *RecordError, *VersionError, one that matches
// ErrIncomplete, or the file system's. Nothing is lost by opening in vain.
func Open(dir string, o Options) (*Store, error) {
	if o.SnapshotBytes == 0 {
		o.SnapshotBytes = DefaultSnapshotBytes
	}
	j, err := journal.Open(dir, o.Journal)
	if err != nil {
		return nil, err
	}
	r, err := recoverState(context.Background(), opened{j}, math.MaxUint64, o.Progress)
	if err != nil {
		_ = j.Close() // the first error is the one to tell
		return nil, err
	}
	s := &Store{journal: j, header: r.header, begun: r.begun, order: r.order, passed: r.passed}
	s.folder = newFolder(j, o, r)
	s.committer = journal.NewCommitter(j, s.durable)
	return s, nil
}

// Recovery says what opening the files found and did, and which damaged snapshots
// were not needed.
func (s *Store) Recovery() (r journal.Recovery, passed []error) {
	return s.journal.Recovery(), s.passed
}

// Journal gives the files below, for figures. Nothing may be appended to it.
func (s *Store) Journal() *journal.Journal { return s.journal }

// Resume gives the history to go on with: that of the directory or, if nobody has
// used it, a new one of this engine with this wall time of instant 0, which is durable
// when Resume returns. order is where it has come to. told is called from then on, by
// one goroutine at a time, with the last ticket that is durable, or with the error
// after which no other will be.
func (s *Store) Resume(zero time.Time, engine uuid.UUID, told func(ticket uint64, err error)) (
	_ time.Time, _ uuid.UUID, order *sequencer.Sequencer, err error,
) {
	if s.order == nil {
		return zero, engine, nil, ErrTaken
	}
	if !s.begun {
		h := oplog.Header{Zero: zero.UTC().Round(0), Engine: engine}
		if _, err := s.journal.Append(headerRecord(h)); err != nil {
			return zero, engine, nil, err
		}
		if err := s.journal.Sync(); err != nil {
			return zero, engine, nil, err
		}
		s.header, s.begun = h, true
	}
	order, s.order = s.order, nil
	s.told = told
	return s.header.Zero, s.header.Engine, order, nil
}

// Add adds a stamped operation, the seq-th, to the record that Commit will append. It
// is copied. Numbers follow each other. Add and Commit are for the sequencer's turn.
func (s *Store) Add(seq uint64, op *lease.Operation) {
	if len(s.record) == 0 {
		s.record = appendHead(s.record, seq)
	}
	s.record = appendOperation(s.record, op)
	if len(s.record) > maxRecordText {
		s.append() // an intake of many long operations is several records
	}
}

// Commit appends what has been added since the last one, as a record, and has it made
// durable soon. The ticket is what told will be told when it is. An error is final.
func (s *Store) Commit() (ticket uint64, err error) {
	if len(s.record) > 0 {
		s.append()
	}
	if s.failed != nil {
		return 0, fmt.Errorf("the journal takes no more records: %w", s.failed)
	}
	s.committer.Commit()
	return s.ticket, nil
}

// append hands the record to the journal.
func (s *Store) append() {
	if s.failed == nil {
		s.ticket, s.failed = s.journal.Append(s.record)
		s.folder.appended.Add(int64(len(s.record)))
	}
	if s.record = s.record[:0]; cap(s.record) > 2*maxRecordText {
		s.record = nil
	}
}

// durable is told after each sync, on the committer's goroutine.
func (s *Store) durable(last uint64, err error) {
	if s.told != nil {
		s.told(last, err)
	}
	s.folder.look()
}

// Close makes durable what was appended, ends a snapshot that is being made, and lets
// go of the directory. It gives the failure that has stopped the journal, if one has.
// It may be called again.
func (s *Store) Close() error {
	s.once.Do(func() {
		s.folder.stop()
		_ = s.committer.Close() // the journal gives the same error
		s.closed = s.journal.Close()
	})
	return s.closed
}
