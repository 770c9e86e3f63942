package crashfs_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"syscall"
	"testing"

	"github.com/leasekeeper/lkactor/sequencer/journal"
	"github.com/leasekeeper/lkactor/sequencer/journal/crashfs"
)

func must[T any](t testing.TB) func(T, error) T {
	t.Helper()
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// started gives a file system with the durable file /d/f of four sectors of 'a'.
func started(t testing.TB) (*crashfs.FS, journal.File) {
	t.Helper()
	f := crashfs.New(1)
	check(t, f.MkdirAll("/d"))
	file := must[journal.File](t)(f.Create("/d/f"))
	must[int](t)(file.WriteAt(bytes.Repeat([]byte("a"), 2048), 0))
	check(t, file.Sync())
	check(t, f.SyncDir("/d"))
	return f, file
}

// outcomes collects what is found over many seeds.
func outcomes(find func(seed uint64) string) map[string]int {
	all := map[string]int{}
	for seed := range uint64(2000) {
		all[find(seed)]++
	}
	return all
}

func TestSyncedDataSurvives(t *testing.T) {
	f, _ := started(t)
	all := outcomes(func(seed uint64) string { return string(f.PowerLoss(seed).Bytes("/d/f")) })
	if len(all) != 1 || all[string(bytes.Repeat([]byte("a"), 2048))] == 0 {
		t.Errorf("%d outcomes", len(all))
	}
}

// TestUnsyncedSectorsAreLostInAnyCombination wants every subset of four sectors,
// and some torn ones.
func TestUnsyncedSectorsAreLostInAnyCombination(t *testing.T) {
	f, file := started(t)
	must[int](t)(file.WriteAt(bytes.Repeat([]byte("b"), 2048), 0))
	all := outcomes(func(seed uint64) string {
		b := f.PowerLoss(seed).Bytes("/d/f")
		var found string
		for s := range 4 {
			switch sector := b[s*512 : (s+1)*512]; {
			case bytes.Count(sector, []byte("a")) == 512:
				found += "a"
			case bytes.Count(sector, []byte("b")) == 512:
				found += "b"
			default:
				return "torn"
			}
		}
		return found
	})
	if len(all) != 17 || all["aaaa"] == 0 || all["bbbb"] == 0 || all["torn"] == 0 {
		t.Errorf("%v", all)
	}
	if seen := f.Kill(1).Bytes("/d/f"); !bytes.Equal(seen, bytes.Repeat([]byte("b"), 2048)) {
		t.Error("a kill has lost what was written")
	}
}

func TestUnsyncedLengths(t *testing.T) {
	f, file := started(t)
	check(t, file.Truncate(100))
	check(t, file.Preallocate(3000))
	all := outcomes(func(seed uint64) string {
		b := f.PowerLoss(seed).Bytes("/d/f")
		return fmt.Sprint(len(b), bytes.Count(b, []byte("a")))
	})
	if len(all) != 3 || all["2048 2048"] == 0 || all["100 100"] == 0 || all["3000 100"] == 0 {
		t.Errorf("%v", all)
	}
}

// TestNamesAreLostByThemselves wants a file's name to depend on its directory's
// sync and not on its own.
func TestNamesAreLostByThemselves(t *testing.T) {
	f, _ := started(t)
	g := must[journal.File](t)(f.Create("/d/g"))
	must[int](t)(g.WriteAt([]byte("new"), 0))
	check(t, g.Sync())
	check(t, f.Rename("/d/g", "/d/h"))
	check(t, f.Remove("/d/f"))
	names := func(seed uint64) string { return fmt.Sprint(must[[]string](t)(f.PowerLoss(seed).List("/d"))) }
	all := outcomes(names)
	for _, want := range []string{"[f]", "[]", "[f g]", "[g]", "[f h]", "[h]"} {
		if all[want] == 0 {
			t.Errorf("never %s: %v", want, all)
		}
	}
	check(t, f.SyncDir("/d"))
	if all := outcomes(names); len(all) != 1 || all["[h]"] == 0 {
		t.Errorf("after the sync: %v", all)
	}
	if b := f.PowerLoss(1).Bytes("/d/h"); string(b) != "new" {
		t.Errorf("%q", b)
	}
}

// TestAFailedSyncGivesUp: a later sync that succeeds does not bring back what the
// failed one has lost.
func TestAFailedSyncGivesUp(t *testing.T) {
	lost, misled := 0, 0
	for seed := range uint64(300) {
		f, _ := started(t)
		f = f.Clone(seed)
		file := must[journal.File](t)(f.Open("/d/f"))
		must[int](t)(file.WriteAt([]byte("b"), 700))
		f.FailAt(2, syscall.EIO)
		if err := file.Sync(); !errors.Is(err, syscall.EIO) {
			t.Fatal(err)
		}
		check(t, file.Sync())
		seen, kept := f.Bytes("/d/f")[700], f.PowerLoss(seed).Bytes("/d/f")[700]
		if kept == 'a' {
			lost++
			if seen == 'b' {
				misled++
			}
		}
		must[int](t)(file.WriteAt([]byte("c"), 700)) // written again, it is kept
		check(t, file.Sync())
		if kept := f.PowerLoss(seed).Bytes("/d/f")[700]; kept != 'c' {
			t.Fatal("lost after a sync that succeeded")
		}
	}
	if lost == 0 || lost == 300 || misled == 0 || misled == lost {
		t.Errorf("lost %d of 300, %d of them still seen", lost, misled)
	}
}

func TestFailuresAndWhatTheyLeave(t *testing.T) {
	prefixes := map[int]bool{}
	for seed := range uint64(300) {
		f, _ := started(t)
		f = f.Clone(seed)
		file := must[journal.File](t)(f.Open("/d/f"))
		f.FailAt(1, syscall.ENOSPC)
		if _, err := file.WriteAt([]byte("bbb"), 2048); !errors.Is(err, syscall.ENOSPC) {
			t.Fatal(err)
		}
		prefixes[len(f.Bytes("/d/f"))-2048] = true
	}
	if len(prefixes) != 4 {
		t.Errorf("prefixes %v", prefixes)
	}
	f := crashfs.New(1)
	check(t, f.MkdirAll("/d"))
	f.FailAt(2, syscall.ENOSPC)
	if _, err := f.Create("/d/f"); !errors.Is(err, syscall.ENOSPC) || f.Bytes("/d/f") != nil {
		t.Error(err)
	}
}

func TestTheOperationUnderWayIsDoneOrNot(t *testing.T) {
	f, _ := started(t)
	all := map[string]int{}
	f.Before(func(op crashfs.Op) {
		if op.Verb != "rename" || op.Path != "/d/f" || op.Number != f.Ops() {
			t.Errorf("%+v", op)
		}
		all = outcomes(func(seed uint64) string { return fmt.Sprint(must[[]string](t)(f.Kill(seed).List("/d"))) })
	})
	check(t, f.Rename("/d/f", "/d/g"))
	if len(all) != 2 || all["[f]"] == 0 || all["[g]"] == 0 {
		t.Errorf("%v", all)
	}
}

func TestSameSeedSameCrash(t *testing.T) {
	f, file := started(t)
	must[int](t)(file.WriteAt(bytes.Repeat([]byte("b"), 2048), 100))
	for seed := range uint64(50) {
		if !bytes.Equal(f.PowerLoss(seed).Bytes("/d/f"), f.PowerLoss(seed).Bytes("/d/f")) {
			t.Fatalf("seed %d", seed)
		}
	}
}

func TestFilesAndLocks(t *testing.T) {
	f, file := started(t)
	b := make([]byte, 3000)
	if n, err := file.ReadAt(b, 2000); n != 48 || !errors.Is(err, io.EOF) {
		t.Error(n, err)
	}
	if n, err := file.ReadAt(b, 9999); n != 0 || !errors.Is(err, io.EOF) {
		t.Error(n, err)
	}
	if size, err := file.Size(); size != 2048 || err != nil {
		t.Error(size, err)
	}
	check(t, file.Close())
	if _, err := file.ReadAt(b, 0); err == nil {
		t.Error("read from a closed file")
	}
	if _, err := file.WriteAt(b, 0); err == nil {
		t.Error("wrote to a closed file")
	}
	for _, err := range []error{
		f.Remove("/d/none"), f.Rename("/d/none", "/d/x"), f.SyncDir("/none"), ignore(f.Open("/d/none")),
		ignore(f.Create("/none/x")), ignore(f.List("/none")), ignore(f.Lock("/none/lock")),
	} {
		if !errors.Is(err, fs.ErrNotExist) {
			t.Error(err)
		}
	}
	lock := must[journal.Lock](t)(f.Lock("/d/lock"))
	var locked *journal.LockedError
	if _, err := f.Lock("/d/lock"); !errors.As(err, &locked) {
		t.Error(err)
	}
	if _, held, err := f.Holder("/d/lock"); !held || err != nil {
		t.Error(held, err)
	}
	if _, held, _ := f.Kill(1).Holder("/d/lock"); held {
		t.Error("a dead process holds a lock")
	}
	check(t, lock.Close())
	check(t, must[journal.Lock](t)(f.Lock("/d/lock")).Close())
}

func ignore[T any](_ T, err error) error { return err }
