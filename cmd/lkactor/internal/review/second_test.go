package review

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/leasekeeper/lkactor/actors/lease"
)

// secondFault is a fault planted in an answer that is wrong already, for a reason that is
// known. names, or one of them with bars
// between, must stand in the sentence that is told of it; never says that no state of
// production leads to it, whatever happened before.
type secondFault struct {
	name  string
	never bool
	spoil func(op *lease.Operation, want, got answer) (spoilt answer, names string)
}

var seconds = []secondFault{
	{"a lease not shown that is right", false, func(_ *lease.Operation, want, got answer) (answer, string) {
		name := leaveOut(&got.holders, want.holders, lentName)
		return got, name
	}},
	{"a lease of a client not shown that is right", false, func(_ *lease.Operation, want, got answer) (answer, string) {
		name := leaveOut(&got.holds, want.holds, lentName)
		return got, name
	}},
	{"another end of the lease that is wrong", false, func(_ *lease.Operation, want, got answer) (answer, string) {
		got, name := relent(want, got, func(h *lent) { h.until++ })
		return got, told(name, "token")
	}},
	{"another token of the lease that is wrong", false, func(_ *lease.Operation, want, got answer) (answer, string) {
		got, name := relent(want, got, func(h *lent) { h.token += 50 })
		return got, told(name, "token")
	}},
	{"another mode of the lease that is wrong", false, func(_ *lease.Operation, want, got answer) (answer, string) {
		got, name := relent(want, got, func(h *lent) { h.mode = map[string]string{"shared": "exclusive", "exclusive": "shared"}[h.mode] })
		return got, told(name, "mode|token") // the mode may come out right, on a lease that is not the known one
	}},
	{"a mode that is none", true, func(_ *lease.Operation, want, got answer) (answer, string) {
		got, name := relent(want, got, func(h *lent) { h.mode = "odd" })
		return got, told(name, "mode")
	}},
	{"a lease without a token", true, func(_ *lease.Operation, want, got answer) (answer, string) {
		got, name := relent(want, got, func(h *lent) { h.token = 0 })
		return got, told(name, "token")
	}},
	{"a holder shown twice", true, func(_ *lease.Operation, _, got answer) (answer, string) {
		told := showTwice(&got.holders)
		return got, told
	}},
	{"a lock shown twice", true, func(_ *lease.Operation, _, got answer) (answer, string) {
		told := showTwice(&got.holds)
		return got, told
	}},
	{"a stranger in the queue", false, func(_ *lease.Operation, _, got answer) (answer, string) {
		if got.form != formLock {
			return got, ""
		}
		got.queue = append(slices.Clone(got.queue), waiter{"stranger", "exclusive"})
		return got, `"stranger"`
	}},
	{"a waiter shown twice", true, func(_ *lease.Operation, _, got answer) (answer, string) {
		told := showTwice(&got.queue)
		return got, told
	}},
	{"a holder that waits", true, func(_ *lease.Operation, _, got answer) (answer, string) {
		if len(got.holders) == 0 {
			return got, ""
		}
		got.queue = append(slices.Clone(got.queue), waiter{got.holders[0].name, "exclusive"})
		return got, "and waiting for it"
	}},
	{"a waiter not shown that is right", false, func(_ *lease.Operation, want, got answer) (answer, string) {
		name := leaveOut(&got.queue, want.queue, func(w waiter) string { return w.client })
		return got, name
	}},
	{"a queue in another order", false, func(_ *lease.Operation, want, got answer) (answer, string) {
		if len(got.queue) < 2 || !slices.Contains(want.queue, got.queue[0]) || !slices.Contains(want.queue, got.queue[1]) {
			return got, ""
		}
		got.queue = slices.Clone(got.queue)
		got.queue[0], got.queue[1] = got.queue[1], got.queue[0]
		return got, "order"
	}},
	{"a waiter in another mode", false, func(_ *lease.Operation, want, got answer) (answer, string) {
		if len(got.queue) == 0 || !slices.Contains(want.queue, got.queue[0]) {
			return got, ""
		}
		got.queue = slices.Clone(got.queue)
		got.queue[0].mode = map[string]string{"shared": "exclusive", "exclusive": "shared"}[got.queue[0].mode]
		return got, got.queue[0].client
	}},
	{"another age", false, func(_ *lease.Operation, _, got answer) (answer, string) {
		got.age += 70
		return got, "registered"
	}},
	{"waiting for nowhere", false, func(_ *lease.Operation, _, got answer) (answer, string) {
		got.waiting = "nowhere"
		return got, "wait"
	}},
	{"an end that no clock makes", true, func(op *lease.Operation, _, got answer) (answer, string) {
		if got.form != "renewed" && got.form != "granted" {
			return got, ""
		}
		got.until += 1e15
		return got, "ends at"
	}},
	{"an answer of another operation", true, func(op *lease.Operation, _, got answer) (answer, string) {
		got.form = map[string]string{"renewed": "granted", "granted": "renewed"}[got.form]
		return got, "no answer"
	}},
	{"a word of another operation", true, func(op *lease.Operation, _, got answer) (answer, string) {
		if op.Kind != lease.Release {
			return got, ""
		}
		return answer{form: formText, text: "closed"}, "no answer"
	}},
}

