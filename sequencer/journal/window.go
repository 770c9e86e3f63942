package journal

import (
	"errors"
	"io"
)

// window reads a file front to back and lends out stretches of it. The bytes lent
// are good until the next call.
type window struct {
	file io.ReaderAt
	size int64 // how much of the file there is to read
	lot  int64 // how much to read at once
	buf  []byte
	at   int64 // offset of buf[0] in the file
}

func newWindow(file io.ReaderAt, size int64) *window {
	return &window{file: file, size: size, lot: windowBytes}
}

// from gives the bytes at offset off: need of them or more, or all there are. end
// says that the file has no more than those.
func (w *window) from(off int64, need int) (b []byte, end bool, err error) {
	if off > w.size {
		off = w.size
	}
	want := min(int64(need), w.size-off)
	if off < w.at || off+want > w.at+int64(len(w.buf)) {
		if err := w.load(off, want); err != nil {
			return nil, false, err
		}
	}
	b = w.buf[off-w.at:]
	return b, off+int64(len(b)) == w.size, nil
}

// load fills the buffer from off on with a window's worth, or want if that is
// more.
func (w *window) load(off, want int64) error {
	n := min(max(want, w.lot), w.size-off)
	if int64(cap(w.buf)) < n {
		w.buf = make([]byte, n)
	}
	w.buf, w.at = w.buf[:n], off
	read, err := w.file.ReadAt(w.buf, off)
	if int64(read) < n {
		w.buf = w.buf[:0]
		if err == nil || errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF // the file was longer a moment ago
		}
		return err
	}
	return nil
}
