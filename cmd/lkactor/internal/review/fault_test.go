package review

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/leasekeeper/lkactor/actors/lease"
)

// fault spoils one answer, and tells whether it can. The rule named in a finding must be one
// of rules.
type fault struct {
	name  string
	rules string
	spoil func(rng *rand.Rand, op *lease.Operation, a *answer) bool
}

var faults = []fault{
	{"wrong token of a grant", "Q2", func(rng *rand.Rand, _ *lease.Operation, a *answer) bool {
		a.token += lease.Token(1 + rng.IntN(3))
		return a.form == "granted"
	}},
	{"wrong token of a renewal", "L2", func(_ *rand.Rand, _ *lease.Operation, a *answer) bool {
		a.token++
		return a.form == "renewed"
	}},
	{"wrong instant of a grant", "T2 D5", func(rng *rand.Rand, _ *lease.Operation, a *answer) bool {
		a.until += lease.Instant(1 + rng.IntN(9))
		return a.form == "granted"
	}},
	{"wrong instant of a renewal", "L2", func(rng *rand.Rand, _ *lease.Operation, a *answer) bool {
		a.until -= lease.Instant(1 + rng.IntN(9))
		return a.form == "renewed"
	}},
	{"double grant", "L1 Q1", func(rng *rand.Rand, op *lease.Operation, a *answer) bool {
		waits := a.form == "queued" && len(a.victims) == 0
		*a = answer{form: "granted", token: lease.Token(1 + rng.IntN(9)), until: op.At + lease.Instant(op.TTL)}
		return waits
	}},
	{"missing grant", "Q1 T2 L1", func(_ *rand.Rand, _ *lease.Operation, a *answer) bool {
		granted := a.form == "granted" && len(a.victims) == 0
		*a = answer{form: "queued", position: 1}
		return granted
	}},
	{"wrong position", "Q1", func(rng *rand.Rand, _ *lease.Operation, a *answer) bool {
		a.position += 1 + rng.IntN(2)
		return a.form == "queued"
	}},
	{"wrong victim", "D4", func(_ *rand.Rand, _ *lease.Operation, a *answer) bool {
		if len(a.victims) == 0 {
			return false
		}
		a.victims[0] = "somebody"
		return true
	}},
	{"no victim", "D3", func(_ *rand.Rand, _ *lease.Operation, a *answer) bool {
		deadlock := len(a.victims) > 0
		*a = answer{form: "queued", position: 1}
		return deadlock
	}},
	{"a victim too few", "D6", func(_ *rand.Rand, _ *lease.Operation, a *answer) bool {
		if len(a.victims) < 2 {
			return false
		}
		a.victims = a.victims[:len(a.victims)-1]
		return true
	}},
	{"a victim for nothing", "D3 D6", func(_ *rand.Rand, _ *lease.Operation, a *answer) bool {
		switch {
		case a.form == "queued" && len(a.victims) == 0:
			a.victims = []string{"c0"}
		case a.form == "deadlock":
			a.victims = append(a.victims, "somebody")
		default:
			return false
		}
		return true
	}},
	{"busy for no reason", "C1", func(_ *rand.Rand, op *lease.Operation, a *answer) bool {
		taken := op.Kind == lease.Acquire && a.form != formError
		*a = said("error: client busy")
		return taken
	}},
	{"not busy", "C1", func(_ *rand.Rand, _ *lease.Operation, a *answer) bool {
		busy := a.fails(lease.ClientBusy)
		*a = answer{form: "queued", position: 3}
		return busy
	}},
	{"renewed without a lease", "T2 L3", func(_ *rand.Rand, op *lease.Operation, a *answer) bool {
		failed := op.Kind == lease.Renew && a.fails(lease.NotHolder)
		*a = answer{form: "renewed", token: 1, until: op.At + lease.Instant(op.TTL)}
		return failed
	}},
	{"released without a lease", "T2 L5", func(_ *rand.Rand, op *lease.Operation, a *answer) bool {
		failed := returns(op) && a.fails(lease.NotHolder)
		*a = said("released")
		return failed
	}},
	{"a lease not known", "T2 L4 L5", func(_ *rand.Rand, op *lease.Operation, a *answer) bool {
		done := (op.Kind == lease.Renew || returns(op)) && a.form != formError
		*a = said("error: not holder")
		return done
	}},
	{"wrong error", "O8 F2", func(_ *rand.Rand, op *lease.Operation, a *answer) bool {
		mayFail := op.Kind != lease.Inspect && op.Kind != lease.Status && op.Kind != lease.Read && op.Kind != lease.Tick
		busy := a.fails(lease.ClientBusy)
		*a = said("error: no such thing")
		return mayFail && !busy
	}},
	{"stale write accepted", "F1", func(_ *rand.Rand, _ *lease.Operation, a *answer) bool {
		stale := a.fails(lease.StaleToken)
		*a = said("ok")
		return stale
	}},
	{"good write refused", "F1", func(_ *rand.Rand, op *lease.Operation, a *answer) bool {
		good := op.Kind == lease.Write && a.is("ok")
		*a = said("error: stale token")
		return good
	}},
	{"wrong value", "F1 F2", func(_ *rand.Rand, op *lease.Operation, a *answer) bool {
		*a = said("another")
		return op.Kind == lease.Read
	}},
	{"a lease shown that starts when somebody looks", "T2 T3 L2", func(rng *rand.Rand, _ *lease.Operation, a *answer) bool {
		if len(a.holders) == 0 {
			return false
		}
		a.holders[0].until += lease.Instant(1 + rng.IntN(5))
		return true
	}},
	{"a waiter not shown", "Q1", func(_ *rand.Rand, _ *lease.Operation, a *answer) bool {
		shown := len(a.queue) > 0
		a.queue = nil
		return shown
	}},
	{"a holder not shown", "T2 T3", func(_ *rand.Rand, _ *lease.Operation, a *answer) bool {
		shown := len(a.holders) > 0
		a.holders = nil
		return shown
	}},
	{"wrong age", "C2 C3", func(_ *rand.Rand, op *lease.Operation, a *answer) bool {
		a.age = 77
		return op.Kind == lease.Status
	}},
}

