package durable

import (
	"errors"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/leasekeeper/lkactor/actors"
	"github.com/leasekeeper/lkactor/sequencer/journal"
)

// An engine fills a real, small file system, where the machine lets the test mount one;
// where it does not, TestP1_DiskTrouble stands alone. Whatever was answered is there when
// it is started again, on the disk that is still full and on one that has room.
func TestP1_FullDisk(t *testing.T) {
	mount := t.TempDir()
	if err := syscall.Mount("tmpfs", mount, "tmpfs", 0, "size=128k"); err != nil {
		t.Logf("not shown on a real disk: mounting one: %v", err)
		return
	}
	defer func() {
		if err := syscall.Unmount(mount, 0); err != nil {
			t.Errorf("unmounting: %v", err)
		}
	}()
	full := filepath.Join(mount, "journal")
	o := Options{Journal: journal.Options{SegmentBytes: 16 << 10}, SnapshotBytes: -1}
	clock := &hand{wall: zero}
	recovered := uint64(0)
	start := func() *service {
		s, err := Open(full, o)
		if err != nil {
			t.Fatal(err)
		}
		recovered, _ = s.order.Stamp()
		e, err := actors.Start(newSystem(t), actors.WithJournal(s), actors.WithClock(clock))
		if err != nil {
			t.Fatal(err)
		}
		return &service{s, e}
	}
	s := start()
	acked, err := s.work(t, 1<<20)
	if !errors.Is(err, actors.ErrJournal) || !errors.Is(err, syscall.ENOSPC) || !errors.Is(s.engine.Err(), syscall.ENOSPC) {
		t.Fatalf("after %d operations: %v", acked, err)
	}
	if err := s.stop(); !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("the end says %v", err)
	}
	s = start()
	if recovered < acked {
		t.Errorf("%d operations are there, and %d were answered", recovered, acked)
	}
	if err := syscall.Mount("", mount, "", syscall.MS_REMOUNT, "size=1m"); err != nil {
		t.Fatal(err)
	}
	more, err := s.work(t, 1000)
	if err != nil || more <= acked {
		t.Errorf("on a disk with room: %d operations, %v", more, err)
	}
	if err := s.stop(); err != nil {
		t.Error(err)
	}
}
