package journal

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"strconv"
	"strings"
)

// Every file of a journal but the lock begins with a header of headerBytes:
//
//	 0  magic     8  which kind of file this is
//	 8  checksum  4  CRC32C of everything after this field
//	12  version   4  of the file's form
//	16  id        8  of the journal
//	24  index     8  segment: its first record; snapshot: the last one in it;
//	                 manifest: the first record of the journal
//	32  chain     4  segment: checksum of the frame before its first; snapshot: of the
//	                 frame of its last record, 0 where that was not known
//	36  state     4  manifest: see there
//	40  last      8  manifest: see there
//	48  extent    8  segment: bytes set aside for it when it was made; manifest: see
//	                 there. 0 from older programs, which did not say
//	56  nothing   8
//
// All versions keep magic, checksum and version where they are.
type header struct {
	magic   string
	version uint32
	id      uint64
	index   uint64
	chain   uint32
	state   uint32
	last    uint64
	extent  uint64
}

const (
	headerBytes   = 64
	headerVersion = 1

	magicSegment  = "LKJRNSEG"
	magicSnapshot = "LKJRNSNP"
	magicManifest = "LKJRNMAN"
)

// encode gives the header's bytes. The version is filled in.
func (h header) encode() []byte {
	b := make([]byte, headerBytes)
	copy(b, h.magic)
	binary.LittleEndian.PutUint32(b[12:], headerVersion)
	binary.LittleEndian.PutUint64(b[16:], h.id)
	binary.LittleEndian.PutUint64(b[24:], h.index)
	binary.LittleEndian.PutUint32(b[32:], h.chain)
	binary.LittleEndian.PutUint32(b[36:], h.state)
	binary.LittleEndian.PutUint64(b[40:], h.last)
	binary.LittleEndian.PutUint64(b[48:], h.extent)
	binary.LittleEndian.PutUint32(b[8:], crc32.Checksum(b[12:], castagnoli()))
	return b
}

// decodeHeader reads the header at the beginning of b, a file at path of the kind
// that magic says. The error is *DamageError or *VersionError.
func decodeHeader(b []byte, path, magic string) (header, error) {
	damage := func(why string) (header, error) {
		return header{}, &DamageError{File: path, Why: why}
	}
	switch {
	case len(b) < headerBytes:
		return damage("shorter than its header")
	case string(b[:8]) != magic:
		return damage("not a file of this kind, or its first bytes are damaged")
	case binary.LittleEndian.Uint32(b[8:]) != crc32.Checksum(b[12:headerBytes], castagnoli()):
		return damage("the header's checksum is wrong")
	}
	h := header{
		magic:   magic,
		version: binary.LittleEndian.Uint32(b[12:]),
		id:      binary.LittleEndian.Uint64(b[16:]),
		index:   binary.LittleEndian.Uint64(b[24:]),
		chain:   binary.LittleEndian.Uint32(b[32:]),
		state:   binary.LittleEndian.Uint32(b[36:]),
		last:    binary.LittleEndian.Uint64(b[40:]),
		extent:  binary.LittleEndian.Uint64(b[48:]),
	}
	if h.version != headerVersion {
		return header{}, &VersionError{File: path, What: "file", Version: h.version}
	}
	return h, nil
}

// The names in a journal's directory. Segments and snapshots carry their index
// with 20 digits, so that their names sort as their indexes do.
const (
	manifestName   = "manifest"
	lockName       = "lock"
	segmentPrefix  = "segment-"
	snapshotPrefix = "snapshot-"
	tempSuffix     = ".tmp"
)

func segmentName(first uint64) string  { return fmt.Sprintf("%s%020d", segmentPrefix, first) }
func snapshotName(index uint64) string { return fmt.Sprintf("%s%020d", snapshotPrefix, index) }

// indexIn reads the index in a name; ok is false for any other name, one with a
// number written differently too.
func indexIn(name, prefix string) (index uint64, ok bool) {
	digits, found := strings.CutPrefix(name, prefix)
	if !found || len(digits) != 20 {
		return 0, false
	}
	index, err := strconv.ParseUint(digits, 10, 64)
	return index, err == nil
}
