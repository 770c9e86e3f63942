package oplog

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/leasekeeper/lkactor/actors/lease"
)

// decodeAll decodes a whole text, one operation at a time.
func decodeAll(input io.Reader, format Format) (ops []lease.Operation, err error) {
	d := NewDecoder(input, "log", format)
	for {
		var op lease.Operation
		if err := d.Next(&op); err == io.EOF {
			return ops, nil
		} else if err != nil {
			return ops, err
		}
		ops = append(ops, op)
	}
}

func TestSyntaxErrorsSayWhereAndWhatWasExpected(t *testing.T) {
	tests := []struct {
		name   string
		format Format
		text   string
		ops    int // decoded before the error
		want   string
	}{
		{"nothing", Array, "", 0, "log:1:1: expected a JSON array of operations, found the end of the input"},
		{"only white space", Array, " \n\n ", 0, "log:3:2: expected a JSON array of operations, found the end of the input"},
		{"no JSON", Array, "\n hello", 0, "log:2:2: expected a JSON array of operations, found 'h'"},
		{"an object", Array, `{"a":1}`, 0, "log:1:1: expected a JSON array of operations, found '{'"},
		{"a string", Array, `"acquire"`, 0, `log:1:1: expected a JSON array of operations, found '"'`},
		{"a byte order mark", Array, "\ufeff[]", 0, `log:1:1: expected a JSON array of operations, found byte 0xef, as of a byte order mark (that of UTF-8: save the file without one)`},
		{"that of UTF-16", Lines, "\xff\xfe[\x00]\x00", 0, `log:1:1: expected a JSON value, found byte 0xff, as of a byte order mark (that of UTF-16: save the file as UTF-8)`},
		{"one before a line", Lines, "[1]\n\ufeff[]", 1, `log:2:1: expected a JSON value, found byte 0xef`},
		{"a zip file", Array, "PK\x03\x04", 0, `log:1:1: expected a JSON array of operations, found 'P'`},
		{"a comma first", Array, ",[]", 0, "log:1:1: expected a JSON array of operations, found ','"},

		{"only the bracket", Array, "[", 0, "log:1:2: expected an operation or ']', found the end of the input"},
		{"bracket and comma", Array, "[\n ,", 0, "log:2:2: expected an operation or ']', found ','"},
		{"wrong closing first", Array, "[}", 0, "log:1:2: expected an operation or ']', found '}'"},
		{"no value first", Array, "[x]", 0, "log:1:2: expected an operation or ']', found 'x'"},

		{"no comma", Array, "[[]\n []]", 1, "log:2:2: expected ',' or ']' after an operation, found '['"},
		{"colon", Array, "[1:2]", 1, "log:1:3: expected ',' or ']' after an operation, found ':'"},
		{"wrong closing", Array, "[1}", 1, "log:1:3: expected ',' or ']' after an operation, found '}'"},
		{"cut after an operation", Array, "[\n[],\n[]\n", 2, "log:4:1: expected ',' or ']' after an operation, found the end of the input"},
		{"cut after a comma", Array, "[\n[],\n", 1, "log:3:1: expected an operation after ',', found the end of the input"},
		{"two commas", Array, "[1,\n,2]", 1, "log:2:1: expected an operation after ',', found ','"},
		{"comma before the end", Array, "[1,\n]", 1, "log:2:1: expected an operation after ',', found ']'"},
		{"wrong closing after comma", Array, "[1,}", 1, "log:1:4: expected an operation after ',', found '}'"},
		{"no value after comma", Array, "[1, x]", 1, "log:1:5: expected an operation after ',', found 'x'"},
		{"invalid byte after comma", Array, "[1,\xff]", 1, "log:1:4: expected an operation after ',', found byte 0xff"},

		{"cut in an operation", Array, "[[],\n[\"acquire\",", 1, "log:2:12: expected the rest of the operation, found the end of the input"},
		{"cut in a string", Array, "[[],\n[\"acqu", 1, "log:2:7: expected the rest of the operation, found the end of the input"},
		{"cut in a number", Array, "[[\"acquire\",12", 0, "log:1:15: expected the rest of the operation, found the end of the input"},
		{"cut in a literal", Array, "[tru", 0, "log:1:5: expected the rest of the operation, found the end of the input"},
		{"cut in an escape", Array, `["a\u00`, 0, "log:1:8: expected the rest of the operation, found the end of the input"},
		{"no comma inside", Array, "[[\"a\"\n 5]]", 0, "log:2:2: expected ',' or ']', found '5'"},
		{"no colon inside", Array, `[{"a" 5}]`, 0, "log:1:7: expected ':', found '5'"},
		{"no key inside", Array, `[{5:5}]`, 0, `log:1:3: expected '"', found '5'`},
		{"wrong closing inside", Array, `[{"a":5]]`, 0, "log:1:8: expected ',' or '}', found ']'"},
		{"two commas inside", Array, `[[1,,2]]`, 0, "log:1:5: expected a JSON value, found ','"},
		{"misspelt literal", Array, `[[nul]]`, 0, "log:1:6: expected 'l', found ']'"},
		{"number with a plus", Array, `[[+5]]`, 0, "log:1:3: expected a JSON value, found '+'"},
		{"number with a bare fraction", Array, `[[5.]]`, 0, "log:1:5: expected digit, found ']'"},
		{"number with a leading zero", Array, `[[05]]`, 0, "log:1:4: expected ',' or ']', found '5'"},
		{"unknown escape", Array, `[["\q"]]`, 0, `log:1:4: expected an escape sequence of JSON, found '\\'`},
		{"line end in a string", Array, "[[\"a\nb\"]]", 0, `log:1:5: expected a string without control characters, found '\n'`},
		{"single quotes", Array, `[['a']]`, 0, `log:1:3: expected a JSON value, found '\''`},
		{"columns are bytes", Array, `[["äöü" x]]`, 0, `log:1:12: expected ',' or ']', found 'x'`},

		{"a second array", Array, "[]\n[]", 0, "log:2:1: expected nothing after the array of operations, found '['"},
		{"a word after the array", Array, "[1] x", 1, "log:1:5: expected nothing after the array of operations, found 'x'"},
		{"a comma after the array", Array, "[1],", 1, "log:1:4: expected nothing after the array of operations, found ','"},
		{"a bracket after the array", Array, "[\n1\n]\n\n]", 1, "log:5:1: expected nothing after the array of operations, found ']'"},

		{"two on a line", Lines, "[]\n[] []\n", 1, "log:2:4: expected the end of the line after an operation, found '['"},
		{"comma at the line's end", Lines, "[],\n", 0, "log:1:3: expected the end of the line after an operation, found ','"},
		{"no JSON on a line", Lines, "\n\n [1]\n\n oops\n", 1, "log:5:2: expected a JSON value, found 'o'"},
		{"operation over two lines", Lines, "[1,\n2]\n", 0, "log:1:4: expected the rest of the operation, found the end of the line"},
		{"string over two lines", Lines, "[\"a\nb\"]\n", 0, `log:1:4: expected a string without control characters, found '\n'`},
		{"cut line", Lines, "[1]\r\n  [1,2", 1, "log:2:7: expected the rest of the operation, found the end of the input"},
		{"cut line of DOS", Lines, "[1]\r\n[1,2\r\n", 1, "log:2:5: expected the rest of the operation, found the end of the line"},
		{"closing bracket", Lines, "]\n", 0, "log:1:1: expected a JSON value, found ']'"},
		{"an array over lines", Lines, "[\n[1],\n[2]\n]\n", 0, "log:1:2: expected the rest of the operation, found the end of the line"},
		{"columns of the last line", Lines, "5\n5\n5 5", 2, "log:3:3: expected the end of the line after an operation, found '5'"},
	}
	readers := []struct {
		name string
		of   func(string) io.Reader
	}{
		{"at once", func(text string) io.Reader { return strings.NewReader(text) }},
		{"byte by byte", func(text string) io.Reader { return iotest.OneByteReader(strings.NewReader(text)) }},
	}
	for _, test := range tests {
		for _, reader := range readers {
			t.Run(test.name+"/"+reader.name, func(t *testing.T) {
				ops, err := decodeAll(reader.of(test.text), test.format)
				var syntax *SyntaxError
				if !errors.As(err, &syntax) {
					t.Fatalf("error is %v, want a SyntaxError", err)
				}
				if got := syntax.Error(); got != test.want {
					t.Errorf("error is\n%s, want\n%s", got, test.want)
				}
				if len(ops) != test.ops {
					t.Errorf("%d operations before the error, want %d", len(ops), test.ops)
				}
				checkOffset(t, test.text, syntax)
			})
		}
	}
}

