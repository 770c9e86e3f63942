package journal

import (
	"encoding/binary"
	"hash/crc32"
	"sync"
)

// A frame is a record as it lies in a segment, little-endian:
//
//	 0  checksum  4  CRC32C of the journal's id and of everything after this field
//	 4  previous  4  checksum of the frame before, across segments too
//	 8  index     8  of the record; of the next record in an end mark or a seal
//	16  length    4  of the record
//	20  version   1  of the frame's form
//	21  kind      1  record, end mark or seal
//	22  unsynced  2  how many records right before this one were not durable when
//	                 it was written: they are its group, and go to disk with it
//	24  record
//
// Carrying previous makes every frame check itself, so that one can be told for
// what it is after a bad one, and makes the order part of what is checked.
// Carrying unsynced is what tells a torn tail from damage: see tail.go.
//
// All versions keep checksum, version and kind where they are, so that an unknown
// version is known to be one and not a flipped bit.
type frame struct {
	checksum uint32
	previous uint32
	index    uint64
	length   uint32
	version  uint8
	kind     kind
	unsynced uint16
}

const (
	frameVersion = 1
	frameBytes   = 24 // what a frame takes beside its record
)

// kind says what a frame is for.
type kind uint8

const (
	// kindRecord holds a record.
	kindRecord kind = 1
	// kindEnd says that everything before it was durable when it was written, by
	// Close. It holds no record; the next frame is written over it.
	kindEnd kind = 2
	// kindSeal says the same, and that another segment follows: if there is none,
	// one is missing.
	kindSeal kind = 3
)

// castagnoli is made when it is first needed: that takes longer than all else that
// happens before main, and most programs that could open a journal do not.
var castagnoli = sync.OnceValue(func() *crc32.Table { return crc32.MakeTable(crc32.Castagnoli) })

// seedOf turns a journal's id into what its checksums start from, so that a frame
// of another journal is none in this one.
func seedOf(id uint64) uint32 {
	var b [8]byte
	binary.LittleEndian.PutUint64(b[:], id)
	return crc32.Update(0, castagnoli(), b[:])
}

// group gives the index of the first record that became durable together with
// this frame. Every record before that one was durable before this was written.
func (f frame) group() uint64 { return f.index - uint64(f.unsynced) }

// size gives the bytes that the frame takes.
func (f frame) size() int64 { return frameBytes + int64(f.length) }

// appendFrame adds a frame to buf and returns it together with the checksum,
// which is the previous of the next. Checksum, length and version are filled in.
func appendFrame(buf []byte, seed uint32, f frame, record []byte) ([]byte, uint32) {
	start := len(buf)
	buf = append(buf, 0, 0, 0, 0)
	buf = binary.LittleEndian.AppendUint32(buf, f.previous)
	buf = binary.LittleEndian.AppendUint64(buf, f.index)
	buf = binary.LittleEndian.AppendUint32(buf, uint32(len(record)))
	buf = append(buf, frameVersion, byte(f.kind))
	buf = binary.LittleEndian.AppendUint16(buf, f.unsynced)
	buf = append(buf, record...)
	sum := crc32.Update(seed, castagnoli(), buf[start+4:])
	binary.LittleEndian.PutUint32(buf[start:], sum)
	return buf, sum
}

// parseFrame reads the fields of a frame from its first frameBytes bytes. It
// checks nothing.
func parseFrame(b []byte) frame {
	_ = b[frameBytes-1]
	return frame{
		checksum: binary.LittleEndian.Uint32(b[0:]),
		previous: binary.LittleEndian.Uint32(b[4:]),
		index:    binary.LittleEndian.Uint64(b[8:]),
		length:   binary.LittleEndian.Uint32(b[16:]),
		version:  b[20],
		kind:     kind(b[21]),
		unsynced: binary.LittleEndian.Uint16(b[22:]),
	}
}

// holds says whether the frame's checksum is that of b, the whole frame.
func (f frame) holds(seed uint32, b []byte) bool {
	return f.checksum == crc32.Update(seed, castagnoli(), b[4:])
}

// known says whether this program can tell what the frame means.
func (f frame) known() bool {
	return f.version == frameVersion && f.kind >= kindRecord && f.kind <= kindSeal
}
