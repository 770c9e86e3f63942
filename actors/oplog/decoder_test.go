package oplog

import (
	"bytes"
	"io"
	"reflect"
	"strings"
	"testing"

	"github.com/leasekeeper/lkactor/actors/lease"
)

func TestReadGivesWhatNextGives(t *testing.T) {
	for _, format := range []Format{Array, Lines} {
		log := typicalLog(format)
		want, err := decodeAll(bytes.NewReader(log), format)
		if err != nil || len(want) != benchOps {
			t.Fatalf("%d operations, %v", len(want), err)
		}
		d := NewDecoder(bytes.NewReader(log), "log", format)
		var got []lease.Operation
		ops := make([]lease.Operation, 100)
		for {
			n, err := d.Read(ops)
			if err == io.EOF {
				break
			}
			if err != nil || n == 0 {
				t.Fatalf("Read answers %d, %v", n, err)
			}
			got = append(got, ops[:n]...)
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%v: the operations differ", format)
		}
		if d.Offset() != int64(len(log)) {
			t.Errorf("%v: offset %d at the end of %d bytes", format, d.Offset(), len(log))
		}
	}
}

func TestReadGivesOperationsBeforeAnError(t *testing.T) {
	for format, log := range map[Format]string{Array: `[1,2,!`, Lines: "1\n2\n!\n"} {
		d := NewDecoder(strings.NewReader(log), "log", format)
		ops := make([]lease.Operation, 10)
		if n, err := d.Read(ops); n != 2 || err != nil {
			t.Errorf("%v: first Read answers %d, %v", format, n, err)
		}
		if n, err := d.Read(ops); n != 0 || err == nil || err == io.EOF {
			t.Errorf("%v: second Read answers %d, %v", format, n, err)
		}
	}
}

// typed is an input that gives one line to each read, as a terminal does.
type typed struct {
	lines []string
	reads int
}

func (y *typed) Read(p []byte) (int, error) {
	if y.reads == len(y.lines) {
		return 0, io.EOF
	}
	y.reads++
	return copy(p, y.lines[y.reads-1]), nil
}

func TestReadAnswersEachLineAsItComes(t *testing.T) {
	input := &typed{lines: []string{"[\"status\",1,\"c\"]\n", "\n", "[\"status\",2,\"c\"]\n[\"status\",3,\"c\"]\n", "[\"status\",", "4,\"c\"]\n"}}
	d := NewDecoder(input, "log", Lines)
	ops := make([]lease.Operation, 10)
	for i, want := range []struct{ n, reads int }{{1, 1}, {2, 3}, {1, 5}} {
		n, err := d.Read(ops)
		if n != want.n || err != nil || input.reads != want.reads {
			t.Errorf("call %d answers %d, %v after %d reads; want %d after %d", i, n, err, input.reads, want.n, want.reads)
		}
	}
	if _, err := d.Read(ops); err != io.EOF {
		t.Errorf("error is %v at the end", err)
	}
}

func TestLinesWithoutAnOperationAreSkipped(t *testing.T) {
	log := "\n\r\n  \t\n[1,2]\n\n\n\"x\"   \t\r\n   5"
	ops, err := decodeAll(strings.NewReader(log), Lines)
	if err != nil || len(ops) != 3 {
		t.Errorf("%d operations, %v", len(ops), err)
	}
	for _, empty := range []string{"", "\n", " ", "\r\n\r\n"} {
		if ops, err := decodeAll(strings.NewReader(empty), Lines); err != nil || len(ops) != 0 {
			t.Errorf("%q holds %d operations, %v", empty, len(ops), err)
		}
	}
}

func TestArraysAreReadAcrossWindows(t *testing.T) {
	// Values that begin in one window and end in another, at every offset.
	for shift := range 40 {
		value := strings.Repeat("v", windowBytes-60-shift)
		log := `[["write",0,"l","k","` + value + `",1],` + "\n" + `["acquire",12345,"c","l",60,"shared"]]`
		ops, err := decodeAll(strings.NewReader(log), Array)
		if err != nil || len(ops) != 2 || ops[0].Value != value || ops[1].TTL != 60 {
			t.Fatalf("shift %d: %d operations, %v", shift, len(ops), err)
		}
	}
}

func TestNamesOutliveTheDecoder(t *testing.T) {
	ops, err := decodeAll(bytes.NewReader(typicalLog(Lines)), Lines)
	if err != nil {
		t.Fatal(err)
	}
	// Names share memory, but none is written over by a later one.
	if got := ops[0].Client + ops[1].Client + ops[4].Lock; got != "client-0client-1lock/4" {
		t.Errorf("the first names have become %s", got)
	}
}

func TestDecodingAllocatesNextToNothing(t *testing.T) {
	for _, format := range []Format{Array, Lines} {
		log := typicalLog(format)
		ops := make([]lease.Operation, 1024)
		allocs := testing.AllocsPerRun(5, func() {
			d := NewDecoder(bytes.NewReader(log), "log", format)
			for {
				if _, err := d.Read(ops); err == io.EOF {
					return
				} else if err != nil {
					t.Fatal(err)
				}
			}
		})
		// One for each chunk of text and a few to begin with.
		if limit := float64(len(log)/chunkBytes + 40); allocs > limit {
			t.Errorf("%v: %d operations took %.0f allocations, more than %.0f", format, benchOps, allocs, limit)
		}
	}
}

func TestEncodingAllocatesNothing(t *testing.T) {
	results := typicalResults()
	buf := make([]byte, 0, 1<<20)
	allocs := testing.AllocsPerRun(5, func() {
		buf = buf[:0]
		for i := range results {
			buf = AppendResult(buf, &results[i])
		}
	})
	if allocs != 0 {
		t.Errorf("%d results took %.0f allocations", len(results), allocs)
	}
}
