package journal_test

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"hash/crc32"
	"strings"
	"testing"

	"github.com/leasekeeper/lkactor/sequencer/journal"
	"github.com/leasekeeper/lkactor/sequencer/journal/crashfs"
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// reframe gives a frame its right checksum again.
func reframe(frame []byte, id uint64) {
	seed := crc32.Checksum(binary.LittleEndian.AppendUint64(nil, id), castagnoli)
	binary.LittleEndian.PutUint32(frame, crc32.Update(seed, castagnoli, frame[4:]))
}

// rehead gives a file's header its right checksum again.
func rehead(content []byte) {
	binary.LittleEndian.PutUint32(content[8:], crc32.Checksum(content[12:64], castagnoli))
}

// TestP1_UnknownVersion wants a clear error wherever a newer program may have
// left something.
func TestP1_UnknownVersion(t *testing.T) {
	const id = 0x1d1d1d1d // of options
	fs, j := withSnapshots(t)
	mustClose(t, j)
	open := func(name string, change func(content []byte)) error {
		all := files(t, fs)
		change(all[name])
		j, err := journal.Open(dir, options(withFiles(all), 1024))
		if err == nil {
			var broken []error
			_, broken, err = j.Snapshots()
			err = errors.Join(append(broken, err)...)
		}
		return err
	}
	want := func(name string, offset int64, err error) {
		t.Helper()
		var version *journal.VersionError
		if !errors.As(err, &version) || version.Version != 9 || version.Offset != offset ||
			!strings.HasSuffix(version.File, name) || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, name := range []string{"manifest", "segment-00000000000000000001", "snapshot-00000000000000000020"} {
		want(name, 0, open(name, func(content []byte) {
			content[12] = 9
			rehead(content)
		}))
	}
	for _, name := range []string{"segment-00000000000000000001", newestSegment(segmentsOf(t, fs))} {
		_, offsets := ends(fs.Bytes(dir + "/" + name))
		want(name, int64(offsets[0]), open(name, func(content []byte) {
			frame := content[offsets[0]:offsets[1]]
			frame[20] = 9
			reframe(frame, id)
		}))
	}
}

func segmentsOf(t testing.TB, fs *crashfs.FS) map[string][]byte {
	t.Helper()
	all := files(t, fs)
	for name := range all {
		if !strings.HasPrefix(name, "segment-") {
			delete(all, name)
		}
	}
	return all
}

// TestFormatStays compares every byte of a small journal with what version 1 has
// always written: a change here makes every existing journal unreadable and needs
// a new version.
func TestFormatStays(t *testing.T) {
	fs := crashfs.New(1)
	j := mustOpen(t, dir, options(fs, 256))
	for _, text := range []string{"one", "", "three"} {
		mustAppend(t, j, []byte(text))
	}
	mustSync(t, j)
	if err := j.WriteSnapshot(2, snapshotOf("state")); err != nil {
		t.Fatal(err)
	}
	mustClose(t, j)
	const headEnd = "000000000000000000000000" + "00000000000000000000000000000000"
	for name, want := range map[string]string{
		// magic, checksum, version, id, index; zeros; what was durable at the close
		"manifest": "4c4b4a524e4d414e" + "de8d56af" + "01000000" + "1d1d1d1d00000000" + "0100000000000000" +
			"00000000000000000000000000000000" + "03",
		// The header likewise, with the bytes set aside, then frames: checksum, previous, index, length,
		// version, kind, unsynced, record. The fourth is the end mark.
		"segment-00000000000000000001": "4c4b4a524e534547" + "2c1020db" + "01000000" + "1d1d1d1d00000000" + "0100000000000000" +
			"00000000000000000000000000000000" + "0001000000000000" + "0000000000000000" +
			"8717a34d" + "00000000" + "0100000000000000" + "03000000" + "01" + "01" + "0000" + "6f6e65" +
			"01b093a9" + "8717a34d" + "0200000000000000" + "00000000" + "01" + "01" + "0100" +
			"7277b46c" + "01b093a9" + "0300000000000000" + "05000000" + "01" + "01" + "0200" + "7468726565" +
			"35cbccd8" + "7277b46c" + "0400000000000000" + "00000000" + "01" + "02",
		// The header, with the checksum of record 2, then chunks: checksum, length, data.
		"snapshot-00000000000000000002": "4c4b4a524e534e50" + "a0a7c6d5" + "01000000" + "1d1d1d1d00000000" + "0200000000000000" + "01b093a9" + headEnd +
			"98852dc8" + "05000000" + "7374617465" + "74b7c844" + "00000000" + "05",
	} {
		got := hex.EncodeToString(bytes.TrimRight(fs.Bytes(dir+"/"+name), "\x00"))
		if got != want {
			t.Errorf("%s is\n%s, want\n%s", name, got, want)
		}
	}
}