// told gives what has to be told of a fault; nothing if it was not planted.
func told(name, what string) string {
	if name == "" {
		return ""
	}
	// A lease that is not there at all is told by its client; what comes second is counted.
	return what + "|" + name + "|more point"
}

// leaveOut takes the first of a list off it that is as it should be, and gives its name;
// nothing if there is none.
func leaveOut[T comparable](list *[]T, right []T, name func(T) string) string {
	for i, one := range *list {
		if slices.Contains(right, one) {
			*list = slices.Delete(slices.Clone(*list), i, i+1)
			return name(one)
		}
	}
	return ""
}

func lentName(l lent) string { return l.name }

// showTwice adds the first of a list once more, if there is one, and gives what has to be
// told of it.
func showTwice[T any](list *[]T) string {
	if len(*list) == 0 {
		return ""
	}
	*list = append(slices.Clone(*list), (*list)[0])
	return "shown twice"
}

// relent changes the first lease of a view that is not as it should be.
func relent(want, got answer, change func(h *lent)) (answer, string) {
	got.holders, got.holds = slices.Clone(got.holders), slices.Clone(got.holds)
	for _, all := range [][2][]lent{{got.holders, want.holders}, {got.holds, want.holds}} {
		for i := range all[0] {
			if h := &all[0][i]; !slices.Contains(all[1], *h) {
				change(h)
				return got, h.name
			}
		}
	}
	return got, ""
}

// answerText gives the text of an answer without victims.
func answerText(a answer) string {
	leases := func(all []lent) string {
		var parts []string
		for _, h := range all {
			parts = append(parts, fmt.Sprintf(`["%s","%s",%d,%d]`, h.name, h.mode, h.token, h.until))
		}
		return strings.Join(parts, ",")
	}
	switch a.form {
	case formLock:
		var queue []string
		for _, w := range a.queue {
			queue = append(queue, fmt.Sprintf(`["%s","%s"]`, w.client, w.mode))
		}
		return fmt.Sprintf(`{"holders":[%s],"queue":[%s]}`, leases(a.holders), strings.Join(queue, ","))
	case formClient:
		age, waiting := "null", "null"
		if a.age != 0 {
			age = fmt.Sprint(a.age)
		}
		if a.waiting != "" {
			waiting = `"` + a.waiting + `"`
		}
		return fmt.Sprintf(`{"age":%s,"holds":[%s],"waiting":%s}`, age, leases(a.holds), waiting)
	case "granted", "renewed":
		return fmt.Sprintf(`["%s",%d,%d]`, a.form, a.token, a.until)
	}
	return `"` + a.text + `"`
}

// longer is a service that gives one lease for longer than it was asked to, and goes on by
// the rules: what is seen of that lease later is wrong and known to follow.
var longer = deviation{"a lease lasts too long", func(op lease.Operation, a answer) (lease.Operation, string, bool) {
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
	planted := map[string]int{}
	for i := range count() {
		s := *seed + uint64(i)
		rng := rand.New(rand.NewPCG(s, 14))
		dialect := lease.Dialect(i % 2)
		ops := randomLog(rng, dialect)
		right := answers(ops, dialect)
		at, recorded := diverge(rng, longer, dialect, ops, right)
		if at < 0 {
			continue
		}
		for _, f := range reviewed(ops, dialect, recorded) {
			if f.Standing != Follows {
				continue
			}
			at := int(f.Number - 1)
			for _, second := range seconds {
				got := parse(recorded[at])
				if second.name == "another age" || second.name == "waiting for nowhere" {
					if got.form != formClient {
						continue
					}
				}
				spoilt, names := second.spoil(&ops[at], parse(right[at]), got)
				text := answerText(spoilt)
				if names == "" || len(got.victims) > 0 || spoilt.form == "" || text == right[at] || mends(parse(right[at]), got, spoilt) {
					continue
				}
				both := slices.Clone(recorded)
				both[at] = text
				all := reviewed(ops[:at+1], dialect, both)
				g := all[len(all)-1]
				planted[second.name]++
				if g.Number != f.Number || g.Standing == Follows || second.never && g.Standing != Cause {
					t.Fatalf("seed %d, %s in operation %d: %s\nin place of %s\nby the rules %s\nfound %+v", s, second.name, at+1, text, recorded[at], right[at], *g)
				}
				if !slices.ContainsFunc(strings.Split(names, "|"), func(name string) bool { return strings.Contains(g.Why, name) }) {
					t.Fatalf("seed %d, %s in operation %d: %s\nin place of %s\nby the rules %s\ntold as %q without %q", s, second.name, at+1, text, recorded[at], right[at], g.Why, names)
				}
			}
		}
	}
	for _, second := range seconds {
		if planted[second.name] == 0 && count() >= enough {
			t.Errorf("%s was never planted", second.name)
		}
	}
	t.Logf("planted: %v", planted)
}
