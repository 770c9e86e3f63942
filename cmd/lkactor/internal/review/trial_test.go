package review

import (
	"encoding/json"
	"flag"
	"math/rand/v2"
	"testing"

	"github.com/leasekeeper/lkactor/actors/lease"
	"github.com/leasekeeper/lkactor/actors/model"
	"github.com/leasekeeper/lkactor/actors/oplog"
)

var (
	logs = flag.Int("logs", enough, "how many random logs get faults")
	seed = flag.Uint64("seed", 0, "the seed of the first of them")
)

// enough is how many logs it takes to meet everything.
const enough = 150

// count is how many logs a test is to run.
func count() int {
	if testing.Short() {
		return *logs / 5
	}
	return *logs
}

// trial is a random log with the answers of the rules, and the chance to spoil them.
type trial struct {
	*testing.T
	seed    uint64 // all there is to it: -seed makes the same log again
	rng     *rand.Rand
	dialect lease.Dialect
	ops     []lease.Operation
	right   []string
}

// try makes trials out of n seeds, in both dialects by turns. What one test does by chance
// has nothing to do with others that have another stream.
func try(t *testing.T, n int, stream uint64, log func(*trial) []lease.Operation, do func(*trial)) {
	for s := *seed; s < *seed+uint64(n); s++ {
		one := &trial{T: t, seed: s, rng: rand.New(rand.NewPCG(s, stream)), dialect: lease.Dialect(s % 2)}
		one.ops = log(one)
		one.right = answers(one.ops, one.dialect)
		do(one)
	}
}

// fatalf ends a test and says with which seed it comes to that.
func (t *trial) fatalf(format string, args ...any) {
	t.Helper()
	t.Fatalf("seed %d, "+format, append([]any{t.seed}, args...)...)
}

// reviewed gives what is found in the log, or as much of it as there are answers.
func (t *trial) reviewed(recorded []string) (found []*Finding) {
	r := New(headerOf(t.dialect))
	for i, answer := range recorded {
		if f := r.next(int64(i+1), &t.ops[i], answer); f != nil {
			found = append(found, f)
		}
	}
	return found
}

// next runs an operation as it is read from a log: what fails its checks is Refused.
func (r *Review) next(number int64, op *lease.Operation, recorded string) *Finding {
	var read lease.Operation
	text := string(oplog.AppendOperationIn(nil, op, r.dialect))
	oplog.ParseOperation(text, &read, r.dialect)
	return r.Do(number, &read, text, recorded)
}

// headerOf gives the header of the logs of a dialect.
func headerOf(d lease.Dialect) *oplog.Header {
	if d == lease.Live {
		return new(oplog.Header)
	}
	return nil
}

// answers gives the texts of the answers of the rules.
func answers(ops []lease.Operation, d lease.Dialect) []string {
	m := model.Make(d, nil)
	all := make([]string, len(ops))
	for i := range ops {
		result := m.Do(&ops[i])
		all[i] = string(oplog.AppendResult(nil, &result))
	}
	return all
}

// met counts what a test has met, by name.
type met map[string]int

// all sees to it that nothing has been missed, where there were logs enough.
func (m met) all(t *testing.T, names []string) {
	t.Helper()
	for _, name := range names {
		if m[name] == 0 && count() >= enough {
			t.Errorf("there was no log for this: %s", name)
		}
	}
	t.Logf("logs for each: %v", m)
}

// namesOf gives the names of all of a list.
func namesOf[T any](all []T, name func(T) string) (names []string) {
	for _, one := range all {
		names = append(names, name(one))
	}
	return names
}

// said gives the answer that is a string.
func said(text string) (a answer) {
	a.word(text)
	return a
}

// written gives the text of an answer: parse the other way round.
func written(a answer) string {
	var v any
	switch a.form {
	case formNull:
	case formLock:
		queue := [][]any{}
		for _, w := range a.queue {
			queue = append(queue, []any{w.client, w.mode})
		}
		v = map[string]any{"holders": leaseLists(a.holders), "queue": queue}
	case formClient:
		view := map[string]any{"age": nil, "holds": leaseLists(a.holds), "waiting": nil}
		if a.age != 0 {
			view["age"] = a.age
		}
		if a.waiting != "" {
			view["waiting"] = a.waiting
		}
		v = view
	case "granted", "renewed":
		v = withVictims(a, a.form, a.token, a.until)
	case "queued":
		v = withVictims(a, a.form, a.position)
	case "deadlock":
		v = withVictims(a, a.form)
	case formText, formError:
		v = a.text
	default:
		panic("no operation of a random log has an answer of the form " + a.form)
	}
	text, err := json.Marshal(v)
	if err != nil {
		panic(err) // nothing in it can fail
	}
	return string(text)
}

func withVictims(a answer, list ...any) []any {
	if len(a.victims) > 0 {
		list = append(list, a.victims)
	}
	return list
}

func leaseLists(leases []lent) [][]any {
	lists := [][]any{}
	for _, l := range leases {
		lists = append(lists, []any{l.name, l.mode, l.token, l.until})
	}
	return lists
}
