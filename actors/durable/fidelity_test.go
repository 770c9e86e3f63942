package durable

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/leasekeeper/lkactor/actors"
	"github.com/leasekeeper/lkactor/actors/lease"
	"github.com/leasekeeper/lkactor/sequencer"
	"github.com/leasekeeper/lkactor/sequencer/journal/crashfs"
)

// anything gives an operation as a program may make one up: with what its kind has no use
// for, with values of no operation, with text that is none.
func anything(rng *rand.Rand) lease.Operation {
	text := func() string {
		return []string{"a", "b", "c", "", "\xff", "\x00\n\"\\", "{i}", "é\u2028", "\ud7ff"}[min(rng.IntN(24), rng.IntN(24))%9]
	}
	number := func() int64 {
		return []int64{0, 1, 2, 5, -1, lease.MaxMagnitude, lease.MaxMagnitude + 1, 1e9, lease.MinTTLNanoseconds, lease.MaxTTLNanoseconds, lease.MaxTTLNanoseconds + 1}[rng.IntN(11)]
	}
	op := lease.Operation{
		Kind: lease.Kind(rng.IntN(int(lease.Settle) + 2)), Mode: lease.Mode(rng.IntN(8) / 3), Client: text(), Lock: text(), Key: "k",
		Value: "v", Token: lease.Token(number()), TTL: lease.Duration(number()), At: lease.Instant(number()),
	}
	if rng.IntN(2) == 0 { // more often a good one
		op.Kind = []lease.Kind{lease.Acquire, lease.Release, lease.Renew}[rng.IntN(3)]
		op.Client, op.Lock, op.TTL, op.Mode = []string{"a", "b", "c"}[rng.IntN(3)], []string{"a", "b"}[rng.IntN(2)], 1e9, lease.Exclusive
	}
	if rng.IntN(3) == 0 {
		op.ID = []string{"1", "2", "3", "\xff"}[min(rng.IntN(4), rng.IntN(4))]
	}
	if rng.IntN(4) == 0 {
		op.Expect = lease.Token(number())
	}
	if rng.IntN(6) == 0 {
		op.Code, op.Untimed = lease.Code(rng.IntN(int(lease.LockInUse)+1)), rng.IntN(3) == 0
	}
	if rng.IntN(10) == 0 {
		op.Repeat = &lease.Repetition{Count: 1}
	}
	if rng.IntN(8) == 0 {
		op.Key, op.Value = text(), text()
	}
	if op.Kind == lease.Bump && op.Token == lease.MaxMagnitude {
		op.Token = lease.MaxBump // the other is not taken
	}
	return op
}

// Whatever a program submits, the journal brings about the same again: the answers that
// the engine gave, and its state.
func TestAnyOperationIsKeptAsItWas(t *testing.T) {
	system := newSystem(t)
	for seed := range uint64(howMany(300)) {
		rng := rand.New(rand.NewPCG(seed, 61))
		fs, clock := crashfs.New(seed), &hand{wall: zero}
		s := mustServe(t, system, options(fs), clock, actors.WithDispatch(actors.Inline))
		var ops []lease.Operation
		answers := map[uint64]actors.Answer{}
		for range 60 {
			op := anything(rng)
			a := s.ask(t, op)
			answers[a.Seq] = a
			ops = append(ops, op)
			clock.advance(time.Duration(rng.IntN(400)) * time.Millisecond)
		}
		if err := s.stop(); err != nil {
			t.Fatal(err)
		}
		kept, results, m := history(t, fs)
		asked := 0
		for seq := range results {
			a, known := answers[uint64(seq)]
			if !known {
				continue // a tick
			}
			if got, want := resultBytes(&results[seq]), resultBytes(&a.Result); !bytes.Equal(got, want) {
				t.Fatalf("seed %d, operation %d: %+v was answered with %s; the journal has %+v, which gives %s", seed, seq, ops[asked], want, kept[seq], got)
			}
			asked++
		}
		if asked != len(ops) {
			t.Fatalf("seed %d: %d of %d operations are in the journal", seed, asked, len(ops))
		}
		r := mustOpen(t, options(fs))
		if !bytes.Equal(recoveredBytes(t, r), stateBytes(t, m)) {
			t.Fatalf("seed %d: another state", seed)
		}
		if err := r.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// The longest operation that an engine takes can be read back, however its text is
// written; a longer one is refused with an error and is in no log.
func TestTheLongestOperation(t *testing.T) {
	system, fs := newSystem(t), crashfs.New(1)
	o := options(fs)
	o.Journal.SegmentBytes = 64 << 20
	s := mustServe(t, system, o, &hand{wall: zero})
	write := func(extra int) lease.Operation {
		op := lease.Operation{Kind: lease.Write, Lock: "L", Key: "k", Token: 1}
		op.Value = strings.Repeat("\x01", sequencer.MaxOperationBytes+extra)
		return op
	}
	if a := s.ask(t, write(-100)); a.Outcome != lease.Written {
		t.Errorf("%.60s", resultBytes(&a.Result))
	}
	limit := (*actors.LimitError)(nil)
	if _, err := s.engine.Do(t.Context(), write(+100)); !errors.As(err, &limit) || limit.Limit != actors.MaxOperationBytes ||
		!strings.Contains(err.Error(), `"L" is over 2097152 bytes in an operation`) {
		t.Errorf("%v", err)
	}
	if err := s.stop(); err != nil {
		t.Fatal(err)
	}
	if _, results, _ := history(t, fs); len(results) != 2 || results[1].Outcome != lease.Written {
		t.Errorf("%d results", len(results))
	}
	if err := mustOpen(t, o).Close(); err != nil {
		t.Fatal(err)
	}
}
