package journal_test

import (
	"bytes"
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/leasekeeper/lkactor/sequencer/journal"
	"github.com/leasekeeper/lkactor/sequencer/journal/crashfs"
)

func TestP1_RecordsComeBack(t *testing.T) {
	for _, size := range []int{1, 3, 50} {
		for _, segmentBytes := range []int64{journal.MinSegmentBytes, 4096, 1 << 20} {
			t.Run(fmt.Sprintf("groups of %d in segments of %d", size, segmentBytes), func(t *testing.T) {
				fs := crashfs.New(1)
				j := mustOpen(t, dir, options(fs, segmentBytes))
				if r := j.Recovery(); !r.New {
					t.Errorf("recovery of a new directory: %+v", r)
				}
				checkRecords(t, j, 1, 0)
				fill(t, j, 100, size)
				checkRecords(t, j, 1, 100)
				mustClose(t, j)
				j = mustOpen(t, dir, options(fs, segmentBytes))
				if r := j.Recovery(); !r.Clean || r.New || r.Torn.File != "" {
					t.Errorf("recovery after Close: %+v", r)
				}
				checkRecords(t, j, 1, 100)
				fill(t, j, 150, size)
				checkRecords(t, j, 1, 150)
				mustClose(t, j)
			})
		}
	}
}

func TestNothingIsDurableBeforeSync(t *testing.T) {
	j := mustOpen(t, dir, options(crashfs.New(1), 4096))
	mustAppend(t, j, record(1))
	if j.Durable() != 0 || j.LastIndex() != 1 || j.NextIndex() != 2 {
		t.Errorf("durable %d, last %d, next %d", j.Durable(), j.LastIndex(), j.NextIndex())
	}
	if _, err := j.Read(1, nil); !errors.Is(err, journal.ErrNotFound) {
		t.Errorf("read of a record that is not durable: %v", err)
	}
	mustSync(t, j)
	if j.Durable() != 1 {
		t.Errorf("durable %d after sync", j.Durable())
	}
}

func TestSyncOfNothingTouchesNothing(t *testing.T) {
	fs := crashfs.New(1)
	j := mustOpen(t, dir, options(fs, 4096))
	fill(t, j, 3, 3)
	before := fs.Ops()
	mustSync(t, j)
	if after := fs.Ops(); after != before {
		t.Errorf("%d operations for nothing", after-before)
	}
}

func TestOneSyncForAGroup(t *testing.T) {
	fs := crashfs.New(1)
	j := mustOpen(t, dir, options(fs, 1<<20))
	var verbs []string
	fs.Before(func(op crashfs.Op) { verbs = append(verbs, op.Verb) })
	fill(t, j, 1000, 1000)
	if got := fmt.Sprint(verbs); got != "[write sync]" {
		t.Errorf("a group of 1000 took %s", got)
	}
}

func TestReadOneByOne(t *testing.T) {
	j := mustOpen(t, dir, options(crashfs.New(1), 2048))
	fill(t, j, 300, 7)
	check := func(index uint64) {
		t.Helper()
		got, err := j.Read(index, []byte("x"))
		if err != nil || string(got) != "x"+string(record(index)) {
			t.Fatalf("record %d: %q, %v", index, got, err)
		}
	}
	for index := uint64(1); index <= 300; index++ {
		check(index)
	}
	for index := uint64(300); index >= 1; index-- {
		check(index)
	}
	fill(t, j, 310, 1)
	for index := uint64(290); index <= 310; index++ {
		check(index)
		check(index)
	}
	for _, index := range []uint64{0, 311} {
		if _, err := j.Read(index, nil); !errors.Is(err, journal.ErrNotFound) {
			t.Errorf("record %d: %v", index, err)
		}
	}
}

func TestRecordLongerThanASegment(t *testing.T) {
	fs := crashfs.New(1)
	long := bytes.Repeat([]byte("long "), 1000)
	j := mustOpen(t, dir, options(fs, journal.MinSegmentBytes))
	for range 3 { // the first of them in an empty segment
		mustAppend(t, j, long)
		mustAppend(t, j, []byte("short"))
	}
	mustSync(t, j)
	mustClose(t, j)
	j = mustOpen(t, dir, options(fs, journal.MinSegmentBytes))
	_, records := contents(t, j)
	for i, got := range records {
		want := []byte("short")
		if i%2 == 0 {
			want = long
		}
		if !bytes.Equal(got, want) {
			t.Errorf("record %d has %d bytes", i+1, len(got))
		}
	}
	if len(records) != 6 {
		t.Errorf("%d records", len(records))
	}
}

