package oplog

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"testing"

	"github.com/leasekeeper/lkactor/actors/lease"
)

// benchOps is how many operations the logs of the benchmarks have.
const benchOps = 20_000

// typicalLog is a log of the kind that a service writes, laid out as format.
func typicalLog(format Format) []byte {
	var log bytes.Buffer
	for i := range benchOps {
		if format == Array {
			log.WriteString([]string{"[\n", ",\n"}[min(i, 1)])
		}
		switch i % 4 {
		case 0, 1:
			fmt.Fprintf(&log, `["acquire",%d,"client-%d","lock/%d",%d]`, i/3, i%977, i%311, i%60+1)
		case 2:
			fmt.Fprintf(&log, `["renew",%d,"client-%d","lock/%d",%d]`, i/3, i%977, i%311, i%60+1)
		case 3:
			fmt.Fprintf(&log, `["release",%d,"client-%d","lock/%d"]`, i/3, i%977, i%311)
		}
		if format == Lines {
			log.WriteString("\n")
		}
	}
	if format == Array {
		log.WriteString("\n]\n")
	}
	return log.Bytes()
}

// perOperation reports the time of one operation of the log.
func perOperation(b *testing.B) {
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/benchOps, "ns/operation")
}

func BenchmarkDecode(b *testing.B) {
	for _, format := range []Format{Array, Lines} {
		b.Run(format.String(), func(b *testing.B) {
			log := typicalLog(format)
			ops := make([]lease.Operation, 1024)
			b.ReportAllocs()
			for b.Loop() {
				d := NewDecoder(bytes.NewReader(log), "log", format)
				total := 0
				for {
					n, err := d.Read(ops)
					if err == io.EOF {
						break
					}
					if err != nil {
						b.Fatal(err)
					}
					total += n
				}
				if total != benchOps {
					b.Fatalf("decoded %d operations", total)
				}
			}
			perOperation(b)
		})
	}
}

// BenchmarkGeneric is what the decoder is measured against: encoding/json into
// []any, before any rule has looked at it.
func BenchmarkGeneric(b *testing.B) {
	log := typicalLog(Array)
	b.ReportAllocs()
	for b.Loop() {
		d := json.NewDecoder(bytes.NewReader(log))
		d.UseNumber()
		var ops []any
		if err := d.Decode(&ops); err != nil {
			b.Fatal(err)
		}
	}
	perOperation(b)
}

// typicalResults are such as a busy service gives.
func typicalResults() []lease.Result {
	results := make([]lease.Result, 1000)
	for i := range results {
		switch i % 4 {
		case 0, 1:
			results[i] = lease.Result{Outcome: lease.Granted, Token: lease.Token(i), Until: lease.Instant(1_700_000_000 + i)}
		case 2:
			results[i] = lease.Result{Outcome: lease.Queued, Position: i%17 + 1}
		case 3:
			results[i] = lease.Result{Outcome: lease.Released}
		}
	}
	return results
}

func BenchmarkEncode(b *testing.B) {
	results := typicalResults()
	e := NewEncoder(io.Discard, Array)
	b.ReportAllocs()
	for b.Loop() {
		if err := e.Write(results); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(results)), "ns/operation")
}
