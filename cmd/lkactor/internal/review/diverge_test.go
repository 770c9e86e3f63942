package review

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/leasekeeper/lkactor/actors/lease"
	"github.com/leasekeeper/lkactor/actors/oplog"
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
	{"an operation is done that fails its checks", func(op lease.Operation, a answer) (lease.Operation, string, bool) {
		op.TTL = 30e9
		return op, "", a.fails(lease.InvalidTTL)
	}},
	{"an operation without a ttl is done", func(op lease.Operation, a answer) (lease.Operation, string, bool) {
		return lease.Operation{Kind: lease.Acquire, At: op.At, Client: "c1", Lock: "L0", TTL: 30e9}, "", a.fails(lease.InvalidArguments)
	}},
	{"the clock jumps ahead", func(op lease.Operation, a answer) (lease.Operation, string, bool) {
		ahead := 20 * (int64(op.TTL) + 1)
		op.At += lease.Instant(ahead)
		return op, "", a.form == "granted" || a.form == "renewed"
	}},
	// Those that follow are answered as they should be, and show later.
	{"a release is answered and not done", func(op lease.Operation, a answer) (lease.Operation, string, bool) {
		return nothing(op), `"` + a.text + `"`, (op.Kind == lease.Release || op.Kind == lease.Evict) && (a.is("released") || a.is("withdrawn"))
	}},
	{"an acquire is answered and not done", func(op lease.Operation, a answer) (lease.Operation, string, bool) {
		return nothing(op), same(a), op.Kind == lease.Acquire && a.form != formError && len(a.victims) == 0
	}},
	{"a renewal is answered and not done", func(op lease.Operation, a answer) (lease.Operation, string, bool) {
		return nothing(op), same(a), a.form == "renewed"
	}},
	{"somebody else gets what is answered", func(op lease.Operation, a answer) (lease.Operation, string, bool) {
		op.Client = "intruder"
		return op, same(a), op.Kind == lease.Acquire && a.form != formError && len(a.victims) == 0
	}},
	{"a lease is shorter than is answered", func(op lease.Operation, a answer) (lease.Operation, string, bool) {
		op.TTL = op.TTL/2 + 1
		return op, same(a), a.form == "queued" && len(a.victims) == 0 || a.form == "granted" && len(a.victims) == 0
	}},
	{"a write is answered and lost", func(op lease.Operation, a answer) (lease.Operation, string, bool) {
		return nothing(op), `"ok"`, op.Kind == lease.Write && a.is("ok")
	}},
	{"a lock is forgotten that should not be", func(op lease.Operation, a answer) (lease.Operation, string, bool) {
		return nothing(op), `"forgotten"`, op.Kind == lease.Forget && !a.is("forgotten")
	}},
}

// same gives the text of an answer to an acquire or renew without victims.
func same(a answer) string {
	if a.form == "queued" {
		return fmt.Sprintf(`["queued",%d]`, a.position)
	}
	return fmt.Sprintf(`["%s",%d,%d]`, a.form, a.token, a.until)
}

// A service that goes wrong once and then goes on by the rules from a state of its own:
// the first difference is a cause, and none of those that follow is taken for another
// cause. In every second log the clients are in groups that keep to locks of their own, so
// that what passes on between groups is seen, and what does not.
func TestOneCauseIsOneCause(t *testing.T) {
	later, tried := map[Standing]int{}, map[string]int{}
	for i := range count() * 2 / 3 {
		s := *seed + uint64(i)
		rng := rand.New(rand.NewPCG(s, 8))
		dialect := lease.Dialect(i % 2)
		ops := grouped(rng, dialect, 1+2*(i/2%2))
		right := answers(ops, dialect)
		for _, d := range deviations {
			at, recorded := diverge(rng, d, dialect, ops, right)
			if at < 0 {
				continue
			}
			tried[d.name]++
			found := reviewed(ops, dialect, recorded)
			if len(found) == 0 && recorded[at] == right[at] {
				continue // nobody has seen it
			}
			first := found[0].Number
			if found[0].Standing != Cause || first < int64(at+1) || recorded[at] != right[at] && first != int64(at+1) {
				t.Fatalf("seed %d, %s at operation %d: found %+v first", s, d.name, at+1, *found[0])
			}
			for _, f := range found[1:] {
				later[f.Standing]++
				if f.Standing == Cause || f.After < first || f.After >= f.Number {
					for k, op := range ops[:f.Number] {
						t.Logf("%3d %s => %s, right %s", k+1, textOf(&op), recorded[k], right[k])
					}
					t.Fatalf("seed %d, %s at operation %d: then found %+v", s, d.name, at+1, *f)
				}
			}
		}
	}
	for _, d := range deviations {
		if tried[d.name] == 0 && count() >= enough {
			t.Errorf("%s was never tried", d.name)
		}
	}
	if count() >= enough && (later[Follows] == 0 || later[Unclear] == 0) {
		t.Errorf("the differences that came later were %v", later)
	}
	t.Logf("later differences: %v", later)
}

