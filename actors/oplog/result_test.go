package oplog

import (
	"encoding/json"
	"math"
	"testing"

	"github.com/leasekeeper/lkactor/actors/lease"
)

func TestO_EveryResultEncodes(t *testing.T) {
	victims := func(names ...string) *lease.Detail { return &lease.Detail{Victims: names} }
	tests := []struct {
		result lease.Result
		want   string
	}{
		{lease.Result{Outcome: lease.Granted, Token: 1, Until: 30}, `["granted",1,30]`},
		{lease.Result{Outcome: lease.Granted, Token: 1, Until: -30}, `["granted",1,-30]`},
		{lease.Result{Outcome: lease.Granted, Token: math.MaxInt64, Until: lease.MaxMagnitude + lease.MaxTTLSeconds}, `["granted",9223372036854775807,4611686018427474304]`},
		{lease.Result{Outcome: lease.Granted, Token: 2, Until: 103, Detail: victims("bob")}, `["granted",2,103,["bob"]]`},
		{lease.Result{Outcome: lease.Queued, Position: 1}, `["queued",1]`},
		{lease.Result{Outcome: lease.Queued, Position: 12, Detail: victims("a", "b")}, `["queued",12,["a","b"]]`},
		{lease.Result{Outcome: lease.Deadlocked, Detail: victims("Y", "Z")}, `["deadlock",["Y","Z"]]`},
		{lease.Result{Outcome: lease.Renewed, Token: 3, Until: 0}, `["renewed",3,0]`},
		{lease.Result{Outcome: lease.Released}, `"released"`},
		{lease.Result{Outcome: lease.Withdrawn}, `"withdrawn"`},
		{lease.Result{Outcome: lease.Written}, `"ok"`},
		{lease.Result{Outcome: lease.Null}, `null`},
		{lease.Result{Outcome: lease.Value, Value: "a:rows 1-100"}, `"a:rows 1-100"`},
		{lease.Fail(lease.InvalidArguments), `"error: invalid arguments"`},
		{lease.Fail(lease.UnknownOperation), `"error: unknown operation"`},
		{lease.Fail(lease.InvalidTTL), `"error: invalid ttl"`},
		{lease.Fail(lease.ClientBusy), `"error: client busy"`},
		{lease.Fail(lease.NotHolder), `"error: not holder"`},
		{lease.Fail(lease.StaleToken), `"error: stale token"`},
		{lease.Fail(lease.IDReused), `"error: id reused"`},
		{lease.Fail(lease.StaleLease), `"error: stale lease"`},
		{lease.Fail(lease.LockInUse), `"error: lock in use"`},
		{lease.Result{Outcome: lease.Ticked}, `null`},
		{lease.Result{Outcome: lease.Bumped, Token: lease.MaxMagnitude + 1}, `["bumped",4611686018427387905]`},
		{lease.Result{Outcome: lease.Forgotten}, `"forgotten"`},
		{lease.Result{Outcome: lease.Closed}, `"closed"`},

		{inspected(lease.LockView{}), `{"holders":[],"queue":[]}`},
		{inspected(lease.LockView{
			Holders: []lease.HolderView{{Client: "r1", Mode: lease.Shared, Token: 1, Until: 50}, {Client: "r2", Mode: lease.Shared, Token: 2, Until: 21}},
			Queue:   []lease.WaiterView{{Client: "w1"}, {Client: "r3", Mode: lease.Shared}},
		}), `{"holders":[["r1","shared",1,50],["r2","shared",2,21]],"queue":[["w1","exclusive"],["r3","shared"]]}`},
		{reported(lease.ClientView{}), `{"age":null,"holds":[],"waiting":null}`},
		{reported(lease.ClientView{Age: 3, Waiting: "L\n"}), `{"age":3,"holds":[],"waiting":"L\n"}`},
		{reported(lease.ClientView{Age: 1, Holds: []lease.HoldView{{Lock: "L1", Token: 1, Until: 100}, {Lock: "L2", Mode: lease.Shared, Token: 2, Until: 103}}}),
			`{"age":1,"holds":[["L1","exclusive",1,100],["L2","shared",2,103]],"waiting":null}`},
	}
	for _, test := range tests {
		got := string(AppendResult(nil, &test.result))
		if got != test.want {
			t.Errorf("%+v is written as\n%s, want\n%s", test.result, got, test.want)
		}
		if !json.Valid([]byte(got)) {
			t.Errorf("%s is not JSON", got)
		}
	}
}

func inspected(view lease.LockView) lease.Result {
	return lease.Result{Outcome: lease.Inspected, Detail: &lease.Detail{Lock: &view}}
}

func reported(view lease.ClientView) lease.Result {
	return lease.Result{Outcome: lease.Reported, Detail: &lease.Detail{Client: &view}}
}

func TestR2_TalliesEncode(t *testing.T) {
	tally := func(results ...lease.Result) lease.Result {
		var tally lease.Tally
		for i := range results {
			tally.Add(&results[i])
		}
		return lease.Result{Outcome: lease.Repeated, Detail: &lease.Detail{Tally: &tally}}
	}
	bob := &lease.Detail{Victims: []string{"bob", "bob"}}
	tests := []struct {
		result lease.Result
		want   string
	}{
		{tally(lease.Result{Outcome: lease.Released}), `{"ops":1,"results":{"released":1}}`},
		{tally(lease.Result{Outcome: lease.Queued}, lease.Fail(lease.ClientBusy), lease.Result{Outcome: lease.Granted}, lease.Fail(lease.ClientBusy)),
			`{"ops":4,"results":{"error: client busy":2,"granted":1,"queued":1}}`},
		{tally(lease.Result{Outcome: lease.Granted, Detail: bob}), `{"ops":1,"results":{"granted":1},"aborted":2}`},
		{tally(lease.Result{Outcome: lease.Null}, inspected(lease.LockView{}), reported(lease.ClientView{})), `{"ops":3,"results":{"other":3}}`},
		{tally(lease.Result{Outcome: lease.Value, Value: `"x"`}, lease.Result{Outcome: lease.Value, Value: "granted"}, lease.Result{Outcome: lease.Granted},
			lease.Result{Outcome: lease.Value, Value: "é"}, lease.Result{Outcome: lease.Value, Value: "z"}),
			`{"ops":5,"results":{"\"x\"":1,"granted":2,"z":1,"é":1}}`},
	}
	for _, test := range tests {
		if got := string(AppendResult(nil, &test.result)); got != test.want {
			t.Errorf("tally is written as\n%s, want\n%s", got, test.want)
		}
	}
}

func TestO10_StringsAreWrittenWithFewEscapes(t *testing.T) {
	for text, want := range map[string]string{
		"":                 `""`,
		"plain":            `"plain"`,
		`a"b\c/d`:          `"a\"b\\c/d"`,
		"\x00\x01\x1f\x7f": "\"\\u0000\\u0001\\u001f\x7f\"",
		"\b\t\n\f\r":       `"\b\t\n\f\r"`,
		"<a>&amp;":         `"<a>&amp;"`,
		"\u2028\u2029":     "\"\u2028\u2029\"",
		"é 😀 \ufffd":       "\"é 😀 \ufffd\"",
		"\xffx":            "\"\ufffdx\"", // no rule gives such a text; it is JSON all the same
	} {
		if got := string(appendString(nil, text)); got != want {
			t.Errorf("%q is written as %s, want %s", text, got, want)
		}
	}
}
