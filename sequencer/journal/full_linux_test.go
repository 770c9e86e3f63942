package journal_test

import (
	"errors"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/leasekeeper/lkactor/sequencer/journal"
)

// TestP1_FullDisk fills a real, small file system, where the machine lets the
// test mount one; where it does not, TestP1_EveryOperationFails stands alone.
func TestP1_FullDisk(t *testing.T) {
	mount := t.TempDir()
	if err := syscall.Mount("tmpfs", mount, "tmpfs", 0, "size=256k"); err != nil {
		t.Logf("not shown on a real disk: mounting one: %v", err)
		return
	}
	defer func() {
		if err := syscall.Unmount(mount, 0); err != nil {
			t.Errorf("unmounting: %v", err)
		}
	}()
	dir := filepath.Join(mount, "journal")
	o := journal.Options{SegmentBytes: 32 << 10}
	j := mustOpen(t, dir, o)
	var err error
	acked := uint64(0)
	for err == nil {
		if _, err = j.Append(record(j.NextIndex())); err == nil {
			err = j.Sync()
		}
		if err == nil {
			acked = j.LastIndex()
		}
	}
	if !errors.Is(err, syscall.ENOSPC) {
		t.Fatalf("after %d records: %v", acked, err)
	}
	if _, again := j.Append(nil); again != err {
		t.Errorf("the next append answers %v", again)
	}
	if closed := j.Close(); closed != err {
		t.Errorf("close answers %v", closed)
	}
	j = mustOpen(t, dir, o) // on the disk that is still full
	checkRecords(t, j, 1, acked)
	if err := j.ReleaseBefore(acked + 1); err != nil {
		t.Fatalf("no way to make room: %v", err)
	}
	fill(t, j, acked+1000, 10)
	checkRecords(t, j, acked+1, acked+1000)
	mustClose(t, j)
}
