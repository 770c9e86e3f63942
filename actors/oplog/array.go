package oplog

import (
	"bytes"
	"io"

	"github.com/go-json-experiment/json/jsontext"
)

// nextElement gives the text of the next entry of a log in [Array].
func (d *Decoder) nextElement() ([]byte, error) {
	d.allow()
	first := !d.begun
	if first {
		if err := d.begin(); err != nil {
			return nil, err
		}
	}
	switch kind := d.json.PeekKind(); kind {
	case jsontext.KindEndArray:
		return nil, d.end()
	case jsontext.KindInvalid, jsontext.KindEndObject:
		return nil, d.misplaced(kind, first)
	}
	// Line ends are counted while the text is at hand: those before the value
	// now, those in it once it is whole.
	for _, c := range d.json.UnreadBuffer() {
		if !between[c] {
			break
		}
		d.counted++
		if c == '\n' {
			d.line++
			d.lineStart = d.counted
		}
	}
	text, err := d.value()
	if err != nil {
		return nil, err
	}
	if !d.looked {
		if err := d.look(text); err != nil {
			return nil, err
		}
	}
	d.entry = place{d.line, d.lineStart, d.counted}
	d.count(text)
	return text, nil
}

// begin reads the opening bracket.
func (d *Decoder) begin() error {
	kind := d.json.PeekKind()
	at := spaces(d.json.UnreadBuffer())
	if kind != jsontext.KindBeginArray {
		return d.refuse(kind, int64(at), wantLog)
	}
	d.count(d.json.UnreadBuffer()[:at+1])
	_, err := d.json.ReadToken()
	d.begun = true
	return err
}

// end reads the closing bracket and makes sure that nothing follows.
func (d *Decoder) end() error {
	unread := d.json.UnreadBuffer()
	d.count(unread[:gap(unread)+1])
	if _, err := d.json.ReadToken(); err != nil {
		return d.explain(err)
	}
	d.allow()
	kind := d.json.PeekKind()
	at := d.counted + int64(spaces(d.json.UnreadBuffer()))
	return d.refuse(kind, at, WantEnd)
}

// misplaced is the error of what may not stand between two operations. The
// parser's own word for it depends on what follows, so we look ourselves.
func (d *Decoder) misplaced(kind jsontext.Kind, first bool) error {
	unread := d.json.UnreadBuffer()
	want, at := wantDelimiter, spaces(unread)
	if first {
		want = wantFirst
	} else if at < len(unread) && unread[at] == ',' {
		want = wantOperation
		at++
		at += spaces(unread[at:])
	}
	return d.refuse(kind, d.counted+int64(at), want)
}

// refuse is the error of what has been peeked at and may not stand at an
// offset, or of the input where that is why there is nothing; io.EOF at its end
// outside of the array.
func (d *Decoder) refuse(kind jsontext.Kind, at int64, want string) error {
	if kind == jsontext.KindInvalid {
		_, err := d.json.ReadToken()
		if err == io.EOF && !d.begun {
			return d.unexpected(at, want)
		}
		if !d.isText(err) {
			return d.explain(err)
		}
	}
	return d.unexpected(at, want)
}

// count moves the count of lines over text, which follows what was counted.
func (d *Decoder) count(text []byte) {
	rest := text
	for {
		end := bytes.IndexByte(rest, '\n')
		if end < 0 {
			break
		}
		rest = rest[end+1:]
		d.line++
		d.lineStart = d.counted + int64(len(text)-len(rest))
	}
	d.counted += int64(len(text))
}

// gap is how much of text comes before a value: white space and the comma.
func gap(text []byte) int {
	n := 0
	for n < len(text) && between[text[n]] {
		n++
	}
	return n
}

// spaces is how much of text is white space before anything else.
func spaces(text []byte) int {
	n := 0
	for n < len(text) && isSpace(text[n]) {
		n++
	}
	return n
}
