package durable

import (
	"context"
	"errors"
	"io"
	"sync"
	"sync/atomic"

	"github.com/leasekeeper/lkactor/actors/oplog"
	"github.com/leasekeeper/lkactor/sequencer/journal"
)

// folder makes snapshots beside the engine, of which it asks nothing: it folds the
// last snapshot and the records of the segments that are full since into the next one,
// in a model of its own. It costs memory for a second state while it works.
//
// Two snapshots are kept, and the records since the older one: should the newer one be
// damaged, nothing is lost.
type folder struct {
	journal *journal.Journal
	every   int64 // bytes of records between two snapshots; never if negative
	keep    bool  // records that are covered stay
	failed  func(error)

	appended atomic.Int64 // bytes of records since the last snapshot was begun
	wake     chan struct{}
	ctx      context.Context
	cancel   context.CancelFunc
	done     chan struct{}

	mu   sync.Mutex // held while a snapshot is made
	last uint64     // the last record in the newest snapshot
}

func newFolder(j *journal.Journal, o Options, r *recovered) *folder {
	f := &folder{
		journal: j, every: o.SnapshotBytes, keep: o.KeepHistory, failed: o.SnapshotFailed,
		wake: make(chan struct{}, 1), done: make(chan struct{}), last: r.snapshot,
	}
	if f.failed == nil {
		f.failed = func(error) {}
	}
	f.appended.Store(r.bytes)
	f.ctx, f.cancel = context.WithCancel(context.Background())
	go f.run()
	f.look() // it may be overdue: an engine that is killed again and again must not start ever slower
	return f
}

// look has a snapshot made if it is time. It never waits.
func (f *folder) look() {
	if f.every < 0 || f.appended.Load() < f.every {
		return
	}
	select {
	case f.wake <- struct{}{}:
	default: // one is being made, or about to be
	}
}

func (f *folder) run() {
	defer close(f.done)
	for {
		select {
		case <-f.ctx.Done():
			return
		case <-f.wake:
		}
		if f.appended.Load() < f.every {
			continue // it was for the one that has just been made
		}
		if sealed := f.journal.SealedIndex(); sealed > f.newest() {
			f.appended.Store(0)
			if err := f.fold(f.ctx, sealed); err != nil && f.ctx.Err() == nil {
				f.failed(err)
			}
		}
	}
}

// stop ends the goroutine, and the snapshot in hand.
func (f *folder) stop() {
	f.cancel()
	<-f.done
}

// fold makes the snapshot of the state after record upTo and lets go of what is not
// needed any more.
func (f *folder) fold(ctx context.Context, upTo uint64) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if upTo <= f.last {
		return nil // somebody was faster
	}
	r, err := recoverState(ctx, opened{f.journal}, upTo, nil)
	if err != nil {
		return err
	}
	err = f.journal.WriteSnapshot(upTo, func(w io.Writer) error {
		return writeState(heeding{ctx, w}, r.header, r.order)
	})
	if err != nil {
		return err
	}
	f.last = upTo
	if f.keep {
		return nil
	}
	return errors.Join(f.journal.ReleaseBefore(r.snapshot+1), f.journal.ReleaseSnapshotsBefore(r.snapshot))
}

// heeding is a writer that refuses once its context has ended.
type heeding struct {
	ctx context.Context
	to  io.Writer
}

// Write implements io.Writer.
func (h heeding) Write(p []byte) (int, error) {
	if err := h.ctx.Err(); err != nil {
		return 0, err
	}
	return h.to.Write(p)
}

// Snapshot makes a snapshot of everything that is durable, now, and returns when it is
// there. It disturbs nobody who uses the store.
func (s *Store) Snapshot(ctx context.Context) error {
	durable := s.journal.Durable()
	s.folder.appended.Store(0)
	return s.folder.fold(ctx, durable)
}

func (f *folder) newest() uint64 {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.last
}

// Header gives the header of the log that the store keeps; ok is false while nobody has
// used the directory.
func (s *Store) Header() (h oplog.Header, ok bool) { return s.header, s.begun }
