package review

import (
	"slices"
	"strings"
	"testing"

	"github.com/leasekeeper/lkactor/actors/lease"
)

// secondFault is a fault planted in an answer that is wrong already, for a reason that is
// known. spoil gives what has to stand in the sentence that is told of it, one of several
// between bars; nothing where it does not apply.
type secondFault struct {
	name string
	origin
	spoil func(op *lease.Operation, want answer, got *answer) (names string)
}

// origin is which state of production can lead to an answer with such a fault.
type origin uint8

const (
	possible   origin = iota // some state can, so that it may be a consequence all the same
	impossible               // none at all, not even one that the rules do not have
	untimely                 // none while it is known where its clock may be
)

var seconds = []secondFault{
	{"a lease not shown that is right", possible, func(_ *lease.Operation, want answer, got *answer) string {
		return leaveOut(&got.holders, want.holders, lentName)
	}},
	{"a lease of a client not shown that is right", possible, func(_ *lease.Operation, want answer, got *answer) string {
		return leaveOut(&got.holds, want.holds, lentName)
	}},
	{"another end of the lease that is wrong", possible, func(_ *lease.Operation, want answer, got *answer) string {
		return relent(want, got, "token", func(h *lent) { h.until++ })
	}},
	{"another token of the lease that is wrong", possible, func(_ *lease.Operation, want answer, got *answer) string {
		return relent(want, got, "token", func(h *lent) { h.token += 50 })
	}},
	{"another mode of the lease that is wrong", possible, func(_ *lease.Operation, want answer, got *answer) string {
		// The mode may come out right, on a lease that is not the known one.
		return relent(want, got, "mode|token", func(h *lent) { h.mode = otherMode[h.mode] })
	}},
	{"a mode that is none", possible, func(_ *lease.Operation, want answer, got *answer) string {
		return relent(want, got, "mode", func(h *lent) { h.mode = "odd" })
	}},
	{"a lease without a token", possible, func(_ *lease.Operation, want answer, got *answer) string {
		return relent(want, got, "token", func(h *lent) { h.token = 0 })
	}},
	{"a holder shown twice", possible, func(_ *lease.Operation, _ answer, got *answer) string {
		return showTwice(&got.holders)
	}},
	{"a lock shown twice", possible, func(_ *lease.Operation, _ answer, got *answer) string {
		return showTwice(&got.holds)
	}},
	{"a stranger in the queue", possible, func(_ *lease.Operation, _ answer, got *answer) string {
		got.queue = append(got.queue, waiter{"stranger", "exclusive"})
		return where(got.form == formLock, `"stranger"`)
	}},
	{"a waiter shown twice", possible, func(_ *lease.Operation, _ answer, got *answer) string {
		return showTwice(&got.queue)
	}},
	{"a holder that waits", possible, func(_ *lease.Operation, _ answer, got *answer) string {
		if len(got.holders) == 0 {
			return ""
		}
		got.queue = append(got.queue, waiter{got.holders[0].name, "exclusive"})
		return "and waiting for it"
	}},
	{"a waiter not shown that is right", possible, func(_ *lease.Operation, want answer, got *answer) string {
		return leaveOut(&got.queue, want.queue, func(w waiter) string { return w.client })
	}},
	{"a queue in another order", possible, func(_ *lease.Operation, want answer, got *answer) string {
		if len(got.queue) < 2 || !slices.Contains(want.queue, got.queue[0]) || !slices.Contains(want.queue, got.queue[1]) {
			return ""
		}
		got.queue[0], got.queue[1] = got.queue[1], got.queue[0]
		return "order"
	}},
	{"a waiter in another mode", possible, func(_ *lease.Operation, want answer, got *answer) string {
		if len(got.queue) == 0 || !slices.Contains(want.queue, got.queue[0]) {
			return ""
		}
		got.queue[0].mode = otherMode[got.queue[0].mode]
		return got.queue[0].client
	}},
	{"locks in another order", possible, func(_ *lease.Operation, want answer, got *answer) string {
		right := byName(want.holds)
		if len(got.holds) < 2 || right[got.holds[0].name] == nil || right[got.holds[1].name] == nil {
			return ""
		}
		got.holds[0], got.holds[1] = got.holds[1], got.holds[0]
		return "code-point|more point" // or it comes second
	}},
	{"another age", possible, func(_ *lease.Operation, _ answer, got *answer) string {
		got.age += 70
		return where(got.form == formClient, "registered")
	}},
	{"waiting for nowhere", possible, func(_ *lease.Operation, _ answer, got *answer) string {
		got.waiting = "nowhere"
		return where(got.form == formClient, "wait")
	}},
	{"an end that no clock makes", untimely, func(_ *lease.Operation, _ answer, got *answer) string {
		got.until += 1e15
		return where(lends(got), "ends at")
	}},
	{"an answer of another operation", impossible, func(_ *lease.Operation, _ answer, got *answer) string {
		there := lends(got)
		got.form = map[string]string{"renewed": "granted", "granted": "renewed"}[got.form]
		return where(there, "no answer")
	}},
	{"a word of another operation", impossible, func(op *lease.Operation, _ answer, got *answer) string {
		*got = said("closed")
		return where(op.Kind == lease.Release, "no answer")
	}},
}

var otherMode = map[string]string{"shared": "exclusive", "exclusive": "shared"}

// lends tells whether an answer has a lease of its own.
func lends(a *answer) bool { return a.form == "renewed" || a.form == "granted" }

// where gives what has to be told of a fault; nothing where it does not apply.
func where(applies bool, told string) string {
	if !applies {
		return ""
	}
	return told
}

