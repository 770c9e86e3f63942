package review

import (
	"regexp"
	"strings"
	"testing"

	"github.com/leasekeeper/lkactor/actors/lease"
	"github.com/leasekeeper/lkactor/cmd/lkactor/internal/escape"
)

// strange are answers that no service gives, or not to these operations.
var strange = []string{
	`null`, `"ok"`, `"released"`, `"withdrawn"`, `"error: "`, `"error: client busy"`, `"error: not holder"`, `"error: stale token"`,
	`"error: stale lease"`, `"error: id reused"`, `"error: lock in use"`, `"error: invalid ttl"`, `"error: unknown operation"`, `5`, `-0`, `1e3`, `true`,
	`[]`, `[1]`, `["granted"]`, `["granted",1]`, `["granted",1,2,3]`, `["granted",1,2,[]]`, `["granted",1,2,["c0"]]`, `["granted",-5,99999999999999999999]`,
	`["granted",null,{}]`, `["queued",0]`, `["queued",1,["c0","c0"]]`, `["queued","1"]`, `["deadlock",[]]`, `["deadlock"]`, `["deadlock",["nobody"]]`,
	`["deadlock",["c0","c1","c2","c3","c4","c5"]]`, `["renewed",1,1]`, `["renewed",1,1,["c0"]]`, `["bumped",1]`, `{}`, `{"holders":[]}`,
	`{"holders":[],"queue":[]}`, `{"holders":[["c0","exclusive",1,50]],"queue":[["c1","shared"],["c1","shared"]]}`, `{"holders":[["nobody","odd",0,0]],"queue":[["",""]]}`,
	`{"holders":[[]],"queue":[]}`, `{"age":null,"holds":[],"waiting":null}`, `{"age":1,"holds":[["L0","exclusive",1,50],["L0","exclusive",1,50]],"waiting":"L0"}`,
	`{"age":"1","holds":[["nowhere","exclusive",1,50]],"waiting":5}`, `{"ops":1,"results":{}}`, `{"ops":1,"results":[]}`, `"\u202e\u001b"`, `["granted",1,2,["\u202e\u001b"]]`, `{"holders":[["\u202e\u001b","exclusive",1,50]],"queue":[["\u202e\u001b","shared"]]}`, `{"ops":1,"results":{"\u202e\u001b":1}}`,
	`"a value"`, `[[[[]]]]`, `"error: \u3164\u202e"`, `{"ops":1,"results":{"\u115f":1}}`, `["deadlock",["\u2800"]]`, `{"holders":[["\u3164","exclusive",1,50]],"queue":[]}`,
}

var ruleNumber = regexp.MustCompile(`^[A-Z]\d+$`)

// oddLog makes a random log in which some operations fail for their form, or act on many.
func oddLog(t *trial) []lease.Operation {
	ops := randomLog(t)
	for range 5 {
		at := t.rng.IntN(len(ops))
		ops[at] = []lease.Operation{
			{Kind: lease.Refused, At: ops[at].At, Code: lease.InvalidArguments},
			{Kind: lease.Refused, Untimed: true, Code: lease.UnknownOperation},
			{Kind: lease.Repeat, At: ops[at].At, Repeat: &lease.Repetition{Count: 3, Template: lease.Template{Op: lease.Operation{Kind: lease.Release, Client: "c0", Lock: "L0"}}}},
			{Kind: lease.Close, At: ops[at].At, Client: "c0"},
			{Kind: lease.Forget, At: ops[at].At, Lock: "L0"},
			{Kind: lease.Bump, At: ops[at].At, Lock: "L0", Token: 9},
			{Kind: lease.Acquire, At: ops[at].At, Client: "c0", Lock: "L0", TTL: lease.Duration(5 * second(t.dialect)), ID: "x"},
		}[t.rng.IntN(7)]
	}
	return ops
}

// Whatever was recorded, it is judged: with a rule and a reason, and without a panic.
func TestAnyAnswerIsJudged(t *testing.T) {
	try(t, count(), 10, oddLog, func(t *trial) {
		r := New(headerOf(t.dialect))
		for k, right := range t.right {
			recorded := right
			switch t.rng.IntN(3) {
			case 0:
				recorded = strange[t.rng.IntN(len(strange))]
			case 1:
				recorded = t.right[t.rng.IntN(len(t.right))]
			}
			f := r.next(int64(k+1), &t.ops[k], recorded)
			if (f == nil) != (recorded == right) {
				t.fatalf("operation %d: %s recorded, right is %s: found %+v", k+1, recorded, right, f)
			}
			if f != nil && (!ruleNumber.MatchString(f.Rule) || f.Why == "" || f.Expected != right || f.Recorded != recorded || f.After >= f.Number || (f.After == 0) != (f.Standing == Cause)) {
				t.fatalf("operation %d: found %+v", k+1, *f)
			}
			if f != nil && strings.ContainsFunc(f.Why, escape.Hidden) {
				t.fatalf("operation %d: the reason %q is not all text", k+1, f.Why)
			}
		}
	})
}
