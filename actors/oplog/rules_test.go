package oplog

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/leasekeeper/lkactor/actors/lease"
)

// entry pairs the text of an operation with what it must decode to.
type entry struct {
	text string
	want lease.Operation
}

// refusals gives entries for texts that are all refused alike.
func refusals(op lease.Operation, texts ...string) (entries []entry) {
	for _, text := range texts {
		entries = append(entries, entry{text, op})
	}
	return entries
}

// checkEntries decodes entries as a plain log, in both formats.
func checkEntries(t *testing.T, entries ...[]entry) {
	t.Helper()
	checkLog(t, nil, entries)
}

// checkLive decodes entries as a live log, in both formats.
func checkLive(t *testing.T, entries ...[]entry) {
	t.Helper()
	checkLog(t, []string{headerText}, entries)
}

// checkLog decodes a log of these entries behind the texts that come before them.
func checkLog(t *testing.T, before []string, entries [][]entry) {
	t.Helper()
	var texts []string
	var wants []lease.Operation
	for _, list := range entries {
		for _, e := range list {
			texts, wants = append(texts, e.text), append(wants, e.want)
		}
	}
	check := func(text string, format Format, wants []lease.Operation) {
		t.Helper()
		ops, err := decodeAll(strings.NewReader(text), format)
		if err != nil {
			t.Errorf("%s\nfails: %v", text, err)
			return
		}
		if len(ops) != len(wants) {
			t.Errorf("%d operations in\n%s", len(ops), text)
			return
		}
		for i := range wants {
			if !reflect.DeepEqual(ops[i], wants[i]) {
				t.Errorf("%s\ndecodes to %+v, want\n%+v", texts[i], ops[i], wants[i])
			}
		}
	}
	all := slices.Concat(before, texts)
	check("["+strings.Join(all, ",")+"]", Array, wants)
	check(strings.Join(all, "\n"), Lines, wants)
}

var (
	untimedInvalid = lease.RefuseUntimed(lease.InvalidArguments)
	unknown        = lease.RefuseUntimed(lease.UnknownOperation)
)

func invalidAt(at lease.Instant) lease.Operation { return lease.Refuse(at, lease.InvalidArguments) }
func badTTLAt(at lease.Instant) lease.Operation  { return lease.Refuse(at, lease.InvalidTTL) }

func TestO_EveryOperationDecodes(t *testing.T) {
	checkEntries(t, []entry{
		{`["acquire",-3,"c","l",60]`, lease.Operation{Kind: lease.Acquire, At: -3, Client: "c", Lock: "l", TTL: 60}},
		{`["acquire",0,"c","l",1,"shared"]`, lease.Operation{Kind: lease.Acquire, Client: "c", Lock: "l", TTL: 1, Mode: lease.Shared}},
		{`["acquire",0,"c","l",86400,"exclusive"]`, lease.Operation{Kind: lease.Acquire, Client: "c", Lock: "l", TTL: 86400}},
		{`["renew",1,"c","l",2]`, lease.Operation{Kind: lease.Renew, At: 1, Client: "c", Lock: "l", TTL: 2}},
		{`["release",1,"c","l"]`, lease.Operation{Kind: lease.Release, At: 1, Client: "c", Lock: "l"}},
		{`["inspect",1,"l"]`, lease.Operation{Kind: lease.Inspect, At: 1, Lock: "l"}},
		{`["status",1,"c"]`, lease.Operation{Kind: lease.Status, At: 1, Client: "c"}},
		{`["write",1,"l","k","v",7]`, lease.Operation{Kind: lease.Write, At: 1, Lock: "l", Key: "k", Value: "v", Token: 7}},
		{`["read",1,"l","k"]`, lease.Operation{Kind: lease.Read, At: 1, Lock: "l", Key: "k"}},
		{" [ \"read\"\t,\r1 , \"l\",\t\t\"k\" ] ", lease.Operation{Kind: lease.Read, At: 1, Lock: "l", Key: "k"}},
	})
}

