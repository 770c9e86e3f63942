package oplog

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/leasekeeper/lkactor/actors/lease"
)

func TestEncoderLaysOutResults(t *testing.T) {
	results := []lease.Result{{Outcome: lease.Released}, {Outcome: lease.Null}, {Outcome: lease.Written}}
	tests := []struct {
		format  Format
		results int
		want    string
	}{
		{Array, 0, "[]\n"},
		{Array, 1, "[\n\"released\"\n]\n"},
		{Array, 3, "[\n\"released\",\nnull,\n\"ok\"\n]\n"},
		{Lines, 0, ""},
		{Lines, 1, "\"released\"\n"},
		{Lines, 3, "\"released\"\nnull\n\"ok\"\n"},
	}
	for _, test := range tests {
		// All at once and one by one must be the same.
		for _, step := range []int{1, 3} {
			var out bytes.Buffer
			e := NewEncoder(&out, test.format)
			for i := 0; i < test.results; i += step {
				if err := e.Write(results[i:min(i+step, test.results)]); err != nil {
					t.Fatal(err)
				}
			}
			if err := e.Close(); err != nil {
				t.Fatal(err)
			}
			if out.String() != test.want {
				t.Errorf("%d results as %v are\n%q, want\n%q", test.results, test.format, out.String(), test.want)
			}
		}
	}
}

func TestEncoderLeavesABrokenArrayOpen(t *testing.T) {
	var out bytes.Buffer
	e := NewEncoder(&out, Array)
	if err := e.Write([]lease.Result{{Outcome: lease.Released}}); err != nil {
		t.Fatal(err)
	}
	if out.Len() != 0 {
		t.Errorf("written before it was asked for: %q", out.String())
	}
	if err := e.Flush(); err != nil {
		t.Fatal(err)
	}
	if out.String() != "[\n\"released\"" {
		t.Errorf("flushed %q", out.String())
	}
	if err := e.BreakOff(); err != nil {
		t.Fatal(err)
	}
	if out.String() != "[\n\"released\"\n" {
		t.Errorf("broken off as %q", out.String())
	}
	out.Reset()
	for _, format := range []Format{Array, Lines} {
		if err := NewEncoder(&out, format).BreakOff(); err != nil || out.Len() > 0 {
			t.Errorf("%v: nothing broken off is %q, %v", format, out.String(), err)
		}
	}
}

// limited is an output that takes so many bytes and then fails.
type limited struct {
	room int
	err  error
}

func (l *limited) Write(p []byte) (int, error) {
	if l.room -= len(p); l.room < 0 {
		return 0, l.err
	}
	return len(p), nil
}

func TestEncoderReportsWhatTheOutputAnswers(t *testing.T) {
	full := errors.New("disk full")
	e := NewEncoder(&limited{room: 3 * windowBytes, err: full}, Lines)
	long := []lease.Result{{Outcome: lease.Value, Value: strings.Repeat("x", windowBytes)}}
	var err error
	for range 10 {
		err = e.Write(long)
	}
	if err != full {
		t.Errorf("Write answers %v", err)
	}
	if err := e.Close(); err != full {
		t.Errorf("Close answers %v", err)
	}
}