// returns tells operations that give a lease or a request back.
func returns(op *lease.Operation) bool { return op.Kind == lease.Release || op.Kind == lease.Evict }

// One answer of a random log is spoilt, in every way that there is: it is the one
// difference that is found, by the right rule, as a cause.
func TestThePlantedFaultIsFound(t *testing.T) {
	planted := met{}
	try(t, count(), 7, randomLog, func(t *trial) {
		if found := t.reviewed(t.right); len(found) > 0 {
			t.fatalf("found %+v in a log without a fault", found[0])
		}
		for _, f := range faults {
			at, recorded := t.plant(f, t.right, 0)
			if at < 0 {
				continue
			}
			planted[f.name]++
			found := t.reviewed(recorded)
			if len(found) != 1 || found[0].Number != int64(at+1) || found[0].Standing != Cause || found[0].After != 0 {
				t.fatalf("%s at operation %d: found %d differences, first %+v", f.name, at+1, len(found), found[:min(1, len(found))])
			}
			if !slices.Contains(strings.Fields(f.rules), found[0].Rule) || found[0].Why == "" {
				t.fatalf("%s: %+v, want a rule of %s", f.name, *found[0], f.rules)
			}
		}
	})
	planted.all(t, namesOf(faults, func(f fault) string { return f.name }))
}

// plant spoils a random one of the answers that are right and that the fault applies to,
// after operation number first; at is -1 if there is none.
func (t *trial) plant(f fault, recorded []string, first int64) (at int, both []string) {
	for _, i := range t.rng.Perm(len(t.ops)) {
		spoilt := parse(t.right[i])
		if int64(i) >= first && recorded[i] == t.right[i] && f.spoil(t.rng, &t.ops[i], &spoilt) && written(spoilt) != t.right[i] {
			recorded = slices.Clone(recorded)
			recorded[i] = written(spoilt)
			return i, recorded
		}
	}
	return -1, nil
}

// An answer that is read and written again has the text that it had, so that nothing but
// what a test means to spoil is spoilt.
func TestWritten(t *testing.T) {
	forms := met{}
	try(t, count(), 15, randomLog, func(t *trial) {
		for _, text := range t.right {
			a := parse(text)
			if forms[a.form]++; written(a) != text {
				t.fatalf("%s is written as %s", text, written(a))
			}
		}
	})
	forms.all(t, []string{formNull, formText, formError, formLock, formClient, "granted", "renewed", "queued", "deadlock"})
}