func TestO1_NoListOfNameAndTS(t *testing.T) {
	checkEntries(t, refusals(untimedInvalid,
		`"ping"`, `null`, `true`, `false`, `5`, `-0.5e7`, `""`, `{}`, `{"acquire":1}`, `{"a":1,"a":2}`,
		`[]`, `[ ]`, `["acquire"]`, `["nonsense"]`, `[null]`, `[[]]`, `[{"a":[]}]`, `[["acquire",0,"c","l",5]]`,
	))
}

func TestO2_UnknownOperationComesBeforeTheTS(t *testing.T) {
	checkEntries(t, refusals(unknown,
		`["evict",1.5]`, `["Acquire",0,"c","l",5]`, `["acquire ",0]`, `["",0]`, `["ping",null]`, `["tick",5]`,
		`[null,0]`, `[true,"x"]`, `[7,0]`, `[["acquire"],0]`, `[{"acquire":0},0]`, `["\ud800",0]`, `["nope",0,{"x":[[],{}]},[[]]]`,
		`["acquire\u0000",0,"c","l",5]`, `["ａcquire",0]`,
	), []entry{
		{`["acq\u0075ire",0,"c","l",5]`, lease.Operation{Kind: lease.Acquire, Client: "c", Lock: "l", TTL: 5}},
		{`["\u0072\u0065ad",0,"l","k"]`, lease.Operation{Kind: lease.Read, Lock: "l", Key: "k"}},
	})
}

func TestO3_TSIsAnInteger(t *testing.T) {
	checkEntries(t, refusals(untimedInvalid,
		`["acquire",true,"c","l",5]`, `["acquire",1.5,"c","l",5]`, `["acquire","3","c","l",5]`, `["acquire",null]`,
		`["status",[],"c"]`, `["status",{},"c"]`, `["status",[0],"c"]`, `["repeat",1.0,1,1,["status","c"]]`,
	))
}

func TestO4_FailuresAfterTheTSKeepIt(t *testing.T) {
	checkEntries(t, refusals(invalidAt(9), `["acquire",9]`, `["repeat",9]`, `["write",9,"l","k","v",0]`),
		refusals(badTTLAt(-9), `["acquire",-9,"c","l",0]`))
}

func TestO5_NumberOfArguments(t *testing.T) {
	checkEntries(t, refusals(invalidAt(0),
		`["acquire",0]`, `["acquire",0,"c","l"]`, `["acquire",0,"c","l",5,"shared","x"]`,
		`["renew",0,"c","l"]`, `["renew",0,"c","l",5,"shared"]`,
		`["release",0,"c"]`, `["release",0,"c","l",5]`,
		`["inspect",0]`, `["inspect",0,"l","x"]`, `["status",0]`, `["status",0,"c","x"]`,
		`["write",0,"l","k","v"]`, `["write",0,"l","k","v",1,1]`,
		`["read",0,"l"]`, `["read",0,"l","k",null]`,
		`["acquire",0,"c","l",0,"shared","x"]`, // before the range of the ttl
	))
}

func TestO6_Types(t *testing.T) {
	var wrong []string
	for _, bad := range []string{`""`, `7`, `null`, `true`, `["c"]`, `{"c":"c"}`, `"\ud83d"`, "\"\xc3\""} {
		wrong = append(wrong,
			`["acquire",0,`+bad+`,"l",5]`, `["acquire",0,"c",`+bad+`,5]`, `["acquire",0,"c","l",5,`+bad+`]`,
			`["renew",0,`+bad+`,"l",5]`, `["renew",0,"c",`+bad+`,5]`,
			`["release",0,`+bad+`,"l"]`, `["release",0,"c",`+bad+`]`,
			`["inspect",0,`+bad+`]`, `["status",0,`+bad+`]`,
			`["write",0,`+bad+`,"k","v",1]`, `["write",0,"l",`+bad+`,"v",1]`, `["write",0,"l","k",`+bad+`,1]`,
			`["read",0,`+bad+`,"k"]`, `["read",0,"l",`+bad+`]`,
		)
	}
	for _, bad := range []string{`"5"`, `5.0`, `5e0`, `null`, `true`, `[5]`, `{}`} {
		wrong = append(wrong, `["acquire",0,"c","l",`+bad+`]`, `["renew",0,"c","l",`+bad+`]`, `["write",0,"l","k","v",`+bad+`]`)
	}
	for _, bad := range []string{`"read"`, `"Shared"`, `"shared "`, `"{i}"`, `0`} {
		wrong = append(wrong, `["acquire",0,"c","l",5,`+bad+`]`)
	}
	wrong = append(wrong, `["write",0,"l","k","v",0]`, `["write",0,"l","k","v",-1]`)
	checkEntries(t, refusals(invalidAt(0), wrong...))
}

