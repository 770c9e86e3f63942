package journal_test

import (
	"bytes"
	"errors"
	"fmt"
	"syscall"
	"testing"

	"github.com/leasekeeper/lkactor/sequencer/journal"
	"github.com/leasekeeper/lkactor/sequencer/journal/crashfs"
)

// fewBytes is room for the records of a test and for what is around them: a header, frames, an
// end mark, a manifest beside the one it replaces, the number in the lock file.
const fewBytes = 1024

// sparing gives options of an Open that sets nothing aside, in a file system that has
// room for a few records only.
func sparing(fs *crashfs.FS, acceptCut bool) journal.Options {
	fs.Limit(fs.Used() + fewBytes)
	o := options(fs, journal.DefaultSegmentBytes)
	o.Sparing, o.AcceptCut = true, acceptCut
	return o
}

// TestSparingOnAFullDisk adds records to journals whose newest segment is full or nearly
// so, or that are new, with room for these records only.
func TestSparingOnAFullDisk(t *testing.T) {
	const segmentBytes = 2048
	for last := range uint64(60) {
		fs := withFiles(journalOf(t, last, 3, segmentBytes, last%2 == 0))
		j := mustOpen(t, dir, options(fs, segmentBytes))
		mustClose(t, j)
		tight := sparing(fs, false)
		ample := tight
		ample.Sparing = false
		if _, err := journal.Open(dir, ample); !errors.Is(err, syscall.ENOSPC) {
			t.Fatalf("after %d records: there is room for a segment: %v", last, err)
		}
		j = mustOpen(t, dir, tight)
		fill(t, j, last+3, 3)
		mustClose(t, j)
		fs.Limit(0)
		j = mustOpen(t, dir, options(fs, 4*segmentBytes))
		checkRecords(t, j, 1, last+3)
		fill(t, j, last+50, 3)
		mustClose(t, j)
		checkRecords(t, mustOpen(t, dir, options(fs, segmentBytes)), 1, last+50)
	}
}

// TestSparingAcceptsACut accepts the loss of each end of a newest segment and then adds
// records, with room for these only. At each step of either the machine stops: then
// what was left is there, and what was durable of the rest; a loss that was accepted is
// none any more, once the journal has been closed.
func TestSparingAcceptsACut(t *testing.T) {
	for _, closed := range []bool{true, false} {
		all := journalOf(t, 40, 3, 2048, closed)
		name := newestSegment(all)
		whole := all[name]
		first, offsets := ends(whole)
		stride := 7
		if testing.Short() || underRace {
			stride = 41 // one goroutine: there is no race to find
		}
		for cut := 0; cut < offsets[len(offsets)-1]; cut += stride {
			all[name] = bytes.Clone(whole[:cut])
			kept := first - 1
			for _, end := range offsets {
				if end <= cut {
					kept++
				}
			}
			if err := acceptSparing(withFiles(all), kept); err != nil {
				t.Fatalf("closed %v, cut at %d: %v", closed, cut, err)
			}
		}
	}
}

// acceptSparing accepts that only so many records are kept, and adds four empty ones: there
// would be room for these where another one was cut off.
func acceptSparing(fs *crashfs.FS, kept uint64) error {
	stopped := error(nil)
	accepted, acked := false, kept
	fs.Before(func(op crashfs.Op) {
		for _, found := range []*crashfs.FS{fs.PowerLoss(uint64(op.Number)), fs.Kill(uint64(op.Number))} {
			if err := foundAfter(found, !accepted, kept, acked); err != nil && stopped == nil {
				stopped = fmt.Errorf("stopped before operation %d, %s %s: %w", op.Number, op.Verb, op.Path, err)
			}
		}
	})
	j, err := journal.Open(dir, sparing(fs, true))
	if err != nil {
		return err
	}
	if err := j.Close(); err != nil {
		return err
	}
	accepted = true
	if j, err = journal.Open(dir, sparing(fs, false)); err != nil {
		return err
	}
	for acked < kept+4 {
		if _, err := j.Append(nil); err != nil {
			return err
		}
		if err := j.Sync(); err != nil {
			return err
		}
		acked = j.Durable()
	}
	if err := errors.Join(j.Close(), stopped); err != nil {
		return err
	}
	return foundAfter(fs.PowerLoss(1), false, kept, kept+4)
}

// foundAfter opens what a crash has left, as an engine does, and wants the records that
// were kept and, of four empty ones after them, at least those up to acked.
func foundAfter(fs *crashfs.FS, acceptCut bool, kept, acked uint64) error {
	o := options(fs, 4096)
	o.AcceptCut = acceptCut
	j, err := journal.Open(dir, o)
	if err != nil {
		return err
	}
	next := uint64(1)
	err = j.Replay(1, j.Durable(), func(index uint64, content []byte) error {
		want := record(index)
		if index > kept {
			want = nil
		}
		if index != next || !bytes.Equal(content, want) {
			return fmt.Errorf("record %d is %q, want record %d, %q", index, content, next, want)
		}
		next++
		return nil
	})
	if err == nil && (next-1 < acked || next-1 > kept+4) {
		err = fmt.Errorf("%d records, want %d to %d", next-1, acked, kept+4)
	}
	return errors.Join(err, j.Close())
}
