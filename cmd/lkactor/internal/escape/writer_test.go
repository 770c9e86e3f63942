package escape

import (
	"bytes"
	"errors"
	"testing"
)

// However a text is cut, what is written is what JSON makes of all of it.
func TestWriter(t *testing.T) {
	text := []byte(`["granted",1,"é` + "\u202e\u009b\x7f\u2028日\U0001f600\U000e0041" + `"]` + "\n")
	want := JSON(nil, text)
	if bytes.Equal(want, text) {
		t.Fatal("there is nothing to escape")
	}
	for first := range len(text) + 1 {
		for second := first; second <= len(text); second++ {
			var out bytes.Buffer
			w := NewWriter(&out)
			for _, part := range [][]byte{text[:first], text[first:second], text[second:]} {
				if n, err := w.Write(part); n != len(part) || err != nil {
					t.Fatalf("%d of %d, %v", n, len(part), err)
				}
			}
			if !bytes.Equal(out.Bytes(), want) {
				t.Fatalf("cut at %d and %d: %q, want %q", first, second, out.Bytes(), want)
			}
		}
	}
	var out bytes.Buffer
	if _, _ = NewWriter(&out).Write([]byte("a\xffb\x80\xe2(")); out.String() != `a\ufffdb\ufffd\ufffd(` {
		t.Errorf("no valid Unicode: %q", out.String())
	}
	if _, err := NewWriter(full{}).Write(text); !errors.Is(err, errFull) {
		t.Errorf("a full disk: %v", err)
	}
}

var errFull = errors.New("full")

type full struct{}

func (full) Write([]byte) (int, error) { return 0, errFull }
