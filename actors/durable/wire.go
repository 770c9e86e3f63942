package durable

import (
	"bufio"
	"encoding/binary"
	"errors"
	"io"
)

// The numbers and texts that a snapshot is made of: whole numbers as varints of
// encoding/binary, texts as their length and their bytes.

// stateWriter writes them. Its first error stays.
type stateWriter struct {
	out  *bufio.Writer
	buf  []byte
	err  error
	pace pace
}

func (w *stateWriter) fail(err error) {
	if w.err == nil {
		w.err = err
	}
}

func (w *stateWriter) put(b []byte) {
	if w.err == nil {
		_, w.err = w.out.Write(b)
	}
}

func (w *stateWriter) uint(n uint64) {
	w.buf = binary.AppendUvarint(w.buf[:0], n)
	w.put(w.buf)
}

func (w *stateWriter) int(n int64) {
	w.buf = binary.AppendVarint(w.buf[:0], n)
	w.put(w.buf)
}

func (w *stateWriter) text(s string) {
	w.uint(uint64(len(s)))
	if w.err == nil {
		_, w.err = w.out.WriteString(s)
	}
}

// stateReader reads them. Its first error stays, and everything is zero from then
// on.
type stateReader struct {
	in   *bufio.Reader
	buf  []byte
	err  error
	pace pace
}

// errForm is the error of a snapshot whose checksums are right and whose content
// makes no sense.
var errForm = errors.New("its content is not of this form")

// allocatedAhead is how many of a list's entries memory is made ready for before any
// has been read: a length that is wrong must not cost gigabytes.
const allocatedAhead = 1 << 12

// maxText is above every name, key and value that an operation can have, whose
// whole text has a limit.
const maxText = 1 << 26

func (r *stateReader) fail(err error) {
	if r.err == nil {
		if err == io.EOF {
			err = io.ErrUnexpectedEOF
		}
		r.err = err
	}
}

func (r *stateReader) uint() uint64 {
	if r.err != nil {
		return 0
	}
	n, err := binary.ReadUvarint(r.in)
	if err != nil {
		r.fail(err)
		return 0
	}
	return n
}

func (r *stateReader) int() int64 {
	if r.err != nil {
		return 0
	}
	n, err := binary.ReadVarint(r.in)
	if err != nil {
		r.fail(err)
		return 0
	}
	return n
}

// below reads a number that must be less than limit.
func (r *stateReader) below(limit uint64) uint64 {
	n := r.uint()
	if n >= limit {
		r.fail(errForm)
		return 0
	}
	return n
}

// count reads how many entries a list has; 0 after an error, so that loops end.
func (r *stateReader) count() int {
	return int(r.below(1 << 32))
}

func (r *stateReader) text() string {
	n := int(r.below(maxText))
	if r.err != nil || n == 0 {
		return ""
	}
	if n > cap(r.buf) {
		r.buf = make([]byte, n)
	}
	b := r.buf[:n]
	if _, err := io.ReadFull(r.in, b); err != nil {
		r.fail(err)
		return ""
	}
	return string(b)
}
