package telling

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/leasekeeper/lkactor/actors/lease"
	"github.com/leasekeeper/lkactor/actors/oplog"
	"github.com/leasekeeper/lkactor/actors/story"
)

// A line of JSON says all that its event does: what is read back is the event, for
// every event of random logs of both kinds.
func TestJSONSaysAll(t *testing.T) {
	seen := map[story.Kind]int{}
	for seed := range uint64(150) {
		rng := rand.New(rand.NewPCG(seed, 9))
		dialect := lease.Dialect(seed % 2)
		s := story.New(dialect, func(e *story.Event) {
			seen[e.Kind]++
			line := string(JSON(nil, e))
			if strings.Count(line, "\n") != 1 || !strings.HasSuffix(line, "}\n") {
				t.Fatalf("seed %d: %q is no line", seed, line)
			}
			if back := readBack(t, line); !reflect.DeepEqual(back, flatten(e)) {
				t.Fatalf("seed %d: %s\n   is read as %v,\n         want %v", seed, line, back, flatten(e))
			}
		})
		now := int64(0)
		for range 100 {
			now += rng.Int64N(3)
			op := anyOperation(rng, dialect, now)
			s.DoForm(&op, anyForm(rng, &op, dialect))
		}
	}
	for kind := story.Granted; kind <= story.Closed; kind++ {
		if seen[kind] == 0 {
			t.Errorf("no event %v", kind)
		}
	}
}

// anyOperation makes an operation of any kind, few of them refused for their form.
func anyOperation(rng *rand.Rand, d lease.Dialect, now int64) lease.Operation {
	unit := int64(1)
	kinds := []lease.Kind{lease.Acquire, lease.Acquire, lease.Acquire, lease.Acquire, lease.Renew, lease.Release, lease.Inspect, lease.Status, lease.Write, lease.Read, lease.Refused}
	if d == lease.Live {
		unit = 1e6
		kinds = append(kinds, lease.Tick, lease.Evict, lease.Bump, lease.Forget, lease.Close)
	} else {
		kinds = append(kinds, lease.Repeat)
	}
	op := lease.Operation{Kind: kinds[rng.IntN(len(kinds))], At: lease.Instant(now * unit)}
	client, lock := fmt.Sprint("c", rng.IntN(5)), fmt.Sprint("L\u202e", rng.IntN(3))
	switch op.Kind {
	case lease.Acquire, lease.Renew:
		op.Client, op.Lock, op.TTL, op.Mode = client, lock, lease.Duration((1+rng.Int64N(20))*unit), lease.Mode(rng.IntN(2))
		if op.Kind == lease.Renew {
			op.Mode = 0
		}
	case lease.Release, lease.Evict:
		op.Client, op.Lock = client, lock
	case lease.Inspect, lease.Forget:
		op.Lock = lock
	case lease.Status, lease.Close:
		op.Client = client
	case lease.Write:
		op.Lock, op.Key, op.Value, op.Token = lock, "k", fmt.Sprint("v", now), lease.Token(1+rng.IntN(5))
	case lease.Read:
		op.Lock, op.Key = lock, fmt.Sprint("k", rng.IntN(2))[:1+rng.IntN(2)]
	case lease.Bump:
		op.Lock, op.Token = lock, lease.Token(1+rng.IntN(30))
	case lease.Refused:
		op.Code, op.Untimed = lease.UnknownOperation, true
	case lease.Repeat:
		op.Repeat = &lease.Repetition{Count: 2, Step: 1, Template: lease.Template{Op: lease.Operation{Kind: lease.Release, Client: client, Lock: lock}}}
	}
	if d == lease.Live && op.Client != "" && rng.IntN(4) == 0 {
		op.ID = fmt.Sprint("id", rng.IntN(4))
	}
	return op
}

// anyForm makes some operations those that some text says, which are refused for their form.
func anyForm(rng *rand.Rand, op *lease.Operation, d lease.Dialect) *lease.Form {
	texts := []string{
		`["acquire",0,"c1","L0",30.5]`, `["frob\u202e",0]`, "[\"status\",0,\"\xff\x7f\"]", `{}`, `["repeat",0,2,1,["acquire","c{i}","L1",0]]`,
	}
	if rng.IntN(20) > 0 {
		return nil
	}
	text := texts[rng.IntN(len(texts))]
	oplog.ParseOperation(text, op, d)
	return oplog.FormOf(op, text, d)
}

// readBack gives the members of a line by the paths of their keys.
func readBack(t *testing.T, line string) map[string]string {
	d := json.NewDecoder(strings.NewReader(line))
	d.UseNumber()
	var v map[string]any
	if err := d.Decode(&v); err != nil {
		t.Fatalf("%s: %v", line, err)
	}
	all := map[string]string{}
	var walk func(path string, v any)
	walk = func(path string, v any) {
		switch v := v.(type) {
		case map[string]any:
			for key, member := range v {
				if path == "result" {
					walk("result", "an object")
					return
				}
				walk(strings.TrimPrefix(path+"."+key, "."), member)
			}
		case []any:
			if path == "result" {
				walk("result", "a list")
				return
			}
			for i, member := range v {
				walk(fmt.Sprint(path, ".", i), member)
			}
		default:
			all[path] = fmt.Sprint(v)
		}
	}
	walk("", v)
	return all
}