func TestO6_TypesComeBeforeRanges(t *testing.T) {
	checkEntries(t, refusals(invalidAt(0),
		`["acquire",0,"c","l",0,"read"]`, `["acquire",0,"c","l",0,null]`, `["acquire",0,"","l",0]`, `["acquire",0,"c",7,0]`,
		`["renew",0,"c",null,86401]`, "[\"renew\",0,\"\xff\",\"l\",0]",
	))
}

func TestO7_RangeOfTheTTL(t *testing.T) {
	var wrong []string
	for _, bad := range []string{`0`, `-0`, `-1`, `86401`, `9223372036854775807`, `9223372036854775808`, `-9223372036854775809`,
		`1` + strings.Repeat("0", 30), `-1` + strings.Repeat("0", 30), strings.Repeat("9", 5000)} {
		wrong = append(wrong, `["acquire",0,"c","l",`+bad+`]`, `["acquire",0,"c","l",`+bad+`,"shared"]`, `["renew",0,"c","l",`+bad+`]`)
	}
	checkEntries(t, refusals(badTTLAt(0), wrong...))
}

func TestO9_IntegersOfAnySize(t *testing.T) {
	tests := []struct {
		text string
		want int64
		ok   bool
	}{
		{"0", 0, true}, {"-0", 0, true}, {"7", 7, true}, {"-7", -7, true},
		{"9007199254740993", 9007199254740993, true}, // more than a float64 holds
		{"999999999999999999", 999999999999999999, true},
		{"-999999999999999999", -999999999999999999, true},
		{"9223372036854775806", math.MaxInt64 - 1, true},
		{"9223372036854775807", math.MaxInt64, true},
		{"9223372036854775808", math.MaxInt64, true},
		{"-9223372036854775807", math.MinInt64, true}, // nearly: both lie out of every range
		{"-9223372036854775808", math.MinInt64, true},
		{"1" + strings.Repeat("0", 30), math.MaxInt64, true},
		{"-" + strings.Repeat("9", 400), math.MinInt64, true},
		{"5.0", 0, false}, {"1e3", 0, false}, {"1E3", 0, false}, {"-0.0", 0, false}, {"0e0", 0, false},
		{strings.Repeat("9", 400) + ".5", 0, false}, {strings.Repeat("9", 400) + "e1", 0, false},
		{"true", 0, false}, {"null", 0, false}, {`"5"`, 0, false}, {`[5]`, 0, false}, {`{}`, 0, false},
	}
	for _, test := range tests {
		if n, ok := integer(test.text); n != test.want || ok != test.ok {
			t.Errorf("%s is read as %d, %v; want %d, %v", test.text, n, ok, test.want, test.ok)
		}
	}
}

