package review

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/leasekeeper/lkactor/actors/lease"
)

// deviation is a way in which a production service does another thing than it was
// asked to: the operation it carries out in place of one of the log, and its answer
// where that is not the one that was carried out. ok is false where it does not apply.
type deviation struct {
	name string
	do   func(op lease.Operation, right answer) (instead lease.Operation, answer string, ok bool)
}

// nothing is an operation that moves the clock and does nothing.
func nothing(op lease.Operation) lease.Operation {
	return lease.Operation{Kind: lease.Read, At: op.At, Lock: "nothing", Key: "nothing"}
}

var deviations = []deviation{
	{"a lease lasts too long", func(op lease.Operation, a answer) (lease.Operation, string, bool) {
		op.TTL += op.TTL / 2
		return op, "", op.TTL > 1 && (a.form == "granted" || a.form == "renewed")
	}},
	{"a release is not taken", func(op lease.Operation, a answer) (lease.Operation, string, bool) {
		return nothing(op), `"error: not holder"`, op.Kind == lease.Release && a.is("released")
	}},
	{"an acquire is not taken", func(op lease.Operation, a answer) (lease.Operation, string, bool) {
		return nothing(op), `"error: client busy"`, a.form == "granted" || a.form == "queued"
	}},
	{"somebody else gets in", func(op lease.Operation, a answer) (lease.Operation, string, bool) {
		op.Client = "intruder"
		return op, `"error: client busy"`, a.form == "granted" || a.form == "queued"
	}},
	{"a write under another token", func(op lease.Operation, a answer) (lease.Operation, string, bool) {
		op.Token = 100
		return op, "", a.fails(lease.StaleToken)
	}},
	{"a write is lost", func(op lease.Operation, a answer) (lease.Operation, string, bool) {
		return nothing(op), `"error: stale token"`, op.Kind == lease.Write && a.is("ok")
	}},
}

// A service that goes wrong once and then goes on by the rules from a state of its own:
// the first difference is where it went wrong, and none of those that follow is taken
// for another cause.
func TestOneCauseIsOneCause(t *testing.T) {
	later := map[Standing]int{}
	for i := range count() {
		s := *seed + uint64(i)
		rng := rand.New(rand.NewPCG(s, 8))
		dialect := lease.Dialect(i % 2)
		ops := randomLog(rng, dialect)
		right := answers(ops, dialect)
		for _, d := range deviations {
			at, recorded := diverge(rng, d, dialect, ops, right)
			if at < 0 {
				continue
			}
			found := reviewed(ops, dialect, recorded)
			if len(found) == 0 || found[0].Number != int64(at+1) || found[0].Standing != Cause {
				t.Fatalf("seed %d, %s at operation %d: found %+v first", s, d.name, at+1, *found[0])
			}
			for _, f := range found[1:] {
				later[f.Standing]++
				if f.Standing == Cause || f.After < int64(at+1) || f.After >= f.Number {
					for k, op := range ops[:f.Number] {
						t.Logf("%3d %v %s %s %d => %s, right %s", k+1, op.Kind, op.Client, op.Lock, op.At, recorded[k], right[k])
					}
					t.Fatalf("seed %d, %s at operation %d: then found %+v", s, d.name, at+1, *f)
				}
			}
		}
	}
	if count() >= enough && (later[Follows] == 0 || later[Unclear] == 0) {
		t.Errorf("the differences that came later were %v", later)
	}
	t.Logf("later differences: %v", fmt.Sprint(later))
}

// diverge has production deviate at a random one of the operations where it can, and
// gives what was recorded; at is -1 if there is none.
func diverge(rng *rand.Rand, d deviation, dialect lease.Dialect, ops []lease.Operation, right []string) (at int, recorded []string) {
	for _, i := range rng.Perm(len(ops)) {
		instead, answer, ok := d.do(ops[i], parse(right[i]))
		if !ok {
			continue
		}
		done := append([]lease.Operation(nil), ops...)
		done[i] = instead
		recorded = answers(done, dialect)
		if answer != "" {
			recorded[i] = answer
		}
		return i, recorded
	}
	return -1, nil
}
