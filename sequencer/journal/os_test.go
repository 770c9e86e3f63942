package journal_test

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/leasekeeper/lkactor/sequencer/journal"
)

// childDir and childFirst in the environment make this program the process that
// writes a journal until it is killed.
const (
	childDir   = "JOURNAL_TEST_DIR"
	childFirst = "JOURNAL_TEST_FIRST"
)

func TestMain(m *testing.M) {
	if dir := os.Getenv(childDir); dir != "" {
		first, err := strconv.ParseUint(os.Getenv(childFirst), 10, 64)
		if err == nil {
			err = writeUntilKilled(dir, first)
		}
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// writeUntilKilled appends records, from first on, and prints what is durable.
func writeUntilKilled(dir string, first uint64) error {
	j, err := journal.Open(dir, journal.Options{SegmentBytes: 16384})
	if err != nil {
		return err
	}
	if next := j.NextIndex(); next < first {
		return fmt.Errorf("next is %d, records before %d were acknowledged", next, first)
	}
	c := journal.NewCommitter(j, func(durable uint64, err error) {
		if _, lost := fmt.Println(durable); lost != nil || err != nil { // one write: a line is whole or missing
			os.Exit(1) // nobody listens any more
		}
	})
	for {
		if _, err := j.Append(record(j.NextIndex())); err != nil {
			return err
		}
		c.Commit()
		if j.NextIndex()-j.Durable() > 100 {
			if err := j.Sync(); err != nil {
				return err
			}
		}
		if durable := j.Durable(); durable > 200 && durable%50 == 0 {
			if err := j.WriteSnapshot(durable, snapshotOf("state")); err != nil {
				return err
			}
			if err := j.ReleaseBefore(durable - 150); err != nil {
				return err
			}
		}
	}
}

// TestP1_KilledProcessLosesNothing kills a real process on a real disk in the
// middle of its work, again and again.
func TestP1_KilledProcessLosesNothing(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "journal")
	random := rand.New(rand.NewPCG(1, 1))
	acked := uint64(0)
	for round := range 15 {
		child := exec.Command(os.Args[0])
		child.Env = append(os.Environ(), childDir+"="+dir, childFirst+"="+strconv.FormatUint(acked+1, 10))
		child.Stderr = os.Stderr
		out, err := child.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := child.Start(); err != nil {
			t.Fatal(err)
		}
		lines, dead := bufio.NewScanner(out), false
		for n := random.IntN(60); lines.Scan(); n-- {
			if acked, err = strconv.ParseUint(lines.Text(), 10, 64); err != nil {
				t.Fatal(err)
			}
			if n <= 0 && !dead { // what it still managed to say is read too
				dead = true
				if err := child.Process.Kill(); err != nil {
					t.Fatal(err)
				}
			}
		}
		if _ = child.Wait(); !dead { // its error is that it was killed
			t.Fatalf("round %d: it ended by itself", round)
		}
		r, err := journal.Verify(dir)
		if err != nil || !r.Whole() || r.Held || r.Last < acked {
			t.Fatalf("round %d: %d acknowledged: %+v, %v", round, acked, r, err)
		}
	}
	j := mustOpen(t, dir, journal.Options{SegmentBytes: 16384})
	checkRecords(t, j, j.FirstIndex(), j.LastIndex())
	mustClose(t, j)
	t.Logf("%d records acknowledged", acked)
}

func TestOneOpenerAtATime(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a", "journal")
	j := mustOpen(t, dir, journal.Options{})
	_, err := journal.Open(dir, journal.Options{})
	var locked *journal.LockedError
	if !errors.As(err, &locked) || locked.PID != os.Getpid() || !strings.Contains(err.Error(), strconv.Itoa(os.Getpid())) {
		t.Errorf("a second opener: %v", err)
	}
	child := exec.Command(os.Args[0])
	child.Env = append(os.Environ(), childDir+"="+dir, childFirst+"=1")
	said, err := child.CombinedOutput()
	if err == nil || !strings.Contains(string(said), "in use by process "+strconv.Itoa(os.Getpid())) {
		t.Errorf("another process: %v, %s", err, said)
	}
	if r, err := journal.Verify(dir); err != nil || !r.Held || r.PID != os.Getpid() || !r.Whole() {
		t.Errorf("verify beside it: %+v, %v", r, err)
	}
	mustClose(t, j)
	if r, err := journal.Verify(dir); err != nil || r.Held {
		t.Errorf("verify after it: %+v, %v", r, err)
	}
	mustClose(t, mustOpen(t, dir, journal.Options{}))
}

func TestOnlyTheOwnerMayRead(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "journal")
	j := mustOpen(t, dir, journal.Options{SegmentBytes: 4096})
	fill(t, j, 200, 10)
	if err := j.WriteSnapshot(100, snapshotOf("state")); err != nil {
		t.Fatal(err)
	}
	mustClose(t, j)
	seen := 0
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		want := fs.FileMode(0o600)
		if d.IsDir() {
			want = 0o700
		}
		if got := info.Mode().Perm(); got != want {
			t.Errorf("%s has mode %o", path, got)
		}
		seen++
		return nil
	})
	if err != nil || seen < 5 {
		t.Errorf("%d files, %v", seen, err)
	}
}

func TestSegmentsAreSetAside(t *testing.T) {
	dir := t.TempDir()
	j := mustOpen(t, dir, journal.Options{SegmentBytes: 1 << 20})
	fill(t, j, 3, 1)
	info, err := os.Stat(filepath.Join(dir, "segment-00000000000000000001"))
	if err != nil || info.Size() != 1<<20 {
		t.Errorf("%d bytes, %v", info.Size(), err)
	}
	mustClose(t, j)
}

func TestADirectoryThatIsAFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := journal.Open(path, journal.Options{}); err == nil {
		t.Error("opened a file")
	}
}

func TestUnsafeNoSyncForTestsSyncsNothing(t *testing.T) {
	counted := &countingFS{FS: journal.OS{}}
	dir := t.TempDir()
	j := mustOpen(t, dir, journal.Options{FS: counted, SegmentBytes: 4096, UnsafeNoSyncForTests: true})
	fill(t, j, 500, 10)
	if err := j.ReleaseBefore(300); err != nil {
		t.Fatal(err)
	}
	mustClose(t, j)
	if counted.syncs != 0 {
		t.Errorf("%d syncs", counted.syncs)
	}
	checkRecords(t, mustOpen(t, dir, journal.Options{FS: counted}), 300, 500)
	if counted.syncs == 0 {
		t.Error("no sync by default")
	}
}

// countingFS counts syncs.
type countingFS struct {
	journal.FS
	syncs int
}

func (c *countingFS) SyncDir(dir string) error {
	c.syncs++
	return c.FS.SyncDir(dir)
}

func (c *countingFS) Create(path string) (journal.File, error) { return c.count(c.FS.Create(path)) }
func (c *countingFS) Open(path string) (journal.File, error)   { return c.count(c.FS.Open(path)) }

func (c *countingFS) count(f journal.File, err error) (journal.File, error) {
	if err != nil {
		return nil, err
	}
	return countingFile{f, c}, nil
}

type countingFile struct {
	journal.File
	fs *countingFS
}

func (f countingFile) Sync() error {
	f.fs.syncs++
	return f.File.Sync()
}