func TestO9_MagnitudesUpTo2To62(t *testing.T) {
	const edge = lease.MaxMagnitude
	write := func(token int64) lease.Operation {
		return lease.Operation{Kind: lease.Write, Lock: "l", Key: "k", Value: "v", Token: lease.Token(token)}
	}
	repeat := func(step int64) lease.Operation {
		return lease.Operation{Kind: lease.Repeat, Repeat: &lease.Repetition{Count: 1, Step: lease.Duration(step),
			Template: lease.Template{Op: lease.Operation{Kind: lease.Status, Client: "c"}}}}
	}
	checkEntries(t, []entry{
		{fmt.Sprintf(`["status",%d,"c"]`, int64(edge)), lease.Operation{Kind: lease.Status, At: edge, Client: "c"}},
		{fmt.Sprintf(`["status",%d,"c"]`, int64(-edge)), lease.Operation{Kind: lease.Status, At: -edge, Client: "c"}},
		{`["status",-0,"c"]`, lease.Operation{Kind: lease.Status, Client: "c"}},
		{fmt.Sprintf(`["write",0,"l","k","v",%d]`, int64(edge)), write(edge)},
		{`["write",0,"l","k","v",9007199254740993]`, write(9007199254740993)},
		{fmt.Sprintf(`["repeat",0,1,%d,["status","c"]]`, int64(edge)), repeat(edge)},
		{`["repeat",0,1,-0,["status","c"]]`, repeat(0)},
	}, refusals(untimedInvalid,
		fmt.Sprintf(`["status",%d,"c"]`, int64(edge+1)), fmt.Sprintf(`["status",%d,"c"]`, int64(-edge-1)),
		`["status",1`+strings.Repeat("0", 30)+`,"c"]`, `["status",-9223372036854775808,"c"]`,
		`["inspect",9223372036854775808,"l"]`,
	), refusals(invalidAt(0),
		fmt.Sprintf(`["write",0,"l","k","v",%d]`, int64(edge+1)), `["write",0,"l","k","v",1`+strings.Repeat("0", 30)+`]`,
		fmt.Sprintf(`["repeat",0,1,%d,["status","c"]]`, int64(edge+1)), `["repeat",0,1,1`+strings.Repeat("0", 30)+`,["status","c"]]`,
		`["repeat",0,1`+strings.Repeat("0", 30)+`,0,["status","c"]]`,
	))
}

func TestO10_StringsAreTakenAsTheyAre(t *testing.T) {
	for text, want := range map[string]string{
		`" c "`:              " c ",
		`"É"`:                "\u00c9",
		`"E\u0301"`:          "E\u0301", // not composed
		`"\u00c9"`:           "\u00c9",
		`"\n\t\"\\\/\b\f\r"`: "\n\t\"\\/\b\f\r",
		`"\u0000"`:           "\x00",
		`"\ud83d\ude00"`:     "😀",
		`"😀"`:                "😀",
		`"\ufffd"`:           "\ufffd", // written by somebody, so it is one
		"\"\ufffd\"":         "\ufffd",
		"\"\ufffd\\n\"":      "\ufffd\n",
		`"{i}"`:              "{i}",
		"\"\u2028\x7f\"":     "\u2028\x7f",
		`"\uFFFF"`:           "\uffff",
	} {
		checkEntries(t, []entry{{`["status",0,` + text + `]`, lease.Operation{Kind: lease.Status, Client: want}}})
	}
}

func TestO10_InvalidUnicodeIsNoString(t *testing.T) {
	for _, text := range []string{
		`"\ud800"`, `"\udc00"`, `"a\ud83d"`, `"\ud83dx"`, `"\ud83d\n"`, `"\ud83d\ud83d"`, `"\ude00\ud83d"`, `"\ufffd\ud800"`,
		"\"\xff\"", "\"a\xc3\"", "\"\xc0\x80\"", "\"\xed\xa0\x80\"", "\"\xf4\x90\x80\x80\"", "\"\xe2\x82\"", "\"\\n\xff\"", "\"\ufffd\xff\"",
	} {
		checkEntries(t, refusals(invalidAt(4), `["status",4,`+text+`]`),
			refusals(unknown, `[`+text+`,4]`),
			[]entry{{`["status",4,"c"]`, lease.Operation{Kind: lease.Status, At: 4, Client: "c"}}}) // the log stays readable
	}
}
