package journal_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/leasekeeper/lkactor/sequencer/journal"
	"github.com/leasekeeper/lkactor/sequencer/journal/crashfs"
)

// withSnapshots makes a journal of 40 records with snapshots of 10, 20 and 30.
func withSnapshots(t testing.TB) (*crashfs.FS, *journal.Journal) {
	t.Helper()
	fs := crashfs.New(1)
	j := mustOpen(t, dir, options(fs, 1024))
	fill(t, j, 40, 4)
	for _, index := range []uint64{10, 20, 30} {
		if err := j.WriteSnapshot(index, snapshotOf(fmt.Sprint("state ", index))); err != nil {
			t.Fatal(err)
		}
	}
	return fs, j
}

func readSnapshot(j *journal.Journal, index uint64) ([]byte, error) {
	r, err := j.OpenSnapshot(index)
	if err != nil {
		return nil, err
	}
	text, err := io.ReadAll(r)
	if closed := r.Close(); err == nil {
		err = closed
	}
	return text, err
}

func TestSnapshotsNewestFirst(t *testing.T) {
	_, j := withSnapshots(t)
	whole, broken, err := j.Snapshots()
	if err != nil || len(broken) != 0 || len(whole) != 3 || whole[0].Index != 30 || whole[2].Index != 10 {
		t.Fatalf("%v, broken %v, %v", whole, broken, err)
	}
	for _, s := range whole {
		text, err := readSnapshot(j, s.Index)
		if err != nil || string(text) != fmt.Sprint("state ", s.Index) {
			t.Errorf("snapshot %d: %q, %v", s.Index, text, err)
		}
	}
	if _, err := j.OpenSnapshot(11); !errors.Is(err, journal.ErrNotFound) {
		t.Errorf("snapshot 11: %v", err)
	}
}

