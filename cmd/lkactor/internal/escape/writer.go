package escape

import (
	"io"
	"unicode/utf8"
)

// Writer writes JSON text to another writer as [JSON] does, however it is cut into parts. The
// text is to end with a whole character, as all JSON does.
type Writer struct {
	to   io.Writer
	rest []byte // of a character that the last part has begun
	buf  []byte
}

// NewWriter gives a writer to another one.
func NewWriter(to io.Writer) *Writer { return &Writer{to: to} }

// Write implements [io.Writer]. An error is that of the writer behind it.
func (w *Writer) Write(text []byte) (int, error) {
	w.rest = append(w.rest, text...)
	whole := len(w.rest)
	for back := 1; back < utf8.UTFMax && back <= len(w.rest); back++ {
		if at := len(w.rest) - back; utf8.RuneStart(w.rest[at]) {
			if !utf8.FullRune(w.rest[at:]) {
				whole = at
			}
			break
		}
	}
	w.buf = JSON(w.buf[:0], w.rest[:whole])
	w.rest = append(w.rest[:0], w.rest[whole:]...)
	if _, err := w.to.Write(w.buf); err != nil {
		return 0, err
	}
	return len(text), nil
}