func TestTooLargeARecordChangesNothing(t *testing.T) {
	j := mustOpen(t, dir, options(crashfs.New(1), 4096))
	if _, err := j.Append(make([]byte, journal.MaxRecordBytes+1)); !errors.Is(err, journal.ErrTooLarge) {
		t.Fatal(err)
	}
	fill(t, j, 3, 1)
	checkRecords(t, j, 1, 3)
}

func TestManySmallRecordsInOneGroup(t *testing.T) {
	fs := crashfs.New(1)
	j := mustOpen(t, dir, options(fs, 64<<20))
	const many = 200_000 // more than one group may have
	for range many {
		mustAppend(t, j, []byte{7})
	}
	mustSync(t, j)
	j = mustOpen(t, dir, options(fs.Kill(1), 64<<20))
	if j.LastIndex() != many {
		t.Errorf("%d records of %d", j.LastIndex(), many)
	}
}

func TestSegmentSizeMayChange(t *testing.T) {
	fs := crashfs.New(1)
	last := uint64(0)
	for _, segmentBytes := range []int64{1024, 16384, 256, 4096} {
		j := mustOpen(t, dir, options(fs, segmentBytes))
		checkRecords(t, j, 1, last)
		last += 60
		fill(t, j, last, 4)
		mustClose(t, j)
	}
	j := mustOpen(t, dir, options(fs, 1024))
	checkRecords(t, j, 1, last)
	if _, err := journal.Open(dir+"2", options(fs, journal.MinSegmentBytes-1)); err == nil {
		t.Error("too small a segment was taken")
	}
}

func TestProgressReachesTheEnd(t *testing.T) {
	fs := crashfs.New(1)
	j := mustOpen(t, dir, options(fs, 1024))
	fill(t, j, 200, 10)
	mustClose(t, j)
	o := options(fs, 1024)
	var lastDone, lastTotal int64
	o.Progress = func(done, total int64) {
		if done < lastDone || done > total {
			t.Errorf("progress %d of %d after %d", done, total, lastDone)
		}
		lastDone, lastTotal = done, total
	}
	mustOpen(t, dir, o)
	if lastDone == 0 || lastDone != lastTotal {
		t.Errorf("progress ended at %d of %d", lastDone, lastTotal)
	}
}

func TestClosedAnswersErrClosed(t *testing.T) {
	j := mustOpen(t, dir, options(crashfs.New(1), 4096))
	mustAppend(t, j, record(1))
	mustClose(t, j)
	if j.Durable() != 1 {
		t.Error("Close did not make durable what was appended")
	}
	_, appended := j.Append(nil)
	_, read := j.Read(1, nil)
	for i, err := range []error{
		appended, read, j.Sync(), j.Close(), j.Err(), j.ReleaseBefore(1), j.TruncateAfter(1), j.Reset(1),
		j.WriteSnapshot(1, snapshotOf("")), j.Replay(1, 1, nil), j.ReleaseSnapshotsBefore(1),
	} {
		if !errors.Is(err, journal.ErrClosed) {
			t.Errorf("call %d: %v", i, err)
		}
	}
}

func TestAppendersShareSyncs(t *testing.T) {
	fs := crashfs.New(1)
	j := mustOpen(t, dir, options(fs, 8192))
	const appenders, each = 32, 50
	var all sync.WaitGroup
	for a := range appenders {
		all.Go(func() {
			for i := range each {
				index, err := j.Append([]byte(fmt.Sprintf("%d/%d", a, i)))
				if err == nil {
					err = j.Sync()
				}
				if err != nil || j.Durable() < index {
					t.Errorf("record %d, durable %d: %v", index, j.Durable(), err)
					return
				}
			}
		})
	}
	all.Wait()
	mustClose(t, j)
	j = mustOpen(t, dir, options(fs, 8192))
	_, records := contents(t, j)
	next := make([]int, appenders)
	for _, r := range records {
		var a, i int
		if _, err := fmt.Sscanf(string(r), "%d/%d", &a, &i); err != nil || next[a] != i {
			t.Fatalf("record %q, want number %d of it: %v", r, next[a], err)
		}
		next[a]++
	}
	if len(records) != appenders*each {
		t.Errorf("%d records", len(records))
	}
}

func TestCommitterTellsWhatIsDurable(t *testing.T) {
	j := mustOpen(t, dir, options(crashfs.New(1), 8192))
	var last uint64
	c := journal.NewCommitter(j, func(durable uint64, err error) {
		if err != nil || durable < last {
			t.Errorf("told %d after %d: %v", durable, last, err)
		}
		last = durable
	})
	for i := range 500 {
		mustAppend(t, j, record(uint64(i+1)))
		c.Commit()
	}
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	if last != 500 {
		t.Errorf("told up to %d", last)
	}
	checkRecords(t, j, 1, 500)
}
