package oplog

import (
	"io"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/leasekeeper/lkactor/actors/lease"
)

// Decoder reads the operations of a log, plain or live, one after another, holding no more of
// the text than one operation and a window. It is for one goroutine at a time.
//
// The strings of decoded operations are ordinary Go strings and stay valid for
// ever, but some thousands of them share one allocation: whoever keeps one for
// long clones it, or keeps all of its neighbours too.
type Decoder struct {
	file   string
	format Format
	json   *jsontext.Decoder
	source *source
	texts  arena
	limit  int   // MaxOperationBytes, less in tests
	begun  bool  // Array: the opening bracket has been read
	failed error // sticky; io.EOF at the end

	looked bool    // the first entry has been seen, so header says which dialect this is
	header *Header // nil in a plain log
	ahead  string  // the text of the first operation, if it was read to look for a header

	// Where the text is read to, in lines. In Array line ends are counted as
	// they go by; in Lines the source knows.
	line      int
	lineStart int64 // offset of the first byte of line
	counted   int64 // offset up to which this holds

	entry place // where the entry that was read last begins
}

// place is a position in the text.
type place struct {
	line              int
	lineStart, offset int64
}

// NewDecoder makes a decoder that reads a log laid out as format from input.
// File is what positions in errors begin with; it is not opened.
func NewDecoder(input io.Reader, file string, format Format) *Decoder {
	s := newSource(input, format == Lines)
	return &Decoder{
		file:   file,
		format: format,
		limit:  MaxOperationBytes,
		source: s,
		json: jsontext.NewDecoder(s,
			jsontext.AllowInvalidUTF8(true),    // such a string is no string, but text all the same (O10)
			jsontext.AllowDuplicateNames(true), // whether an object may have them is for the rules to say (E3)
		),
		line: 1,
	}
}

// Header gives the header of a live log, and nil for a plain one (E1). It reads
// the first entry of the log, so it waits for that; there is no need to ask, and
// any number of operations may have been read before. The errors are those of
// [Decoder.Next], but an empty log is a plain one. Once it has answered, any
// goroutine may ask again.
func (d *Decoder) Header() (*Header, error) {
	if !d.looked && d.failed == nil {
		text, err := d.text()
		if err != nil {
			d.failed = err
		} else if d.header == nil {
			d.ahead = d.texts.keep(text)
		}
	}
	if d.looked || d.failed == io.EOF {
		return d.header, nil
	}
	return nil, d.failed
}

// Next decodes the next operation into op, whatever op was before. An operation
// that fails one of the checks O1..O7 is decoded as one of kind Refused, so that
// every entry of a log but its header gives exactly one operation.
//
// It answers io.EOF after the last operation, a *[SyntaxError] where the text is
// no log, and what the input itself answered where it cannot be read. Each of
// these is final.
func (d *Decoder) Next(op *lease.Operation) error {
	entry, err := d.NextText()
	if err != nil {
		return err
	}
	operation(entry, op, d.header.Dialect())
	return nil
}

// NextText gives the text of the next entry, one JSON value as it was written, and
// leaves open what it is: for files that are laid out as logs and hold something
// else, such as results. Its errors are those of [Decoder.Next].
func (d *Decoder) NextText() (string, error) {
	if !d.looked {
		d.Header()
	}
	if entry := d.ahead; entry != "" {
		d.ahead = ""
		return entry, nil
	}
	if d.failed != nil {
		return "", d.failed
	}
	var text []byte
	if text, d.failed = d.text(); d.failed != nil {
		return "", d.failed
	}
	return d.texts.keep(text), nil
}

// text gives the text of the next entry, which is good until the next one is
// asked for.
func (d *Decoder) text() ([]byte, error) {
	if d.format == Lines {
		return d.nextLine()
	}
	return d.nextElement()
}

// Read decodes up to len(ops) operations and answers how many. It waits for
// one; after that it comes back early when in [Lines] no further whole line is
// at hand, so that whoever types a log sees each answer at once, or when what it
// has read so far is large. Err is that of [Decoder.Next], and nil unless n is 0.
func (d *Decoder) Read(ops []lease.Operation) (n int, err error) {
	start := d.source.offset()
	for n < len(ops) {
		if n > 0 && (d.source.offset()-start > bulkBytes || d.format == Lines && !d.source.hasLine()) {
			break
		}
		if err := d.Next(&ops[n]); err != nil {
			if n > 0 {
				break // it comes again at the next call
			}
			return 0, err
		}
		n++
	}
	return n, nil
}

// Offset is how many bytes of the input have been taken, for whoever shows
// progress: a window further than the operations that were decoded.
func (d *Decoder) Offset() int64 { return d.source.offset() }

// value reads one whole JSON value, which the parser has checked and not
// changed: escapes and invalid bytes are as they were.
func (d *Decoder) value() ([]byte, error) {
	text, err := d.json.ReadValue()
	if err != nil {
		return nil, d.explain(err)
	}
	if len(text) > d.limit {
		return nil, d.tooLong()
	}
	return text, nil
}

// allow lets the parser read what one operation may need. The window more is for
// what it has read ahead, and for white space.
func (d *Decoder) allow() {
	d.source.quota = d.json.InputOffset() + int64(d.limit) + windowBytes
}
