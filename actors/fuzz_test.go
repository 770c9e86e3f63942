package actors_test

import (
	"bytes"
	"errors"
	"io"
	"testing"

	"github.com/leasekeeper/lkactor/actors"
	"github.com/leasekeeper/lkactor/actors/internal/twin"
	"github.com/leasekeeper/lkactor/actors/lease"
	"github.com/leasekeeper/lkactor/actors/model"
	"github.com/leasekeeper/lkactor/actors/oplog"
)

// fuzzRuns is how many runs of repeats one fuzzed log may have in all: the twin is
// slow.
const fuzzRuns = 2_000

// FuzzLog runs whatever the decoder takes for a log on the twin, the model and the
// engine, which must agree. The golden cases are what it starts from, with those
// under testdata/fuzz.
func FuzzLog(f *testing.F) {
	cases, err := twin.Cases("testdata/cases")
	if err != nil {
		f.Fatal(err)
	}
	for _, c := range cases {
		f.Add(c.Log, uint64(len(c.Log)))
	}
	system := newSystem(f)
	f.Fuzz(func(t *testing.T, log []byte, seed uint64) {
		ops, dialect, ok := fuzzed(log)
		if !ok {
			return
		}
		want, err := twin.Replay(log)
		if err != nil || len(want) != len(ops) {
			t.Fatalf("the twin has %d results for %d operations: %v", len(want), len(ops), err)
		}
		results := make([]lease.Result, len(ops))
		model.Make(dialect, nil).Run(ops, results)
		if wrong := compare(results, want); wrong != "" {
			t.Fatalf("model: %s", wrong)
		}
		results, err = runEngine(system, ops, actors.WithDialect(dialect), actors.WithDispatch(actors.Inline),
			actors.WithBatchLimits(randomLimits(seed)), actors.WithKeep(int(seed%4), int(seed%4)))
		if err != nil {
			t.Fatal(err)
		}
		if wrong := compare(results, want); wrong != "" {
			t.Fatalf("engine, seed %d: %s", seed, wrong)
		}
	})
}

// fuzzed decodes a log; ok is false if it is none, or one that would take the twin
// too long.
func fuzzed(log []byte) (ops []lease.Operation, dialect lease.Dialect, ok bool) {
	d := oplog.NewDecoder(bytes.NewReader(log), "log", oplog.Array)
	header, err := d.Header()
	if err != nil {
		return nil, 0, false
	}
	runs := int64(0)
	for {
		var op lease.Operation
		err := d.Next(&op)
		if errors.Is(err, io.EOF) {
			return ops, header.Dialect(), len(ops) <= 300
		}
		if err != nil {
			return nil, 0, false
		}
		if op.Repeat != nil {
			runs += op.Repeat.Count
		}
		if runs > fuzzRuns {
			return nil, 0, false
		}
		ops = append(ops, op)
	}
}
