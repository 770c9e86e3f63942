package journal_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"testing"

	"github.com/leasekeeper/lkactor/sequencer/journal"
	"github.com/leasekeeper/lkactor/sequencer/journal/crashfs"
)

// dir is where the tests keep a journal in memory.
const dir = "/data/journal"

// options are those of the tests in memory: small segments, and the same bytes
// each time.
func options(fs journal.FS, segmentBytes int64) journal.Options {
	return journal.Options{FS: fs, SegmentBytes: segmentBytes, ID: 0x1d1d1d1d}
}

func mustOpen(t testing.TB, dir string, o journal.Options) *journal.Journal {
	t.Helper()
	j, err := journal.Open(dir, o)
	if err != nil {
		t.Fatalf("open: %v", err)
	}
	return j
}

func mustClose(t testing.TB, j *journal.Journal) {
	t.Helper()
	if err := j.Close(); err != nil {
		t.Fatalf("close: %v", err)
	}
}

func mustSync(t testing.TB, j *journal.Journal) {
	t.Helper()
	if err := j.Sync(); err != nil {
		t.Fatalf("sync: %v", err)
	}
}

func mustAppend(t testing.TB, j *journal.Journal, record []byte) uint64 {
	t.Helper()
	index, err := j.Append(record)
	if err != nil {
		t.Fatalf("append: %v", err)
	}
	return index
}

// record gives the content that the tests give to record index: of different
// lengths, none among them, with zeros in some.
func record(index uint64) []byte {
	text := fmt.Sprintf("record %d ", index)
	switch index % 7 {
	case 3:
		return nil
	case 5:
		return append([]byte(text), make([]byte, 40)...)
	}
	return bytes.Repeat([]byte(text), int(index%4)+1)
}

// fill appends records up to and with last, group by group of up to size records.
func fill(t testing.TB, j *journal.Journal, last uint64, size int) {
	t.Helper()
	for j.NextIndex() <= last {
		for i := 0; i < size && j.NextIndex() <= last; i++ {
			mustAppend(t, j, record(j.NextIndex()))
		}
		mustSync(t, j)
	}
}

// contents reads every record; the first has index first.
func contents(t testing.TB, j *journal.Journal) (first uint64, records [][]byte) {
	t.Helper()
	first = j.FirstIndex()
	err := j.Replay(max(first, 1), j.Durable(), func(index uint64, record []byte) error {
		if index != first+uint64(len(records)) {
			return fmt.Errorf("record %d after %d others from %d", index, len(records), first)
		}
		records = append(records, bytes.Clone(record))
		return nil
	})
	if err != nil && first != 0 {
		t.Fatalf("replay: %v", err)
	}
	return first, records
}

// checkRecords wants exactly the records first..last, as record gives them; none
// when last is before first.
func checkRecords(t testing.TB, j *journal.Journal, first, last uint64) {
	t.Helper()
	from, records := contents(t, j)
	if last < first {
		if from != 0 || len(records) != 0 {
			t.Fatalf("%d records from %d, want none", len(records), from)
		}
		return
	}
	if from != first || uint64(len(records)) != last-first+1 {
		t.Fatalf("%d records from %d, want %d to %d", len(records), from, first, last)
	}
	for i, got := range records {
		if want := record(first + uint64(i)); !bytes.Equal(got, want) {
			t.Fatalf("record %d is %q, want %q", first+uint64(i), got, want)
		}
	}
}

// files gives the content of every file of a journal in memory.
func files(t testing.TB, fs *crashfs.FS) map[string][]byte {
	t.Helper()
	names, err := fs.List(dir)
	if err != nil {
		t.Fatal(err)
	}
	all := map[string][]byte{}
	for _, name := range names {
		all[name] = fs.Bytes(dir + "/" + name)
	}
	return all
}

// withFiles makes a file system that holds these.
func withFiles(all map[string][]byte) *crashfs.FS {
	fs := crashfs.New(1)
	for name, content := range all {
		fs.Put(dir+"/"+name, content)
	}
	return fs
}

func snapshotOf(text string) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := io.WriteString(w, text)
		return err
	}
}

func damageIn(err error) *journal.DamageError {
	var damage *journal.DamageError
	if errors.As(err, &damage) {
		return damage
	}
	return nil
}