// diverge has production deviate at a random one of the operations where it can, and
// gives what was recorded; at is -1 if there is none.
func diverge(rng *rand.Rand, d deviation, dialect lease.Dialect, ops []lease.Operation, right []string) (at int, recorded []string) {
	for _, i := range rng.Perm(len(ops)) {
		instead, answer, ok := d.do(ops[i], parse(right[i]))
		if !ok {
			continue
		}
		if instead.TTL == 30e9 && dialect == lease.Plain {
			instead.TTL = 30
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

// grouped makes a log of several that have nothing to do with each other, in which some
// operations fail their checks and, in a live log, operators have a hand.
func grouped(rng *rand.Rand, d lease.Dialect, groups int) []lease.Operation {
	var ops []lease.Operation
	for g := range groups {
		for _, op := range randomLog(rng, d) {
			if rename := fmt.Sprintf("-%d", g); g > 0 {
				op.Client, op.Lock = added(op.Client, rename), added(op.Lock, rename)
			}
			switch dice := rng.IntN(40); {
			case dice == 0 && op.Kind == lease.Acquire:
				op.TTL = 0
			case dice == 1:
				op = lease.Operation{Kind: lease.Acquire, At: op.At, Client: "c1"}
			case dice < 4 && d == lease.Live && op.Lock != "":
				op = lease.Operation{Kind: lease.Forget, At: op.At, Lock: op.Lock}
			case dice == 4 && d == lease.Live && op.Client != "":
				op = lease.Operation{Kind: lease.Close, At: op.At, Client: op.Client}
			}
			ops = append(ops, op)
		}
	}
	slices.SortStableFunc(ops, func(a, b lease.Operation) int { return cmp.Compare(a.At, b.At) })
	return ops
}

func added(name, end string) string {
	if name == "" {
		return ""
	}
	return name + end
}

// textOf gives an operation as it stands in a log.
func textOf(op *lease.Operation) string { return string(oplog.AppendOperation(nil, op)) }

// Two services, each of which goes wrong once, have two causes: what is told of one log
// does not depend on the other, once an answer has shown that the clock is right.
func TestTwoCausesAreTwo(t *testing.T) {
	both := 0
	for i := range count() {
		rng := rand.New(rand.NewPCG(*seed+uint64(i), 12))
		ops := grouped(rng, lease.Plain, 2)
		right := answers(ops, lease.Plain)
		var recorded []string
		wanted := map[int64]bool{}
		recorded = slices.Clone(right)
		for _, end := range []string{"", "-1"} {
			for _, at := range rng.Perm(len(ops)) { // a grant under a wrong token, which shows its instant
				a := parse(right[at])
				if ops[at].Kind == lease.Acquire && a.form == "granted" && len(a.victims) == 0 && strings.HasSuffix(ops[at].Client, "-1") == (end == "-1") {
					recorded[at] = fmt.Sprintf(`["granted",%d,%d]`, a.token+3, a.until)
					wanted[int64(at+1)] = true
					break
				}
			}
		}
		if len(wanted) < 2 {
			continue
		}
		both++
		for _, f := range reviewed(ops, lease.Plain, recorded) {
			if f.Standing != Cause || !wanted[f.Number] {
				t.Fatalf("seed %d: faults at %v, found %+v", *seed+uint64(i), wanted, *f)
			}
		}
	}
	if both < count()/2 {
		t.Errorf("only %d logs had two faults", both)
	}
}