// flatten writes an event as readBack reads its line, by the documentation of
// [story.Event] alone.
func flatten(e *story.Event) map[string]string {
	f := fields{}
	f.put("event", e.Kind, true)
	f.place("", e.Place)
	f.put("doing", e.Doing, true)
	f.instant("at", e.At)
	f.instant("noticed", e.Noticed)
	f.put("lock", e.Lock, e.Lock != "")
	f.put("client", e.Client, e.Client != "")
	f.put("token", e.Token, e.Token != 0)
	f.put("age", e.Age, e.Age != 0)
	ofLease := e.Kind == story.Granted || e.Kind == story.Renewed || e.Kind == story.Lapsed || e.Kind == story.Released
	f.put("mode", e.Mode, ofLease || e.Kind == story.Queued || e.Kind == story.Withdrawn)
	f.put("until", e.Until, ofLease)
	f.put("from_queue", e.FromQueue, e.Kind == story.Granted)
	f.put("since", e.Since, ofLease && (e.Kind != story.Granted || e.FromQueue) || e.Kind == story.Withdrawn)
	f.put("was", e.Was, e.Kind == story.Renewed)
	f.put("shortened", true, e.Shortened())
	f.put("abort", true, e.Abort)
	f.put("operator", true, e.Operator)
	f.put("position", e.Position, e.Position != 0)
	f.claim("behind.", e.Behind)
	for i := range e.Holders {
		f.claim(fmt.Sprint("holders.", i, "."), &e.Holders[i])
	}
	f.put("holder_count", e.HolderCount, e.HolderCount != 0)
	if c := e.Cause; c != nil {
		f.put("cause.event", c.Kind, true)
		f.claim("cause.", &c.Claim)
		f.put("cause.at", c.At, true)
		f.put("cause.abort", true, c.Abort)
		f.put("cause.operator", true, c.Operator)
		f.place("cause.by.", c.By)
	}
	if e.Forgot.Operation != 0 {
		f.place("forgotten.", e.Forgot)
	}
	f.claim("claim.", e.Claim)
	f.put("key", e.Key, e.Key != "")
	f.put("value", e.Value, e.Value != "")
	f.put("owner", e.Owner, e.Owner != "")
	if w := e.Newer; w != nil {
		f.put("newer.token", w.Token, true)
		f.put("newer.owner", w.Owner, w.Owner != "")
		f.put("newer.at", w.At, true)
		f.place("newer.by.", w.By)
	}
	f.cycle(e.Deadlock)
	if e.First.Operation != 0 {
		f.place("first.", e.First)
	}
	f.put("code", e.Code.Error(), e.Kind == story.Failed || e.Kind == story.Refused)
	if form := e.Form; form != nil {
		f.put("form.rule", form.Rule, true)
		f.put("form.kind", form.Kind, true)
		f.put("form.part", form.Part, true)
		f.put("form.given", strings.ToValidUTF8(form.Given, "\ufffd"), form.Given != "")
		f.put("form.fault", form.Fault, true)
	}
	if e.Result != nil {
		f.put("result", result(e.Result), true)
	}
	return f
}

// result gives a result as readBack has it: what it holds is oplog's business.
func result(r *lease.Result) string {
	switch text := string(oplog.AppendResult(nil, r)); text[0] {
	case '{':
		return "an object"
	case '[':
		return "a list"
	case '"':
		return strings.Trim(text, `"`)
	default:
		return "<nil>"
	}
}

type fields map[string]string

func (f fields) put(path string, value any, matters bool) {
	if matters {
		f[path] = fmt.Sprint(value)
	}
}

func (f fields) instant(path string, at lease.Instant) {
	if f.put(path, at, true); at == lease.Dawn {
		f[path] = "<nil>"
	}
}

func (f fields) place(path string, p story.Place) {
	f.put(path+"operation", p.Operation, true)
	f.put(path+"run", p.Run, p.Run != 0)
}

func (f fields) claim(path string, c *story.Claim) {
	if c == nil {
		return
	}
	f.put(path+"lock", c.Lock, true)
	f.put(path+"client", c.Client, true)
	f.put(path+"age", c.Age, true)
	f.put(path+"mode", c.Mode, true)
	f.put(path+"token", c.Token, c.Token != 0)
	f.put(path+"since", c.Since, true)
	f.put(path+"until", c.Until, c.Token != 0)
	f.place(path+"asked.", c.Asked)
}

func (f fields) cycle(c *story.Cycle) {
	if c == nil {
		return
	}
	f.put("deadlock.requester", c.Requester, true)
	f.put("deadlock.round", c.Round, true)
	f.put("deadlock.count", c.Count, true)
	f.put("deadlock.unexplained", true, c.Unexplained)
	f.member("deadlock.victim.", c.Victim)
	for i, e := range c.Edges {
		f.edge(fmt.Sprint("deadlock.edges.", i, "."), e)
	}
	for i, e := range c.Through {
		if !c.Direct() {
			f.edge(fmt.Sprint("deadlock.through.", i, "."), e)
		}
	}
	for i, m := range c.Members {
		f.member(fmt.Sprint("deadlock.members.", i, "."), m)
	}
}

func (f fields) member(path string, m story.Member) {
	f.put(path+"client", m.Client, true)
	f.put(path+"age", m.Age, true)
	f.put(path+"bystander", true, m.Bystander)
}

func (f fields) edge(path string, e story.Edge) {
	f.put(path+"waiter", e.Waiter, true)
	f.put(path+"lock", e.Lock, true)
	f.put(path+"blocker", e.Blocker, true)
	f.put(path+"mode", e.Mode, true)
	f.put(path+"token", e.Token, e.Token != 0)
	f.put(path+"age", e.Age, true)
}
