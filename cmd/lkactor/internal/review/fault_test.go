package review

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
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

// second is how long one is in the logs of a dialect.
func second(d lease.Dialect) int64 {
	if d == lease.Live {
		return 1e9
	}
	return 1
}

// headerOf gives the header of the logs of a dialect.
func headerOf(d lease.Dialect) *oplog.Header {
	if d == lease.Live {
		return new(oplog.Header)
	}
	return nil
}

// randomLog makes a log in which a few clients fight over a few locks: queues, rings,
// lapses, renewals in time and too late, writes with old and new tokens; in a live log
// ticks and evictions besides.
func randomLog(rng *rand.Rand, d lease.Dialect) []lease.Operation {
	clients, locks := 2+rng.IntN(5), 1+rng.IntN(4)
	var ops []lease.Operation
	now := int64(rng.IntN(100))
	for range 20 + rng.IntN(120) {
		now += int64([]int{0, 0, 0, 1, 1, 2, 5}[rng.IntN(7)])
		op := lease.Operation{
			At: lease.Instant(now * second(d)), Client: fmt.Sprint("c", rng.IntN(clients)), Lock: fmt.Sprint("L", rng.IntN(locks)),
			TTL: lease.Duration(int64(1+rng.IntN(40)) * second(d)),
		}
		switch dice := rng.IntN(20); {
		case d == lease.Live && dice == 0:
			op = lease.Operation{Kind: lease.Tick, At: op.At}
		case d == lease.Live && dice == 1:
			op.Kind, op.TTL = lease.Evict, 0
		case dice < 9:
			op.Kind, op.Mode = lease.Acquire, lease.Mode(max(0, rng.IntN(4)-2))
		case dice < 11:
			op.Kind = lease.Renew
		case dice < 13:
			op.Kind, op.TTL = lease.Release, 0
		case dice < 15:
			op = lease.Operation{Kind: lease.Inspect, At: op.At, Lock: op.Lock}
		case dice < 17:
			op = lease.Operation{Kind: lease.Status, At: op.At, Client: op.Client}
		case dice < 19:
			op = lease.Operation{Kind: lease.Write, At: op.At, Lock: op.Lock, Key: "k", Value: fmt.Sprint("v", now), Token: lease.Token(1 + rng.IntN(6))}
		default:
			op = lease.Operation{Kind: lease.Read, At: op.At, Lock: op.Lock, Key: "k"}
		}
		ops = append(ops, op)
	}
	return ops
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

func reviewed(ops []lease.Operation, d lease.Dialect, recorded []string) []*Finding {
	r := New(headerOf(d))
	var all []*Finding
	for i := range ops {
		if f := r.next(int64(i+1), &ops[i], recorded[i]); f != nil {
			all = append(all, f)
		}
	}
	return all
}

// next runs an operation as it is read from a log: what fails its checks is Refused.
func (r *Review) next(number int64, op *lease.Operation, recorded string) *Finding {
	var read lease.Operation
	text := string(oplog.AppendOperationIn(nil, op, r.dialect))
	oplog.ParseOperation(text, &read, r.dialect)
	return r.Do(number, &read, text, recorded)
}

// fault spoils one answer; it gives nothing where it does not apply. The rule named in
// a finding must be one of rules.
type fault struct {
	name  string
	rules string
	spoil func(rng *rand.Rand, op *lease.Operation, right answer, text string) string
}

var faults = []fault{
	{"wrong token of a grant", "Q2", func(rng *rand.Rand, _ *lease.Operation, a answer, text string) string {
		if a.form != "granted" {
			return ""
		}
		return strings.Replace(text, fmt.Sprintf(`["granted",%d,`, a.token), fmt.Sprintf(`["granted",%d,`, int(a.token)+1+rng.IntN(3)), 1)
	}},
	{"wrong token of a renewal", "L2", func(_ *rand.Rand, _ *lease.Operation, a answer, text string) string {
		if a.form != "renewed" {
			return ""
		}
		return fmt.Sprintf(`["renewed",%d,%d]`, a.token+1, a.until)
	}},
	{"wrong instant of a grant", "T2 D5", func(rng *rand.Rand, _ *lease.Operation, a answer, text string) string {
		if a.form != "granted" {
			return ""
		}
		head := fmt.Sprintf(`["granted",%d,`, a.token)
		return strings.Replace(text, fmt.Sprint(head, a.until), fmt.Sprint(head, int(a.until)+1+rng.IntN(9)), 1)
	}},
	{"wrong instant of a renewal", "L2", func(rng *rand.Rand, _ *lease.Operation, a answer, _ string) string {
		if a.form != "renewed" {
			return ""
		}
		return fmt.Sprintf(`["renewed",%d,%d]`, a.token, int(a.until)-1-rng.IntN(9))
	}},
	{"double grant", "L1 Q1", func(rng *rand.Rand, op *lease.Operation, a answer, _ string) string {
		if a.form != "queued" || len(a.victims) > 0 {
			return ""
		}
		return fmt.Sprintf(`["granted",%d,%d]`, 1+rng.IntN(9), int64(op.At)+int64(op.TTL))
	}},
	{"missing grant", "Q1 T2 L1", func(_ *rand.Rand, _ *lease.Operation, a answer, _ string) string {
		if a.form != "granted" || len(a.victims) > 0 {
			return ""
		}
		return `["queued",1]`
	}},
	{"wrong position", "Q1", func(rng *rand.Rand, _ *lease.Operation, a answer, text string) string {
		if a.form != "queued" {
			return ""
		}
		return strings.Replace(text, fmt.Sprintf(`["queued",%d`, a.position), fmt.Sprintf(`["queued",%d`, a.position+1+rng.IntN(2)), 1)
	}},
	{"wrong victim", "D4", func(_ *rand.Rand, _ *lease.Operation, a answer, text string) string {
		if len(a.victims) == 0 {
			return ""
		}
		return strings.Replace(text, `["`+a.victims[0]+`"`, `["somebody"`, 1)
	}},
	{"no victim", "D3", func(_ *rand.Rand, _ *lease.Operation, a answer, _ string) string {
		if len(a.victims) == 0 {
			return ""
		}
		return `["queued",1]`
	}},
	{"a victim too few", "D6", func(_ *rand.Rand, _ *lease.Operation, a answer, text string) string {
		if len(a.victims) < 2 {
			return ""
		}
		last := len(a.victims) - 1
		return strings.Replace(text, `,"`+a.victims[last]+`"]`, `]`, 1)
	}},
	{"a victim for nothing", "D3 D6", func(_ *rand.Rand, _ *lease.Operation, a answer, text string) string {
		switch {
		case a.form == "queued" && len(a.victims) == 0:
			return fmt.Sprintf(`["queued",%d,["c0"]]`, a.position)
		case a.form == "deadlock":
			return strings.Replace(text, `"]]`, `","somebody"]]`, 1)
		}
		return ""
	}},
	{"busy for no reason", "C1", func(_ *rand.Rand, op *lease.Operation, a answer, _ string) string {
		if op.Kind != lease.Acquire || a.form == formError {
			return ""
		}
		return `"error: client busy"`
	}},
	{"not busy", "C1", func(_ *rand.Rand, op *lease.Operation, a answer, _ string) string {
		if !a.fails(lease.ClientBusy) {
			return ""
		}
		return `["queued",3]`
	}},
	{"renewed without a lease", "T2 L3", func(_ *rand.Rand, op *lease.Operation, a answer, _ string) string {
		if op.Kind != lease.Renew || !a.fails(lease.NotHolder) {
			return ""
		}
		return fmt.Sprintf(`["renewed",1,%d]`, int64(op.At)+int64(op.TTL))
	}},
	{"released without a lease", "T2 L5", func(_ *rand.Rand, op *lease.Operation, a answer, _ string) string {
		if op.Kind != lease.Release && op.Kind != lease.Evict || !a.fails(lease.NotHolder) {
			return ""
		}
		return `"released"`
	}},
	{"a lease not known", "T2 L4 L5", func(_ *rand.Rand, op *lease.Operation, a answer, _ string) string {
		if op.Kind != lease.Renew && op.Kind != lease.Release && op.Kind != lease.Evict || a.form == formError {
			return ""
		}
		return `"error: not holder"`
	}},
	{"wrong error", "O8 F2", func(_ *rand.Rand, op *lease.Operation, a answer, text string) string {
		if op.Kind == lease.Inspect || op.Kind == lease.Status || op.Kind == lease.Read || op.Kind == lease.Tick || a.fails(lease.ClientBusy) {
			return ""
		}
		return `"error: no such thing"`
	}},
	{"stale write accepted", "F1", func(_ *rand.Rand, _ *lease.Operation, a answer, _ string) string {
		if !a.fails(lease.StaleToken) {
			return ""
		}
		return `"ok"`
	}},
	{"good write refused", "F1", func(_ *rand.Rand, op *lease.Operation, a answer, _ string) string {
		if op.Kind != lease.Write || !a.is("ok") {
			return ""
		}
		return `"error: stale token"`
	}},
	{"wrong value", "F1 F2", func(_ *rand.Rand, op *lease.Operation, a answer, _ string) string {
		if op.Kind != lease.Read {
			return ""
		}
		return `"another"`
	}},
	{"a lease shown that starts when somebody looks", "T2 T3 L2", func(rng *rand.Rand, op *lease.Operation, a answer, text string) string {
		if len(a.holders) == 0 {
			return ""
		}
		until := fmt.Sprintf(",%d]", a.holders[0].until)
		return strings.Replace(text, until, fmt.Sprintf(",%d]", int(a.holders[0].until)+1+rng.IntN(5)), 1)
	}},
	{"a waiter not shown", "Q1", func(_ *rand.Rand, _ *lease.Operation, a answer, text string) string {
		if len(a.queue) == 0 {
			return ""
		}
		return text[:strings.Index(text, `"queue"`)] + `"queue":[]}`
	}},
	{"a holder not shown", "T2 T3", func(_ *rand.Rand, _ *lease.Operation, a answer, text string) string {
		if len(a.holders) == 0 {
			return ""
		}
		return `{"holders":[],` + text[strings.Index(text, `"queue"`):]
	}},
	{"wrong age", "C2 C3", func(_ *rand.Rand, op *lease.Operation, a answer, text string) string {
		if op.Kind != lease.Status {
			return ""
		}
		return `{"age":77` + text[strings.Index(text, `,"holds"`):]
	}},
}

// One answer of a random log is spoilt, in every way that there is: it is the one
// difference that is found, by the right rule, as a cause.
func TestThePlantedFaultIsFound(t *testing.T) {
	planted := map[string]int{}
	for i := range count() {
		rng := rand.New(rand.NewPCG(*seed+uint64(i), 7))
		d := lease.Dialect(i % 2)
		ops := randomLog(rng, d)
		right := answers(ops, d)
		if found := reviewed(ops, d, right); len(found) > 0 {
			t.Fatalf("seed %d: found %+v in a log without a fault", *seed+uint64(i), found[0])
		}
		for _, f := range faults {
			at, recorded := plant(rng, f, ops, right)
			if at < 0 {
				continue
			}
			planted[f.name]++
			found := reviewed(ops, d, recorded)
			if len(found) != 1 || found[0].Number != int64(at+1) || found[0].Standing != Cause || found[0].After != 0 {
				t.Fatalf("seed %d, %s at operation %d: found %d differences, first %+v", *seed+uint64(i), f.name, at+1, len(found), found[:min(1, len(found))])
			}
			if !slices.Contains(strings.Fields(f.rules), found[0].Rule) || found[0].Why == "" {
				t.Fatalf("seed %d, %s: %+v, want a rule of %s", *seed+uint64(i), f.name, *found[0], f.rules)
			}
		}
	}
	for _, f := range faults {
		if planted[f.name] == 0 && count() >= enough {
			t.Errorf("%s was never planted", f.name)
		}
	}
}

// plant spoils a random one of the answers that the fault applies to; at is -1 if
// there is none.
func plant(rng *rand.Rand, f fault, ops []lease.Operation, right []string) (at int, recorded []string) {
	for _, i := range rng.Perm(len(ops)) {
		spoilt := f.spoil(rng, &ops[i], parse(right[i]), right[i])
		if spoilt != "" && spoilt != right[i] {
			recorded = slices.Clone(right)
			recorded[i] = spoilt
			return i, recorded
		}
	}
	return -1, nil
}
