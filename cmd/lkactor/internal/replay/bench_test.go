package replay

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"testing"

	"github.com/leasekeeper/lkactor/actors/lease"
	"github.com/leasekeeper/lkactor/actors/model"
	"github.com/leasekeeper/lkactor/actors/oplog"
)

// benchOps is how many operations the log of the benchmarks has.
const benchOps = 50_000

// busyLog is a log of many clients on many locks.
func busyLog() []byte {
	rng := rand.New(rand.NewPCG(1, 2))
	log := []byte("[\n")
	at := 0
	for i := range benchOps {
		if i > 0 {
			log = append(log, ",\n"...)
		}
		at += rng.IntN(2)
		client, lock := rng.IntN(3000), rng.IntN(2000)
		switch r := rng.IntN(20); {
		case r < 10:
			log = fmt.Appendf(log, `["acquire",%d,"client-%d","lock/%d",%d]`, at, client, lock, 1+rng.IntN(60))
		case r < 13:
			log = fmt.Appendf(log, `["renew",%d,"client-%d","lock/%d",%d]`, at, client, lock, 1+rng.IntN(60))
		case r < 18:
			log = fmt.Appendf(log, `["release",%d,"client-%d","lock/%d"]`, at, client, lock)
		default:
			log = fmt.Appendf(log, `["write",%d,"lock/%d","part-%d","rows up to %d",%d]`, at, lock, i%5, i, 1+rng.IntN(9))
		}
	}
	return append(log, "\n]\n"...)
}

func perOperation(b *testing.B) {
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/benchOps, "ns/operation")
}

// BenchmarkReplay runs a log from text to text, with the model in the place of
// the engine.
func BenchmarkReplay(b *testing.B) {
	log := busyLog()
	b.ReportAllocs()
	for b.Loop() {
		in := oplog.NewDecoder(bytes.NewReader(log), "log", oplog.Array)
		summary, err := Replay(context.Background(), in, modelRunner{model.New()}, oplog.NewEncoder(io.Discard, oplog.Array), nil)
		if err != nil || summary.Operations != benchOps {
			b.Fatal(summary, err)
		}
	}
	perOperation(b)
}

// BenchmarkGeneric does the same as one would without package oplog: the whole
// log by encoding/json into []any, then the model, then encoding/json again.
func BenchmarkGeneric(b *testing.B) {
	log := busyLog()
	b.ReportAllocs()
	for b.Loop() {
		var entries []any
		d := json.NewDecoder(bytes.NewReader(log))
		d.UseNumber()
		if err := d.Decode(&entries); err != nil {
			b.Fatal(err)
		}
		m := model.New()
		results := make([]any, len(entries))
		for i := range entries {
			op := genericOperation(entries[i])
			r := m.Do(&op)
			results[i] = genericResult(&r)
		}
		if err := json.NewEncoder(io.Discard).Encode(results); err != nil {
			b.Fatal(err)
		}
	}
	perOperation(b)
}

// BenchmarkModel runs the log with nothing around the rules.
func BenchmarkModel(b *testing.B) {
	in := oplog.NewDecoder(bytes.NewReader(busyLog()), "log", oplog.Array)
	ops := make([]lease.Operation, 0, benchOps)
	for {
		var op lease.Operation
		if err := in.Next(&op); err == io.EOF {
			break
		} else if err != nil {
			b.Fatal(err)
		}
		ops = append(ops, op)
	}
	results := make([]lease.Result, len(ops))
	for b.Loop() {
		model.New().Run(ops, results)
	}
	perOperation(b)
}

// genericOperation converts what encoding/json makes of one entry of busyLog,
// with no more checks than that needs.
func genericOperation(entry any) (op lease.Operation) {
	list := entry.([]any)
	integer := func(i int) int64 {
		n, err := list[i].(json.Number).Int64()
		if err != nil {
			panic(err)
		}
		return n
	}
	op.Kind, _ = lease.ParseKind(list[0].(string), lease.Plain)
	op.At = lease.Instant(integer(1))
	switch op.Kind {
	case lease.Acquire, lease.Renew:
		op.Client, op.Lock, op.TTL = list[2].(string), list[3].(string), lease.Duration(integer(4))
	case lease.Release:
		op.Client, op.Lock = list[2].(string), list[3].(string)
	case lease.Write:
		op.Lock, op.Key, op.Value, op.Token = list[2].(string), list[3].(string), list[4].(string), lease.Token(integer(5))
	}
	return op
}

// genericResult is a result of busyLog as encoding/json would write it.
func genericResult(r *lease.Result) any {
	switch r.Outcome {
	case lease.Failed:
		return lease.FailureText(r.Code)
	case lease.Granted:
		return []any{"granted", r.Token, r.Until}
	case lease.Queued:
		return []any{"queued", r.Position}
	case lease.Renewed:
		return []any{"renewed", r.Token, r.Until}
	case lease.Deadlocked:
		return []any{"deadlock", r.Victims()}
	case lease.Written:
		return "ok"
	}
	return "released"
}

// modelRunner is the model as a Runner.
type modelRunner struct{ model *model.Model }

func (m modelRunner) Run(_ context.Context, ops []lease.Operation, results []lease.Result) error {
	m.model.Run(ops, results)
	return nil
}
