package journal

import (
	"encoding/binary"
	"hash/crc32"
	"io"
)

// A snapshot is a header and then chunks:
//
//	0  checksum  4  CRC32C of all chunks so far, from the header's checksum on,
//	                without the checksum fields
//	4  length    4  of the data; 0 in the last chunk
//	8  data         in the last chunk 8 bytes, the length of all data together
//
// Nothing follows the last chunk. A snapshot cut short, even between two chunks,
// lacks it.
const (
	chunkHeaderBytes = 8
	chunkEndBytes    = chunkHeaderBytes + 8
)

// sealChunk fills in the header of chunk, whose data begins after it, and returns
// the running checksum. length is what the header says.
func sealChunk(chunk []byte, sum, length uint32) uint32 {
	binary.LittleEndian.PutUint32(chunk[4:], length)
	sum = crc32.Update(sum, castagnoli(), chunk[4:])
	binary.LittleEndian.PutUint32(chunk, sum)
	return sum
}

// chunkWriter writes a snapshot's data to a file.
type chunkWriter struct {
	file  File
	at    int64
	sum   uint32
	total uint64
	chunk []byte // the header's room, then data
	err   error  // the first; it stays

	sync     func(File) error
	unsynced int // bytes since the last sync
}

// newChunkWriter begins with the header. What is written is synced every now and then:
// a large snapshot that is handed to the disk all at once would make every sync of the
// newest segment wait for it.
func newChunkWriter(f File, head []byte, sync func(File) error) (*chunkWriter, error) {
	if _, err := f.WriteAt(head, 0); err != nil {
		return nil, err
	}
	return &chunkWriter{
		file: f, at: int64(len(head)), sum: crc32.Checksum(head, castagnoli()),
		chunk: make([]byte, chunkHeaderBytes, chunkHeaderBytes+snapshotChunkBytes), sync: sync,
	}, nil
}

// Write implements io.Writer.
func (w *chunkWriter) Write(p []byte) (int, error) {
	written := 0
	for len(p) > 0 && w.err == nil {
		n := min(len(p), cap(w.chunk)-len(w.chunk))
		w.chunk = append(w.chunk, p[:n]...)
		p = p[n:]
		written += n
		if len(w.chunk) == cap(w.chunk) {
			w.flush()
		}
	}
	return written, w.err
}

func (w *chunkWriter) flush() {
	n := len(w.chunk) - chunkHeaderBytes
	if n == 0 || w.err != nil {
		return
	}
	w.sum = sealChunk(w.chunk, w.sum, uint32(n))
	w.put()
	w.total += uint64(n)
}

func (w *chunkWriter) put() {
	n, err := w.file.WriteAt(w.chunk, w.at)
	w.at += int64(n)
	w.unsynced += n
	if err == nil && w.unsynced >= snapshotSyncBytes {
		w.unsynced, err = 0, w.sync(w.file)
	}
	w.err = err
	w.chunk = w.chunk[:chunkHeaderBytes]
}

// finish writes what is left and the last chunk.
func (w *chunkWriter) finish() error {
	w.flush()
	if w.err != nil {
		return w.err
	}
	w.chunk = binary.LittleEndian.AppendUint64(w.chunk[:chunkHeaderBytes], w.total)
	w.sum = sealChunk(w.chunk, w.sum, 0)
	w.put()
	return w.err
}

// chunkReader reads a snapshot's data back. It lends out no byte that has not
// been checked, and says io.EOF only when the whole of it has been.
type chunkReader struct {
	win   *window
	path  string
	index uint64
	at    int64
	sum   uint32
	total uint64
	data  []byte // checked, not yet read
	ended bool
}

// Read implements io.Reader. An error other than io.EOF is *DamageError or the
// file system's.
func (r *chunkReader) Read(p []byte) (int, error) {
	for len(r.data) == 0 {
		if r.ended {
			return 0, io.EOF
		}
		if err := r.next(); err != nil {
			return 0, err
		}
	}
	n := copy(p, r.data)
	r.data = r.data[n:]
	return n, nil
}

// next checks the chunk that comes next.
func (r *chunkReader) next() error {
	b, _, err := r.win.from(r.at, chunkEndBytes)
	if err != nil {
		return err
	}
	if len(b) <= chunkHeaderBytes {
		return r.damage("the snapshot ends before its last chunk")
	}
	length := binary.LittleEndian.Uint32(b[4:])
	if length > snapshotChunkBytes {
		return r.damage("no chunk is that long")
	}
	size := chunkHeaderBytes + int(length)
	if length == 0 {
		size = chunkEndBytes
	}
	b, _, err = r.win.from(r.at, size)
	if err != nil {
		return err
	}
	if len(b) < size {
		return r.damage("the chunk is longer than the file")
	}
	b = b[:size]
	sum := crc32.Update(r.sum, castagnoli(), b[4:])
	if sum != binary.LittleEndian.Uint32(b) {
		return r.damage("the checksum is wrong")
	}
	r.sum = sum
	if length == 0 {
		return r.finish(b)
	}
	r.at += int64(size)
	r.data = b[chunkHeaderBytes:]
	r.total += uint64(length)
	return nil
}

// finish checks the last chunk.
func (r *chunkReader) finish(b []byte) error {
	if binary.LittleEndian.Uint64(b[chunkHeaderBytes:]) != r.total {
		return r.damage("the length of all data together is wrong")
	}
	r.at += chunkEndBytes
	if r.at != r.win.size {
		return r.damage("something follows the last chunk")
	}
	r.ended = true
	return nil
}

func (r *chunkReader) damage(why string) error {
	return &DamageError{File: r.path, Offset: r.at, Index: r.index, Why: why}
}