func TestSnapshotOfAnyLength(t *testing.T) {
	j := mustOpen(t, dir, options(crashfs.New(1), 1024))
	fill(t, j, 9, 1)
	const chunk = 256 << 10
	for i, size := range []int{0, 1, chunk - 1, chunk, chunk + 1, 3*chunk + 17} {
		text := bytes.Repeat([]byte{byte(i), 'x', 0}, size/3+1)[:size]
		index := uint64(i + 1)
		err := j.WriteSnapshot(index, func(w io.Writer) error {
			for rest := text; len(rest) > 0; { // in pieces that fit no chunk
				n, err := w.Write(rest[:min(len(rest), 100_003)])
				if err != nil {
					return err
				}
				rest = rest[n:]
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		got, err := readSnapshot(j, index)
		if err != nil || !bytes.Equal(got, text) {
			t.Errorf("%d bytes came back as %d: %v", size, len(got), err)
		}
	}
}

func TestSnapshotOnlyOfWhatIsDurable(t *testing.T) {
	j := mustOpen(t, dir, options(crashfs.New(1), 1024))
	mustAppend(t, j, record(1))
	if err := j.WriteSnapshot(1, snapshotOf("early")); !errors.Is(err, journal.ErrNotFound) {
		t.Errorf("a snapshot of what is not durable: %v", err)
	}
}

func TestSnapshotThatCannotBeMadeLeavesNothing(t *testing.T) {
	fs, j := withSnapshots(t)
	refusal := errors.New("no state today")
	err := j.WriteSnapshot(40, func(w io.Writer) error {
		_, _ = io.WriteString(w, "half of it") // the error comes next
		return refusal
	})
	if !errors.Is(err, refusal) || j.Err() != nil {
		t.Fatalf("%v, journal %v", err, j.Err())
	}
	for name := range files(t, fs) {
		if strings.HasSuffix(name, ".tmp") {
			t.Errorf("%s is left", name)
		}
	}
	fill(t, j, 45, 1)
}

// TestSnapshotEveryByteFlippedOrCut wants each byte of a snapshot to matter, and
// the ones before it to be offered instead.
func TestSnapshotEveryByteFlippedOrCut(t *testing.T) {
	fs, j := withSnapshots(t)
	mustClose(t, j)
	all := files(t, fs)
	name := "snapshot-00000000000000000030"
	whole := all[name]
	check := func(what string, content []byte) {
		t.Helper()
		all[name] = content
		j := mustOpen(t, dir, options(withFiles(all), 1024))
		snapshots, broken, err := j.Snapshots()
		if err != nil || len(broken) != 1 || len(snapshots) != 2 || snapshots[0].Index != 20 {
			t.Fatalf("%s: %v, broken %v, %v", what, snapshots, broken, err)
		}
		if damage := damageIn(broken[0]); damage == nil || !strings.HasSuffix(damage.File, name) {
			t.Fatalf("%s: %v", what, broken[0])
		}
		if _, err := readSnapshot(j, 30); damageIn(err) == nil {
			t.Fatalf("%s: read as whole: %v", what, err)
		}
	}
	for at := range whole {
		flipped := bytes.Clone(whole)
		flipped[at] ^= 1 << (at % 8)
		check(fmt.Sprint("flipped ", at), flipped)
		check(fmt.Sprint("cut ", at), whole[:at])
	}
	check("longer", append(bytes.Clone(whole), 0))
	check("of another record", all["snapshot-00000000000000000020"])
}

// TestP1_ASnapshotAheadOfTheRecords means that acknowledged records are gone.
func TestP1_ASnapshotAheadOfTheRecords(t *testing.T) {
	fs, j := withSnapshots(t)
	mustClose(t, j)
	all := files(t, fs)
	for name, content := range all {
		if strings.HasPrefix(name, "segment-") {
			if first, offsets := ends(content); first <= 30 && first+uint64(len(offsets)) > 30 {
				clear(content[offsets[29-first]:])
			} else if first > 30 {
				delete(all, name)
			}
		}
	}
	if _, err := journal.Open(dir, options(withFiles(all), 1024)); damageIn(err) == nil {
		t.Errorf("opened with records up to 29 and a snapshot of 30: %v", err)
	}
}

func TestReleaseGivesSpaceBack(t *testing.T) {
	fs, j := withSnapshots(t)
	before := j.Stats()
	for _, at := range []uint64{1, 2, 31, 20, 31, 41} {
		if err := j.ReleaseBefore(at); err != nil {
			t.Fatalf("release before %d: %v", at, err)
		}
	}
	if after := j.Stats(); after.Segments != 1 || before.Segments < 3 {
		t.Errorf("%+v became %+v", before, after)
	}
	if err := j.ReleaseBefore(42); err == nil {
		t.Error("released what does not exist")
	}
	if err := j.ReleaseSnapshotsBefore(30); err != nil {
		t.Fatal(err)
	}
	if j.FirstIndex() != 0 || j.LastIndex() != 0 || j.NextIndex() != 41 || j.Durable() != 40 {
		t.Errorf("first %d, last %d, next %d, durable %d", j.FirstIndex(), j.LastIndex(), j.NextIndex(), j.Durable())
	}
	fill(t, j, 60, 3)
	checkRecords(t, j, 41, 60)
	if err := j.Replay(40, 50, nil); !errors.Is(err, journal.ErrNotFound) {
		t.Errorf("replay from before the first: %v", err)
	}
	mustClose(t, j)
	j = mustOpen(t, dir, options(fs, 1024))
	checkRecords(t, j, 41, 60)
	if whole, _, err := j.Snapshots(); err != nil || len(whole) != 1 || whole[0].Index != 30 {
		t.Errorf("snapshots %v, %v", whole, err)
	}
}

func TestTruncateAndReset(t *testing.T) {
	fs := crashfs.New(1)
	j := mustOpen(t, dir, options(fs, 1024))
	fill(t, j, 100, 5)
	last := uint64(100)
	for _, at := range []uint64{100, 99, 60, 3, 0} {
		if err := j.TruncateAfter(at); err != nil {
			t.Fatalf("truncate after %d: %v", at, err)
		}
		checkRecords(t, j, 1, at)
		last = at + 20
		fill(t, j, last, 3)
		checkRecords(t, j, 1, last)
	}
	if err := j.TruncateAfter(last + 1); err == nil {
		t.Error("truncated after what does not exist")
	}
	for _, next := range []uint64{1000, 5} {
		if err := j.Reset(next); err != nil {
			t.Fatal(err)
		}
		if j.FirstIndex() != 0 || j.NextIndex() != next {
			t.Errorf("first %d, next %d", j.FirstIndex(), j.NextIndex())
		}
		fill(t, j, next+50, 4)
		checkRecords(t, j, next, next+50)
	}
	if err := j.WriteSnapshot(30, snapshotOf("state")); err != nil {
		t.Fatal(err)
	}
	if err := j.TruncateAfter(29); !errors.Is(err, journal.ErrSnapshotted) {
		t.Errorf("truncated below a snapshot: %v", err)
	}
	if err := j.Reset(30); !errors.Is(err, journal.ErrSnapshotted) {
		t.Errorf("reset below a snapshot: %v", err)
	}
	if err := j.Reset(0); err == nil {
		t.Error("reset to record 0")
	}
	mustClose(t, j)
	checkRecords(t, mustOpen(t, dir, options(fs, 1024)), 5, 55)
}
