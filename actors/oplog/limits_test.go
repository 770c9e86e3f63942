package oplog

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/leasekeeper/lkactor/actors/lease"
)

// nested is a value of so many levels.
func nested(levels int) string {
	return strings.Repeat("[", levels) + strings.Repeat("]", levels)
}

func TestLimitOfNesting(t *testing.T) {
	tests := []struct {
		format Format
		deep   int // levels of the deepest operation that is allowed
	}{
		{Array, MaxNesting - 1}, // the log's own brackets are one
		{Lines, MaxNesting},
	}
	for _, test := range tests {
		t.Run(test.format.String(), func(t *testing.T) {
			log := func(op string) string {
				if test.format == Array {
					return "[" + op + "]"
				}
				return op + "\n"
			}
			ops, err := decodeAll(strings.NewReader(log(nested(test.deep))), test.format)
			if err != nil || len(ops) != 1 || ops[0].Code != lease.InvalidArguments {
				t.Errorf("%d levels decode to %v, %v", test.deep, ops, err)
			}
			for _, deep := range []int{test.deep + 1, 1_000_000} {
				_, err = decodeAll(strings.NewReader(log(nested(deep))), test.format)
				want := fmt.Sprintf("log:1:%d: expected at most 10000 levels of nesting, found one level more", MaxNesting+1)
				if err == nil || err.Error() != want {
					t.Errorf("%d levels: error is %v, want %s", deep, err, want)
				}
			}
			// Not closed, and objects: the same.
			_, err = decodeAll(strings.NewReader(log(strings.Repeat(`{"a":[`, 1_000_000))), test.format)
			if err == nil || !strings.Contains(err.Error(), "levels of nesting") {
				t.Errorf("error is %v", err)
			}
		})
	}
}

// endless gives text for ever after some other text.
type endless struct {
	before io.Reader
	text   byte
	given  int64
}

func (e *endless) Read(p []byte) (int, error) {
	n, _ := e.before.Read(p)
	if n == 0 {
		for n < len(p) {
			p[n] = e.text
			n++
		}
	}
	e.given += int64(n)
	return n, nil
}

func TestLimitOfOperationLength(t *testing.T) {
	const envelope = len(`["status",0,""]`)
	fits := `["status",0,"` + strings.Repeat("x", MaxOperationBytes-envelope) + `"]`
	over := `["status",0,"` + strings.Repeat("x", MaxOperationBytes-envelope+1) + `"]`
	want := "log:3:1: expected an operation of at most 16777216 bytes, found a longer one"
	layouts := map[Format]string{Array: "[\n[],\n%s,\n[]]", Lines: "[]\n\n%s\n[]\n"}
	for format, layout := range layouts {
		t.Run(format.String(), func(t *testing.T) {
			ops, err := decodeAll(strings.NewReader(fmt.Sprintf(layout, fits)), format)
			if err != nil || len(ops) != 3 || len(ops[1].Client) != MaxOperationBytes-envelope {
				t.Errorf("%d operations, %v", len(ops), err)
			}
			ops, err = decodeAll(strings.NewReader(fmt.Sprintf(layout, over)), format)
			if err == nil || err.Error() != want || len(ops) != 1 {
				t.Errorf("%d operations, %v", len(ops), err)
			}
		})
	}
}

func TestEndlessInputIsRefused(t *testing.T) {
	starts := map[Format][]string{
		Array: {`[["`, `[["x`, "[1", "[1,", "[", "", "[]", `[["acquire`},
		Lines: {`["`, `["x`, `["acquire`, "1"},
	}
	for format, texts := range starts {
		for _, text := range texts {
			for _, filler := range []byte("1 x\n") {
				if format == Lines && (filler == '\n' || filler == ' ') {
					continue // blank lines are skipped for ever, and rightly
				}
				t.Run(fmt.Sprintf("%v/%q then %q", format, text, filler), func(t *testing.T) {
					input := &endless{before: strings.NewReader(text), text: filler}
					d := NewDecoder(input, "log", format)
					d.limit = 1 << 18 // the real one takes its time under the race detector
					var err error
					for err == nil {
						err = d.Next(new(lease.Operation))
					}
					var syntax *SyntaxError
					if !errors.As(err, &syntax) {
						t.Errorf("error is %v", err)
					}
					if input.given > int64(d.limit+8*windowBytes) {
						t.Errorf("%d bytes were read", input.given)
					}
				})
			}
		}
	}
}

func TestReadDoesNotAddUpLargeOperations(t *testing.T) {
	op := `["status",0,"` + strings.Repeat("x", bulkBytes) + `"]`
	d := NewDecoder(strings.NewReader(strings.Repeat(op+"\n", 20)), "log", Lines)
	ops := make([]lease.Operation, 20)
	if n, err := d.Read(ops); n > 2 || err != nil {
		t.Errorf("Read answers %d, %v", n, err)
	}
}
