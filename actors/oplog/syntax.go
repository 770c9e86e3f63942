package oplog

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// SyntaxError says where a text stopped being a readable log and what was
// expected there. It is about the text only: an operation that the rules refuse
// is not an error but a result.
type SyntaxError struct {
	File   string // as given to [NewDecoder]
	Line   int    // from 1
	Column int    // from 1, in bytes
	Offset int64  // from 0, in bytes of the whole text

	Want  string // what was expected: "',' or ']' after an operation"
	Found string // what stands there instead: "'x'", "the end of the input"
}

// Error gives the whole message on one line, position first, in the form that
// editors and terminals make a link of.
func (e *SyntaxError) Error() string {
	return fmt.Sprintf("%s:%d:%d: expected %s, found %s", e.File, e.Line, e.Column, e.Want, e.Found)
}

// WantEnd is the Want of a [SyntaxError] for what follows a complete array. Such
// a text may well be a log in [Lines].
const WantEnd = "nothing after the array of operations"

// What may be expected and what found, in the words of the messages.
const (
	wantLog       = "a JSON array of operations"
	wantFirst     = "an operation or ']'"
	wantDelimiter = "',' or ']' after an operation"
	wantOperation = "an operation after ','"
	wantLineEnd   = "the end of the line after an operation"
	wantRest      = "the rest of the operation"

	foundInputEnd = "the end of the input"
	foundLineEnd  = "the end of the line"
	foundLonger   = "a longer one"
	foundDeeper   = "one level more"
)

// What the limits want, number included.
var (
	wantShorter = fmt.Sprintf("an operation of at most %d bytes", MaxOperationBytes)
	wantFlatter = fmt.Sprintf("at most %d levels of nesting", MaxNesting)
)

// The parser's own words that are looked at; a test notices when they change.
const (
	reasonDepth   = "exceeded max depth"
	reasonValue   = "at start of value"
	reasonEscape  = "escape sequence"
	reasonControl = "non-control character"
)

// isText tells whether err is the parser's complaint about the text, as opposed
// to an input that cannot be read or a limit.
func (d *Decoder) isText(err error) bool {
	var syntax *jsontext.SyntacticError
	return d.inputError(err) == nil && !errors.Is(err, errTooLong) && errors.As(err, &syntax)
}

// inputError gives what the input answered, where err comes of that. The parser
// wraps it in words of its own, which the caller has no use for.
func (d *Decoder) inputError(err error) error {
	if cause := d.source.failed; cause != nil && cause != io.EOF && errors.Is(err, cause) {
		return cause
	}
	return nil
}

// explain makes our error of one of the parser or the input.
func (d *Decoder) explain(err error) error {
	if cause := d.inputError(err); cause != nil {
		return cause
	}
	if errors.Is(err, errTooLong) {
		return d.tooLong()
	}
	var syntax *jsontext.SyntacticError
	if errors.As(err, &syntax) {
		return d.broken(syntax)
	}
	return err // io.EOF
}

// broken is the error of text that stops being JSON inside an operation.
func (d *Decoder) broken(syntax *jsontext.SyntacticError) error {
	if errors.Is(syntax.Err, io.ErrUnexpectedEOF) {
		return d.cutOff()
	}
	at := syntax.ByteOffset + d.source.skipped
	reason := syntax.Err.Error()
	if reason == reasonDepth {
		return d.errorAt(at, wantFlatter, foundDeeper)
	}
	return d.unexpected(at, wantOf(reason))
}

// cutOff is the error of an operation that the input or, in Lines, its line ends
// before it is whole. The parser says where the last element began; we say where
// the end is.
func (d *Decoder) cutOff() error {
	unread, found := d.json.UnreadBuffer(), foundInputEnd
	if d.format == Lines && bytes.HasSuffix(unread, []byte("\n")) {
		unread, found = bytes.TrimRight(unread, "\r\n"), foundLineEnd
	}
	return d.errorAt(d.json.InputOffset()+d.source.skipped+int64(len(unread)), wantRest, found)
}

// wantOf says what the parser expected, in our words where its own are known.
func wantOf(reason string) string {
	if _, expected, ok := strings.Cut(reason, "(expecting "); ok {
		expected = strings.TrimSuffix(expected, ")")
		if expected == reasonControl {
			return "a string without control characters"
		}
		return expected
	}
	switch {
	case strings.HasSuffix(reason, reasonValue):
		return "a JSON value"
	case strings.Contains(reason, reasonEscape):
		return "an escape sequence of JSON"
	}
	return "valid JSON (" + reason + ")"
}

// tooLong is the error of an operation over [MaxOperationBytes], placed where it
// begins.
func (d *Decoder) tooLong() error { return d.errorAt(d.counted, wantShorter, foundLonger) }

// unexpected is the error of the character at an offset, which must be in what
// the parser has not consumed.
func (d *Decoder) unexpected(at int64, want string) error {
	unread := d.json.UnreadBuffer()
	base := d.json.InputOffset() + d.source.skipped
	found := foundIn(unread[at-base:])
	if at == 0 && len(unread) > 0 {
		if mark, ok := byteOrderMarks[unread[0]]; ok {
			found += fmt.Sprintf(", as of a byte order mark (%s)", mark)
		}
	}
	return d.errorAt(at, want, found)
}

// errorAt makes the error for an offset of the input.
func (d *Decoder) errorAt(at int64, want, found string) error {
	if d.format == Array && at > d.counted {
		from := d.counted - d.json.InputOffset()
		d.count(d.json.UnreadBuffer()[from : at-d.json.InputOffset()])
	}
	return &SyntaxError{
		File:   d.file,
		Line:   d.line,
		Column: int(at-d.lineStart) + 1,
		Offset: at,
		Want:   want,
		Found:  found,
	}
}

// errorIn makes the error for something wrong in the entry that was read last.
func (d *Decoder) errorIn(entry string, wrong *flaw) error {
	at, before := d.entry, entry[:wrong.at]
	if last := strings.LastIndexByte(before, '\n'); last >= 0 {
		at.line += strings.Count(before, "\n")
		at.lineStart = at.offset + int64(last) + 1
	}
	offset := at.offset + int64(wrong.at)
	return &SyntaxError{
		File: d.file, Line: at.line, Column: int(offset-at.lineStart) + 1, Offset: offset, Want: wrong.want, Found: wrong.found,
	}
}

// byteOrderMarks are the marks that some editors put before a text, by their first byte:
// the rest may not be here yet. JSON has none (RFC 8259, 8.1).
var byteOrderMarks = map[byte]string{
	0xef: "that of UTF-8: save the file without one",
	0xff: "that of UTF-16: save the file as UTF-8",
	0xfe: "that of UTF-16: save the file as UTF-8",
}

// foundIn names the first character of text, or the end of the input.
func foundIn(text []byte) string {
	if len(text) == 0 {
		return foundInputEnd
	}
	if c := text[0]; c >= utf8.RuneSelf {
		return fmt.Sprintf("byte 0x%02x", c) // the rest of the character may not be here yet
	}
	return strconv.QuoteRune(rune(text[0]))
}