// checkOffset compares the two forms of a position.
func checkOffset(t *testing.T, text string, e *SyntaxError) {
	t.Helper()
	if e.Offset > int64(len(text)) {
		t.Fatalf("offset %d is outside of a text of %d bytes", e.Offset, len(text))
	}
	before := text[:e.Offset]
	line := strings.Count(before, "\n") + 1
	column := len(before) - strings.LastIndex(before, "\n")
	if line != e.Line || column != e.Column {
		t.Errorf("offset %d is line %d, column %d; the error says %d, %d", e.Offset, line, column, e.Line, e.Column)
	}
}

func TestSyntaxErrorFarIntoTheLog(t *testing.T) {
	// Beyond every buffer: the position is that of the whole input.
	for _, format := range []Format{Array, Lines} {
		t.Run(format.String(), func(t *testing.T) {
			var text strings.Builder
			for i := range 50_000 {
				if format == Array {
					text.WriteString([]string{"[ ", "\n, "}[min(i, 1)])
				}
				text.WriteString(`["inspect",0,"L"]`)
				if format == Lines {
					text.WriteString(" \n\n")
				}
			}
			text.WriteString("\n\t!")
			_, err := decodeAll(strings.NewReader(text.String()), format)
			var syntax *SyntaxError
			if !errors.As(err, &syntax) {
				t.Fatalf("error is %v", err)
			}
			checkOffset(t, text.String(), syntax)
			if syntax.Found != "'!'" {
				t.Errorf("found %s", syntax.Found)
			}
		})
	}
}

func TestErrorsOfTheInputAreItsOwn(t *testing.T) {
	cause := errors.New("disk on fire")
	for _, format := range []Format{Array, Lines} {
		for _, text := range []string{"", "[", "[1", "[1,", "[1,2", "[]", "[1]\n"} {
			t.Run(fmt.Sprintf("%v/%q", format, text), func(t *testing.T) {
				_, err := decodeAll(io.MultiReader(strings.NewReader(text), iotest.ErrReader(cause)), format)
				if err != cause {
					t.Errorf("error is %v, want the input's own", err)
				}
			})
		}
	}
}

func TestErrorsAreFinal(t *testing.T) {
	d := NewDecoder(strings.NewReader("1\nx\n2\n"), "log", Lines)
	var op lease.Operation
	if err := d.Next(&op); err != nil {
		t.Fatal(err)
	}
	first := d.Next(&op)
	if second := d.Next(&op); first == nil || second != first {
		t.Errorf("errors %v and then %v", first, second)
	}
	if n, err := d.Read(make([]lease.Operation, 2)); n != 0 || err != first {
		t.Errorf("Read answers %d, %v", n, err)
	}
}
