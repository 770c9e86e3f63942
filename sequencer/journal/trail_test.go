package journal_test

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"strings"
	"testing"

	"github.com/leasekeeper/lkactor/sequencer/journal/crashfs"
)

// TestSnapshotOfAnotherHistory puts a snapshot into a directory that shares its id and its
// first records with the one it is of: it is told, but for one of older programs, which
// does not say. One whose last record is shared is of both.
func TestSnapshotOfAnotherHistory(t *testing.T) {
	shared := crashfs.New(1)
	j := mustOpen(t, dir, options(shared, 1024))
	fill(t, j, 20, 3)
	mustClose(t, j)
	name := func(index string) string { return "snapshot-000000000000000000" + index }
	history := func(text string) map[string][]byte {
		fs := shared.Clone(2)
		j := mustOpen(t, dir, options(fs, 1024))
		if err := j.WriteSnapshot(20, snapshotOf("both")); err != nil {
			t.Fatal(err)
		}
		for range 20 {
			mustAppend(t, j, []byte(text))
		}
		mustSync(t, j)
		if err := j.WriteSnapshot(30, snapshotOf(text)); err != nil {
			t.Fatal(err)
		}
		mustClose(t, j)
		return files(t, fs)
	}
	ours, theirs := history("ours"), history("theirs")
	for _, c := range []struct {
		index  string
		silent bool
		broken int
	}{{"30", false, 1}, {"30", true, 0}, {"20", false, 0}} {
		ours := withFiles(ours)
		snapshot := bytes.Clone(theirs[name(c.index)])
		if c.silent {
			binary.LittleEndian.PutUint32(snapshot[32:], 0)
			rehead(snapshot)
			rechunk(snapshot)
		}
		ours.Put(dir+"/"+name(c.index), snapshot)
		v := mustLook(t, ours)
		if n := len(v.Report.Broken); n != c.broken {
			t.Errorf("%+v: a look has %v", c, v.Report.Broken)
		}
		whole, broken, err := mustOpen(t, dir, options(ours, 1024)).Snapshots()
		if err != nil || len(broken) != c.broken || len(whole) != 2-c.broken {
			t.Errorf("%+v: %v, %v, %v", c, whole, broken, err)
		}
		if c.broken == 1 && !strings.Contains(broken[0].Error(), "another history") {
			t.Error(broken[0])
		}
	}
}

// rechunk makes the checksums of a snapshot's chunks right again, for one of two chunks.
func rechunk(b []byte) {
	castagnoli := crc32.MakeTable(crc32.Castagnoli)
	sum := crc32.Checksum(b[:64], castagnoli)
	end := 64 + 8 + int(binary.LittleEndian.Uint32(b[68:]))
	for _, chunk := range [][]byte{b[64:end], b[end:]} {
		sum = crc32.Update(sum, castagnoli, chunk[4:])
		binary.LittleEndian.PutUint32(chunk, sum)
	}
}