// leaveOut takes the first of a list off it that is as it should be, and gives its name;
// nothing if there is none.
func leaveOut[T comparable](list *[]T, right []T, name func(T) string) string {
	for i, one := range *list {
		if slices.Contains(right, one) {
			*list = slices.Delete(*list, i, i+1)
			return name(one)
		}
	}
	return ""
}

func lentName(l lent) string { return l.name }

// showTwice adds the first of a list once more, if there is one.
func showTwice[T any](list *[]T) string {
	if len(*list) == 0 {
		return ""
	}
	*list = append(*list, (*list)[0])
	return "shown twice"
}

// relent changes the first lease of a view that is not as it should be. What is to be told
// may be told by its client, if it is not there at all, or counted, if it comes second.
func relent(want answer, got *answer, told string, change func(h *lent)) string {
	for _, all := range [][2][]lent{{got.holders, want.holders}, {got.holds, want.holds}} {
		for i := range all[0] {
			if h := &all[0][i]; !slices.Contains(all[1], *h) {
				change(h)
				return told + "|" + h.name + "|more point"
			}
		}
	}
	return ""
}

// longer is a service that gives one lease for longer than it was asked to, and goes on by
// the rules: what is seen of that lease later is wrong and known to follow.
var longer = deviation{"a lease lasts far too long", func(op lease.Operation, a answer) (lease.Operation, string, bool) {
	op.TTL *= 3
	return op, "", (a.form == "granted" || a.form == "renewed") && len(a.victims) == 0
}}

// mends tells whether what was spoilt in a wrong view has by chance become what it should
// be, so that there is less wrong with the view than before and nothing new.
func mends(right, got, spoilt answer) bool {
	for _, views := range [][3][]lent{{right.holders, got.holders, spoilt.holders}, {right.holds, got.holds, spoilt.holds}} {
		for _, l := range views[2] {
			if slices.Contains(views[0], l) && !slices.Contains(views[1], l) {
				return true
			}
		}
	}
	return false
}

// An answer that follows from an earlier difference and has a fault of its own besides: it
// does not follow any more, and the fault is told.
func TestASecondFaultIsNotSwallowed(t *testing.T) {
	planted := met{}
	try(t, count(), 14, randomLog, func(t *trial) {
		for _, d := range []deviation{longer, deviations[t.rng.IntN(len(deviations))]} {
			_, recorded := t.diverge(d)
			for _, f := range t.reviewed(recorded) {
				if f.Standing != Follows {
					continue
				}
				for _, s := range seconds {
					// Answers that show no instant let the clock be ahead by any time.
					never := s.origin == impossible || s.origin == untimely && d.name == longer.name
					if t.plantSecond(s, never, recorded[:f.Number]) {
						planted[s.name]++
					}
				}
			}
		}
	})
	planted.all(t, namesOf(seconds, func(s secondFault) string { return s.name }))
}

// A service that went wrong once answers as it should later on, where that is not spoilt: then
// nothing that was wrong before explains it.
func TestALaterFaultIsNotSwallowed(t *testing.T) {
	planted := met{}
	log := func(t *trial) []lease.Operation { return grouped(t, 1) }
	try(t, count(), 16, log, func(t *trial) {
		d := deviations[t.rng.IntN(len(deviations))]
		_, recorded := t.diverge(d)
		before := t.reviewed(recorded)
		if len(before) == 0 {
			return // nothing went wrong, or nobody has seen it
		}
		for _, f := range faults {
			at, both := t.plant(f, recorded, before[0].Number)
			if at < 0 || t.remembered(at, both) {
				continue
			}
			planted[f.name]++
			found := t.reviewed(both[:at+1])
			if last := found[len(found)-1]; last.Number != int64(at+1) || last.Standing == Follows {
				t.show(both[:at+1])
				t.fatalf("%s, and %s later in operation %d: found %+v", d.name, f.name, at+1, *last)
			}
		}
	})
	planted.all(t, namesOf(faults, func(f fault) string { return f.name }))
}

// remembered tells whether an answer is that of an earlier request with the same id, as it was
// recorded.
func (t *trial) remembered(at int, recorded []string) bool {
	op := &t.ops[at]
	for i := range at {
		if op.ID != "" && t.ops[i].ID == op.ID && t.ops[i].Client == op.Client && recorded[i] == recorded[at] {
			return true
		}
	}
	return false
}

// plantSecond plants a fault in the last answer, which follows from an earlier difference, and
// sees to it that it is told, and as a cause if no state leads to it. It tells whether it could
// be planted.
func (t *trial) plantSecond(s secondFault, never bool, recorded []string) bool {
	last := len(recorded) - 1
	right, got, spoilt := parse(t.right[last]), parse(recorded[last]), parse(recorded[last])
	names := s.spoil(&t.ops[last], right, &spoilt)
	if names == "" || written(spoilt) == t.right[last] || mends(right, got, spoilt) {
		return false
	}
	both := slices.Clone(recorded)
	both[last] = written(spoilt)
	found := t.reviewed(both)
	f := found[len(found)-1]
	if f.Number != int64(last+1) || f.Standing == Follows || never && f.Standing != Cause {
		t.show(both)
		t.fatalf("%s in operation %d, in place of %s: found %+v", s.name, last+1, recorded[last], *f)
	}
	if !slices.ContainsFunc(strings.Split(names, "|"), func(name string) bool { return strings.Contains(f.Why, name) }) {
		t.show(both)
		t.fatalf("%s in operation %d, in place of %s: told as %q without %q", s.name, last+1, recorded[last], f.Why, names)
	}
	return true
}
