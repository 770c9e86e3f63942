package oplog

import (
	"bytes"
	"errors"
	"io"
)

// errTooLong is what the parser is told when it asks for more text than one
// operation may have.
var errTooLong = errors.New("operation too long")

// source hands the input to the parser, which reads ahead as far as it is let.
// It does two things that the parser cannot: it ends at the end of a line, so
// that in [Lines] no operation runs into the next, and it ends at a quota, so
// that no operation makes the parser's buffer grow without bound.
type source struct {
	input  io.Reader
	window []byte // what has been read of the input
	at     int    // the first byte of window that is not taken yet
	failed error  // how the input ended

	handed  int64 // bytes given to the parser
	skipped int64 // bytes passed over between lines, unseen by the parser
	quota   int64 // handed stays at or below this

	lines     bool  // whether to end at line ends at all
	lineEnded bool  // the current line is taken to its end
	line      int   // number of the current line, from 1
	lineStart int64 // offset of its first byte in the input
}

func newSource(input io.Reader, lines bool) *source {
	return &source{
		input:  input,
		window: make([]byte, 0, windowBytes),
		lines:  lines,
		line:   1,
	}
}

// offset is the position in the input of the first byte that is not taken.
func (s *source) offset() int64 { return s.handed + s.skipped }

// Read gives the parser its next bytes; io.EOF at the end of the input and, in
// Lines, at the end of the line.
func (s *source) Read(p []byte) (int, error) {
	if s.lineEnded {
		return 0, io.EOF
	}
	if err := s.fill(); err != nil {
		s.lineEnded = s.lines
		return 0, err
	}
	text := s.window[s.at:]
	if s.lines {
		if end := bytes.IndexByte(text, '\n'); end >= 0 {
			text = text[:end+1]
		}
	}
	if room := s.quota - s.handed; int64(len(text)) > room {
		text = text[:room]
	}
	if len(text) == 0 {
		return 0, errTooLong
	}
	n := copy(p, text)
	s.at += n
	s.handed += int64(n)
	s.lineEnded = s.lines && text[n-1] == '\n'
	return n, nil
}

// fill makes sure that there is a byte to take. It answers the input's error,
// io.EOF among them, once everything before it has been taken.
func (s *source) fill() error {
	const patience = 100 // empty reads before giving up
	for range patience {
		if s.at < len(s.window) {
			return nil
		}
		if s.failed != nil {
			return s.failed
		}
		var n int
		n, s.failed = s.input.Read(s.window[:cap(s.window)])
		s.window, s.at = s.window[:n], 0
	}
	s.failed = io.ErrNoProgress
	return s.failed
}

// nextLine goes to the next line that is not blank and, in it, to the first
// byte that is not white space; io.EOF if there is none. The line before must
// have been taken to its end.
func (s *source) nextLine() error {
	if s.lineEnded {
		s.startLine()
	}
	for {
		if err := s.fill(); err != nil {
			return err
		}
		c := s.window[s.at]
		if !isSpace(c) {
			return nil
		}
		s.at++
		s.skipped++
		if c == '\n' {
			s.startLine()
		}
	}
}

func (s *source) startLine() {
	s.line++
	s.lineStart = s.offset()
	s.lineEnded = false
}

// finishLine takes the rest of the current line. If something else than white
// space is in it, it stops there and found is true.
func (s *source) finishLine() (found bool, err error) {
	for !s.lineEnded {
		if err := s.fill(); err == io.EOF {
			s.lineEnded = true
			return false, nil
		} else if err != nil {
			return false, err
		}
		c := s.window[s.at]
		if !isSpace(c) {
			return true, nil
		}
		s.at++
		s.skipped++
		s.lineEnded = c == '\n'
	}
	return false, nil
}

// hasLine tells whether a whole line is at hand without waiting for input.
func (s *source) hasLine() bool {
	return bytes.IndexByte(s.window[s.at:], '\n') >= 0
}

// isSpace tells whether c is what JSON calls white space.
func isSpace(c byte) bool { return c == ' ' || c == '\n' || c == '\t' || c == '\r' }
