package twin_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/leasekeeper/lkactor/actors/internal/twin"
)

// do runs operations against a fresh twin and compares the last result.
func do(t *testing.T, want string, ops ...string) {
	t.Helper()
	service := twin.New()
	got := ""
	for _, op := range ops {
		got = service.Do([]byte(op))
	}
	if got != want {
		t.Errorf("%s\n got %s\nwant %s", strings.Join(ops, "\n"), got, want)
	}
}

const invalid = `"error: invalid arguments"`

// Text in which no JSON file can be kept: bytes that are not UTF-8.
func TestO10_invalidUTF8IsNoString(t *testing.T) {
	for _, bad := range []string{"\xff", "a\xc3", "\xed\xa0\x80", "\xc0\xaf", "\xf4\x90\x80\x80"} {
		do(t, invalid, `["acquire",0,"`+bad+`","L",5]`)
		do(t, invalid, `["acquire",0,"ann","`+bad+`",5]`)
		do(t, invalid, `["acquire",0,"ann","L",5,"`+bad+`"]`)
		do(t, invalid, `["write",0,"L","k","`+bad+`",1]`)
		do(t, `"error: unknown operation"`, `["`+bad+`",0]`)
		do(t, invalid, `["repeat",0,1,0,["`+bad+`"]]`)
		do(t, `{"ops":1,"results":{"error: invalid arguments":1}}`, `["repeat",0,1,0,["inspect","`+bad+`{i%0}"]]`)
		// Nobody was registered under what a careless decoder makes of it.
		do(t, `{"age":null,"holds":[],"waiting":null}`,
			`["acquire",0,"`+bad+`","L",5]`, `["status",0,"`+strings.ToValidUTF8(bad, "\ufffd")+`"]`)
	}
}

func TestO10_validStringsThatLookBroken(t *testing.T) {
	for raw, want := range map[string]string{
		`\ud83d\ude00`:     "😀",
		`\uD83D\uDE00\\`:   `😀\\`,
		`\\\ud83d\ude00`:   `\\😀`,
		`\\ud83d`:          `\\ud83d`,
		`\ufffd`:           "\ufffd",
		"\ufffd":           "\ufffd",
		`\uffff`:           "\uffff",
		`\u007f\u2028<&>`:  "\u007f\u2028<&>",
		`\b\f\n\r\t\u000B`: `\b\f\n\r\t\u000b`,
		`\/`:               `/`,
	} {
		do(t, `"`+want+`"`, `["write",0,"L","k","`+raw+`",1]`, `["read",0,"L","k"]`)
	}
}

func TestO9_integers(t *testing.T) {
	const ok, bad = `{"holders":[],"queue":[]}`, invalid
	for ts, want := range map[string]string{
		"0": ok, "-0": ok, "4611686018427387904": ok, "-4611686018427387904": ok,
		"4611686018427387905": bad, "-4611686018427387905": bad, "1" + strings.Repeat("0", 400): bad,
		"0.0": bad, "1e0": bad, "1E0": bad, "-0.0": bad, `"1"`: bad, "true": bad, "null": bad, "[1]": bad, "{}": bad,
	} {
		do(t, want, `["inspect",`+ts+`,"L"]`)
	}
}

// Spaces inside an operation mean nothing.
func TestDo_spaces(t *testing.T) {
	do(t, `["granted",1,5]`, " \n[ \"acquire\" ,\t0 , \"ann\" ,\r\n \"L\" , 5 ]\n ")
}

func TestDo_noJSON(t *testing.T) {
	for _, op := range []string{``, ` `, `[`, `["inspect",0,"L"`, `["inspect",0,"L"]]`, `["inspect",00,"L"]`, `nothing`} {
		do(t, invalid, op)
	}
}

func TestReplay_unreadable(t *testing.T) {
	for _, log := range []string{``, `{}`, `5`, `null`, `[`, `[["inspect",0,"L"],]`, `[{"lkactor":1}]`, `[{"lkactor":null,"x":2},5]`} {
		if _, err := twin.Replay([]byte(log)); err == nil {
			t.Errorf("%s: no error", log)
		}
	}
}

func TestReplay_isDoInARow(t *testing.T) {
	log := `[["acquire",0,"a","L",5],["acquire",1,"b","L",5],{"lkactor":1},["repeat",2,3,2,["renew","b","L",9]],["inspect",2,"L"]]`
	var ops []json.RawMessage
	if err := json.Unmarshal([]byte(log), &ops); err != nil {
		t.Fatal(err)
	}
	results, err := twin.Replay([]byte(log))
	if err != nil {
		t.Fatal(err)
	}
	service := twin.New()
	for i, op := range ops {
		if got := service.Do(op); got != results[i] {
			t.Errorf("operation %d: Do %s, Replay %s", i, got, results[i])
		}
	}
	if empty, err := twin.Replay([]byte(" [ ] ")); err != nil || len(empty) != 0 {
		t.Errorf("empty log: %v, %v", empty, err)
	}
}

// The largest repeat there is must not be refused, and must move the clock by
// all of its runs.
func TestR_theLargestCount(t *testing.T) {
	do(t, `{"ops":100000,"results":{"other":100000}}`,
		`["repeat",0,100000,1,["read","L","k"]]`)
	do(t, `{"holders":[],"queue":[]}`,
		`["acquire",0,"a","L",86400]`, `["repeat",0,86401,1,["read","L","k"]]`, `["inspect",5,"L"]`)
}
