package plain_test

import (
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/leasekeeper/lkactor/actors/lease"
	"github.com/leasekeeper/lkactor/actors/model"
	"github.com/leasekeeper/lkactor/bench/internal/answer"
	"github.com/leasekeeper/lkactor/bench/internal/plain"
)

// shape is a kind of random log.
type shape struct {
	name           string
	clients, locks int
	maxTTL         int64
	maxStep        int64 // between operations; negative steps too, seldom
	shared         float64
}

var shapes = []shape{
	{"crowded", 5, 3, 12, 2, 0.3},
	{"deadlocks", 8, 6, 200, 1, 0.2},
	{"exclusive", 6, 4, 200, 1, 0},
	{"readers", 10, 3, 60, 2, 0.8},
	{"lapses", 6, 3, 4, 2, 0.3},
	{"wide", 30, 40, 100, 1, 0.3},
}

// TestPlainAgreesWithModel gives both the same random operations: every result
// has to be equal.
func TestPlainAgreesWithModel(t *testing.T) {
	const length = 300
	for _, sh := range shapes {
		t.Run(sh.name, func(t *testing.T) {
			victims := 0
			for seed := range uint64(400) {
				victims += compare(t, seed, sh.log(rand.New(rand.NewPCG(seed, 1)), length))
			}
			if sh.maxTTL > 10 && victims == 0 {
				t.Error("no deadlock in any log: nothing was tested of rule D")
			}
		})
	}
}

// compare runs the parts one after another at both and fails the test at the first
// result that differs. It gives how many clients were aborted.
func compare(t *testing.T, seed uint64, parts ...[]lease.Operation) (victims int) {
	t.Helper()
	p, m := plain.New(), model.New()
	for part, ops := range parts {
		for i := range ops {
			got, want := p.Do(&ops[i]), m.Do(&ops[i])
			if !answer.Equal(&got, &want) {
				t.Fatalf("seed %d, part %d, operation %d, %v: plain %+v %+v, model %+v %+v",
					seed, part, i, ops[i], got, got.Detail, want, want.Detail)
			}
			victims += len(got.Victims())
		}
	}
	return victims
}

// log makes a random log of n operations.
func (sh *shape) log(rng *rand.Rand, n int) []lease.Operation {
	ops := make([]lease.Operation, 0, n)
	now := lease.Instant(-5)
	for range n {
		now += lease.Instant(rng.Int64N(sh.maxStep + 1))
		op := lease.Operation{
			Kind:   kinds[rng.IntN(len(kinds))],
			At:     now,
			Client: "job" + strconv.Itoa(rng.IntN(sh.clients)),
			Lock:   "L" + strconv.Itoa(rng.IntN(sh.locks)),
			TTL:    lease.Duration(1 + rng.Int64N(sh.maxTTL)),
		}
		switch op.Kind {
		case lease.Acquire:
			if rng.Float64() < sh.shared {
				op.Mode = lease.Shared
			}
		case lease.Write:
			op.Key, op.Value, op.Token = "k", strconv.Itoa(rng.IntN(9)), lease.Token(1+rng.IntN(9))
		case lease.Read:
			op.Key = "k"
		case lease.Repeat:
			op.Repeat = sh.repetition(rng)
		}
		switch rng.IntN(100) {
		case 0:
			op.Client = "" // O6
		case 1:
			op.TTL = 0 // O7
		case 2:
			op.At -= 5 // O11
		}
		ops = append(ops, op)
	}
	return ops
}

var kinds = []lease.Kind{
	lease.Acquire, lease.Acquire, lease.Acquire, lease.Acquire, lease.Acquire, lease.Acquire,
	lease.Acquire, lease.Acquire, lease.Acquire, lease.Acquire, lease.Acquire, lease.Acquire,
	lease.Release, lease.Release, lease.Release, lease.Release,
	lease.Renew, lease.Renew, lease.Inspect, lease.Inspect, lease.Status, lease.Status,
	lease.Write, lease.Read, lease.Repeat,
}

func (sh *shape) repetition(rng *rand.Rand) *lease.Repetition {
	r := &lease.Repetition{Count: 1 + rng.Int64N(6), Step: lease.Duration(rng.IntN(2))}
	r.Template.Op = lease.Operation{Kind: lease.Acquire, Client: "job0", Lock: "L0", TTL: 9}
	if rng.IntN(2) == 0 {
		r.Template.Op.Kind = lease.Release
	}
	r.Template.Client, _ = lease.ParsePattern("job{i%" + strconv.Itoa(sh.clients) + "}")
	r.Template.Lock, _ = lease.ParsePattern("L{i+1%" + strconv.Itoa(sh.locks) + "}")
	return r
}
