package oplog

import (
	"bytes"
	"encoding/json"
	"io"
	"reflect"
	"testing"
	"testing/iotest"
	"unicode/utf8"

	"github.com/leasekeeper/lkactor/actors/lease"
)

// FuzzDecode feeds any text to the decoder, in both formats and however it is
// chopped. Nothing may panic; what is decoded must not depend on how it was laid
// out or read; and what is written must decode to what it was written from.
func FuzzDecode(f *testing.F) {
	for _, seed := range []string{
		"", "[]", "[\n]\n", "[1,[],\n{}]", `[["acquire",0,"c","l",60],["release",1,"c","l"]]`,
		`["acquire",0,"c","l",60,"shared"]` + "\n" + `["write",3,"l","k","v",9007199254740993]` + "\r\n\n",
		`[["acq\u0075ire",-0,"\ud83d\ude00","\ud800",1e3]]`, "[[\"status\",0,\"\xff\"],[\"status\",0,\"\ufffd\"]]",
		`["repeat",5,3,2,["acquire","job{i}","L{i%100}",60]]`, `[["repeat",5,3,2,["write","{i+1%2}","{{i}}","{i%0}",1]]]`,
		`[["acquire",1,"c","l",100000000000000000000000000000],["acquire",4611686018427387905]]`, "[1,]", "1\n2 3", "[\"a\nb\"]",
		"[" + headerText + `,["acquire",0,"c","l",1000000,{"id":"r"}],["tick",5],["repeat",0]]`, "[\n" + headerText + "]",
		headerText + "\n" + `["release",1,"c","l",{"token":3,"\u0069d":"\ud83d\ude00"}]` + "\n" + `["bump",2,"l",7,{}]` + "\n" + headerText,
		`[{"lkactor":1,"unit":"ns"}]`, `{"lkact\u006fr":1,"lkactor":2}`, `[{"lkacto":1},["tick",0]]`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		checkAgainstGeneric(t, text)
		for _, format := range []Format{Array, Lines} {
			header, ops, err := decodeLog(bytes.NewReader(text), format)
			checkPosition(t, text, err)
			slowHeader, slow, slowErr := decodeLog(iotest.OneByteReader(bytes.NewReader(text)), format)
			if !reflect.DeepEqual(header, slowHeader) || !reflect.DeepEqual(ops, slow) || !reflect.DeepEqual(err, slowErr) {
				t.Errorf("%v: read byte by byte it is %v, %v; at once %v, %v", format, slow, slowErr, ops, err)
			}
			checkRoundTrip(t, header, ops)
		}
	})
}

// decodeLog decodes a whole log and gives its header too.
func decodeLog(input io.Reader, format Format) (header *Header, ops []lease.Operation, err error) {
	d := NewDecoder(input, "log", format)
	for {
		var op lease.Operation
		err := d.Next(&op)
		if err == nil {
			ops = append(ops, op)
			continue
		}
		if err == io.EOF {
			err = nil
		}
		header, _ = d.Header()
		return header, ops, err
	}
}

// checkPosition compares the two forms of an error's position.
func checkPosition(t *testing.T, text []byte, err error) {
	if syntax, ok := err.(*SyntaxError); ok {
		checkOffset(t, string(text), syntax)
	} else if err != nil {
		t.Errorf("error is %v", err)
	}
}

// checkAgainstGeneric compares with what encoding/json takes for an array, and
// the formats with each other.
func checkAgainstGeneric(t *testing.T, text []byte) {
	header, ops, err := decodeLog(bytes.NewReader(text), Array)
	var elements []json.RawMessage
	if json.Unmarshal(text, &elements) != nil || elements == nil {
		if err == nil {
			t.Errorf("%q is taken for a log and is none", text)
		}
		return
	}
	if err != nil {
		if len(elements) == 0 || !isHeader(string(elements[0])) || len(ops) > 0 {
			t.Errorf("%q is a log and is refused: %v", text, err)
		}
		return
	}
	var lines bytes.Buffer
	for _, element := range elements {
		// Line ends can only be white space here.
		lines.Write(bytes.ReplaceAll(element, []byte("\n"), []byte(" ")))
		lines.WriteByte('\n')
	}
	headerOfLines, fromLines, err := decodeLog(&lines, Lines)
	if err != nil || !reflect.DeepEqual(ops, fromLines) || !reflect.DeepEqual(header, headerOfLines) {
		t.Errorf("as an array it decodes to %v, as lines to %v, %v", ops, fromLines, err)
	}
}

// checkRoundTrip writes operations and decodes them again.
func checkRoundTrip(t *testing.T, header *Header, ops []lease.Operation) {
	var lines []byte
	if header != nil {
		lines = append(AppendHeader(lines, *header), '\n')
	}
	for i := range ops {
		checkDecoded(t, &ops[i], header.Dialect())
		lines = append(AppendOperation(lines, &ops[i]), '\n')
	}
	d := NewDecoder(bytes.NewReader(lines), "log", Lines)
	if again, err := d.Header(); err != nil || !reflect.DeepEqual(again, header) {
		t.Errorf("%+v is written and decodes to %+v, %v", header, again, err)
	}
	for i := range ops {
		var again lease.Operation
		if err := d.Next(&again); err != nil {
			t.Fatalf("%+v is written as what does not decode: %v", ops[i], err)
		}
		if !reflect.DeepEqual(again, ops[i]) {
			t.Errorf("%+v is written and decodes to %+v", ops[i], again)
		}
	}
	if err := d.Next(new(lease.Operation)); err != io.EOF {
		t.Errorf("%v after the last operation", err)
	}
}

// checkDecoded tests what must hold for every decoded operation.
func checkDecoded(t *testing.T, op *lease.Operation, d lease.Dialect) {
	if op.Kind != lease.Refused && op.Check(d) != lease.OK {
		t.Errorf("%+v does not pass its own check", op)
	}
	for _, name := range []string{op.Client, op.Lock, op.Key, op.Value, op.ID} {
		if !utf8.ValidString(name) {
			t.Errorf("%q is not valid Unicode", name)
		}
	}
	if op.At > lease.MaxMagnitude || op.At < -lease.MaxMagnitude {
		t.Errorf("instant %d", op.At)
	}
}
