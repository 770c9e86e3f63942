package journal_test

import (
	"errors"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/leasekeeper/lkactor/sequencer/journal"
)

// TestTheLockFileIsTakenAway: a directory stays taken when its lock file is removed, or
// another one put in its place, while it is open. Whoever tries says so and leaves it be.
func TestTheLockFileIsTakenAway(t *testing.T) {
	for name, take := range map[string]func(file string) error{
		"removed": os.Remove,
		"replaced": func(file string) error {
			return errors.Join(os.WriteFile(file+".new", []byte("1\n"), 0o600), os.Rename(file+".new", file))
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			j := mustOpen(t, dir, journal.Options{SegmentBytes: 4096})
			fill(t, j, 5, 1)
			if err := take(filepath.Join(dir, "lock")); err != nil {
				t.Fatal(err)
			}
			for range 2 { // the first try leaves a lock file behind
				var locked *journal.LockedError
				if _, err := journal.Open(dir, journal.Options{}); !errors.As(err, &locked) {
					t.Fatalf("opened twice: %v", err)
				}
				if r, err := journal.Verify(dir); err != nil || !r.Held || !r.Whole() {
					t.Fatalf("%+v, %v", r, err)
				}
			}
			fill(t, j, 10, 1)
			mustClose(t, j)
			if r, err := journal.Verify(dir); err != nil || r.Held || r.Last != 10 {
				t.Fatalf("%+v, %v", r, err)
			}
			mustClose(t, mustOpen(t, dir, journal.Options{}))
		})
	}
}

// TestTheDirectoryIsReplaced: a journal whose directory has been moved, and another one put
// in its place, goes no further than the segment that it has open, touches nothing of the
// other one, and has lost nothing when it is opened where it is now.
func TestTheDirectoryIsReplaced(t *testing.T) {
	for name, do := range map[string]func(*journal.Journal) error{
		"the next segment": func(j *journal.Journal) error {
			for {
				if _, err := j.Append(record(j.NextIndex())); err != nil {
					return err
				}
				if err := j.Sync(); err != nil {
					return err
				}
			}
		},
		"a snapshot": func(j *journal.Journal) error { return j.WriteSnapshot(j.Durable(), snapshotOf("state")) },
		"a release":  func(j *journal.Journal) error { return j.ReleaseBefore(j.Durable() - 1) },
		"the end":    func(j *journal.Journal) error { return j.Close() },
	} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "journal")
			moved := dir + ".old"
			mustClose(t, mustOpen(t, dir, journal.Options{SegmentBytes: 4096}))
			backup := os.DirFS(dir)
			if err := os.CopyFS(dir+".backup", backup); err != nil {
				t.Fatal(err)
			}
			j := mustOpen(t, dir, journal.Options{SegmentBytes: 4096})
			fill(t, j, 200, 1)
			if err := errors.Join(os.Rename(dir, moved), os.CopyFS(dir, os.DirFS(dir+".backup"))); err != nil {
				t.Fatal(err)
			}
			if err := do(j); err == nil || !strings.Contains(err.Error(), "not the directory any more") {
				t.Errorf("%v", err)
			}
			durable := j.Durable()
			_ = j.Close() // has nothing to say that it has not said
			if r, err := journal.Verify(dir); err != nil || !r.Whole() || r.Records != 0 {
				t.Errorf("the one in its place: %+v, %v", r, err)
			}
			again := mustOpen(t, moved, journal.Options{SegmentBytes: 4096})
			checkRecords(t, again, 1, durable)
			mustClose(t, again)
		})
	}
}

// TestLookingKeepsNobodyOut: who asks for the holder again and again is in nobody's way.
func TestLookingKeepsNobodyOut(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	stop, stopped := make(chan struct{}), make(chan error)
	go func() {
		for {
			select {
			case <-stop:
				stopped <- nil
				return
			default:
			}
			if _, _, err := (journal.OS{}).Holder(path); err != nil {
				stopped <- err
				return
			}
		}
	}()
	for range 300 {
		lock, err := journal.OS{}.Lock(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := lock.Close(); err != nil {
			t.Fatal(err)
		}
	}
	close(stop)
	if err := <-stopped; err != nil {
		t.Error(err)
	}
}

// TestFilesThatAreNone: what stands in place of a file and is none is named and refused,
// without waiting for whoever writes to it, and without giving up what is there.
func TestFilesThatAreNone(t *testing.T) {
	for what, make := range map[string]func(path string) error{
		"a named pipe": func(path string) error { return syscall.Mkfifo(path, 0o600) },
		"a directory":  func(path string) error { return os.Mkdir(path, 0o700) },
		"a device":     func(path string) error { return os.Symlink(os.DevNull, path) },
		"a socket": func(path string) error {
			l, err := net.ListenUnix("unix", &net.UnixAddr{Name: path})
			if err != nil {
				return err
			}
			l.SetUnlinkOnClose(false)
			return l.Close()
		},
	} {
		t.Run(what, func(t *testing.T) {
			t.Chdir(t.TempDir()) // a socket's path must be short
			const dir = "journal"
			o := journal.Options{SegmentBytes: 1024}
			j := mustOpen(t, dir, o)
			fill(t, j, 30, 3)
			if err := j.WriteSnapshot(20, snapshotOf("state")); err != nil {
				t.Fatal(err)
			}
			mustClose(t, j)
			names, err := journal.OS{}.List(dir)
			if err != nil || len(names) < 5 {
				t.Fatal(names, err)
			}
			for _, name := range names {
				path := filepath.Join(dir, name)
				if err := errors.Join(os.Rename(path, "aside"), make(path)); err != nil {
					t.Fatal(err)
				}
				err := openAndLook(dir, o)
				if err == nil || strings.Count(err.Error(), path+": it is no regular file") != 2 {
					t.Errorf("in place of %s: %v", name, err)
				}
				if err := errors.Join(os.Remove(path), os.Rename("aside", path)); err != nil {
					t.Fatal(err)
				}
			}
			j = mustOpen(t, dir, o)
			checkRecords(t, j, 1, 30)
			mustClose(t, j)
		})
	}
}

// openAndLook opens a journal with its snapshots, and looks at it, and gives what both say.
func openAndLook(dir string, o journal.Options) error {
	_, seen := journal.Verify(dir)
	j, err := journal.Open(dir, o)
	if err == nil {
		_, _, err = j.Snapshots()
		err = errors.Join(err, j.Close())
	}
	return errors.Join(seen, err)
}
