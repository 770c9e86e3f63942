package review

import (
	"slices"
	"strings"
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
		return nothing(op), written(a), (op.Kind == lease.Release || op.Kind == lease.Evict) && (a.is("released") || a.is("withdrawn"))
	}},
	{"an acquire is answered and not done", func(op lease.Operation, a answer) (lease.Operation, string, bool) {
		return nothing(op), written(a), op.Kind == lease.Acquire && a.form != formError && len(a.victims) == 0
	}},
	{"a renewal is answered and not done", func(op lease.Operation, a answer) (lease.Operation, string, bool) {
		return nothing(op), written(a), a.form == "renewed"
	}},
	{"somebody else gets what is answered", func(op lease.Operation, a answer) (lease.Operation, string, bool) {
		op.Client = "intruder"
		return op, written(a), op.Kind == lease.Acquire && a.form != formError && len(a.victims) == 0
	}},
	{"a lease is shorter than is answered", func(op lease.Operation, a answer) (lease.Operation, string, bool) {
		op.TTL = op.TTL/2 + 1
		return op, written(a), a.form == "queued" && len(a.victims) == 0 || a.form == "granted" && len(a.victims) == 0
	}},
	{"a write is answered and lost", func(op lease.Operation, a answer) (lease.Operation, string, bool) {
		return nothing(op), `"ok"`, op.Kind == lease.Write && a.is("ok")
	}},
	{"a lock is forgotten that should not be", func(op lease.Operation, a answer) (lease.Operation, string, bool) {
		return nothing(op), `"forgotten"`, op.Kind == lease.Forget && !a.is("forgotten")
	}},
}

// A service that goes wrong once and then goes on by the rules from a state of its own:
// the first difference is a cause, and none of those that follow is taken for another
// cause. In every second log the clients are in groups that keep to locks of their own, so
// that what passes on between groups is seen, and what does not.
func TestOneCauseIsOneCause(t *testing.T) {
	later, tried := map[Standing]int{}, met{}
	log := func(t *trial) []lease.Operation { return grouped(t, 1+2*int(t.seed/2%2)) }
	try(t, count()*2/3, 8, log, func(t *trial) {
		for _, d := range deviations {
			at, recorded := t.diverge(d)
			if at < 0 {
				continue
			}
			tried[d.name]++
			found := t.reviewed(recorded)
			if len(found) == 0 && recorded[at] == t.right[at] {
				continue // nobody has seen it
			}
			first := found[0].Number
			if found[0].Standing != Cause || first < int64(at+1) || recorded[at] != t.right[at] && first != int64(at+1) {
				t.fatalf("%s at operation %d: found %+v first", d.name, at+1, *found[0])
			}
			for _, f := range found[1:] {
				later[f.Standing]++
				if f.Standing == Cause || f.After < first || f.After >= f.Number {
					t.show(recorded[:f.Number])
					t.fatalf("%s at operation %d: then found %+v", d.name, at+1, *f)
				}
			}
		}
	})
	tried.all(t, namesOf(deviations, func(d deviation) string { return d.name }))
	if count() >= enough && (later[Follows] == 0 || later[Unclear] == 0) {
		t.Errorf("the differences that came later were %v", later)
	}
	t.Logf("later differences: %v", later)
}

// diverge has production deviate at a random one of the operations where it can, and
// gives what was recorded; at is -1 if there is none.
func (t *trial) diverge(d deviation) (at int, recorded []string) {
	for _, i := range t.rng.Perm(len(t.ops)) {
		instead, answer, ok := d.do(t.ops[i], parse(t.right[i]))
		if !ok {
			continue
		}
		if instead.TTL == 30e9 && t.dialect == lease.Plain {
			instead.TTL = 30
		}
		done := slices.Clone(t.ops)
		done[i] = instead
		recorded = answers(done, t.dialect)
		if answer != "" {
			recorded[i] = answer
		}
		return i, recorded
	}
	return -1, nil
}

// show logs what was recorded beside what is right.
func (t *trial) show(recorded []string) {
	for k, answer := range recorded {
		t.Logf("%3d %s => %s, right %s", k+1, textOf(&t.ops[k]), answer, t.right[k])
	}
}

// Two services, each of which goes wrong once, have two causes: what is told of one log
// does not depend on the other, once an answer has shown that the clock is right.
func TestTwoCausesAreTwo(t *testing.T) {
	both := 0
	log := func(t *trial) []lease.Operation {
		t.dialect = lease.Plain
		return grouped(t, 2)
	}
	try(t, count(), 12, log, func(t *trial) {
		recorded, wanted := slices.Clone(t.right), map[int64]bool{}
		for _, end := range []string{"", "-1"} {
			for _, at := range t.rng.Perm(len(t.ops)) { // a grant under a wrong token, which shows its instant
				a := parse(t.right[at])
				if a.form == "granted" && len(a.victims) == 0 && strings.HasSuffix(t.ops[at].Client, "-1") == (end == "-1") {
					a.token += 3
					recorded[at] = written(a)
					wanted[int64(at+1)] = true
					break
				}
			}
		}
		if len(wanted) < 2 {
			return
		}
		both++
		for _, f := range t.reviewed(recorded) {
			if f.Standing != Cause || !wanted[f.Number] {
				t.fatalf("faults at %v, found %+v", wanted, *f)
			}
		}
	})
	if both < count()/2 {
		t.Errorf("only %d logs had two faults", both)
	}
}
