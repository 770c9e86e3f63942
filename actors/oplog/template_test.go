package oplog

import (
	"fmt"
	"strings"
	"testing"

	"github.com/leasekeeper/lkactor/actors/lease"
)

// pattern is the pattern of a text that is known to be one.
func pattern(t *testing.T, text string) lease.Pattern {
	t.Helper()
	p, ok := lease.ParsePattern(text)
	if !ok {
		t.Fatalf("%q is no pattern", text)
	}
	return p
}

// repeatOf is a repeat at 5, three times, step 2.
func repeatOf(template lease.Template) lease.Operation {
	return lease.Operation{Kind: lease.Repeat, At: 5, Repeat: &lease.Repetition{Count: 3, Step: 2, Template: template}}
}

// repeatText is its text.
func repeatText(template string) string { return `["repeat",5,3,2,` + template + `]` }

func TestR_TemplatesDecode(t *testing.T) {
	acquire := lease.Operation{Kind: lease.Acquire, Client: "job{i}", Lock: "L{i%100}", TTL: 60}
	shared := acquire
	shared.Mode, shared.Lock = lease.Shared, "L"
	write := lease.Operation{Kind: lease.Write, Lock: "{i}", Key: "{i+1}", Value: "{{i+2%3}}", Token: 9}
	checkEntries(t, []entry{
		{repeatText(`["acquire","job{i}","L{i%100}",60]`), repeatOf(lease.Template{Op: acquire, Client: pattern(t, "job{i}"), Lock: pattern(t, "L{i%100}")})},
		{repeatText(`["acquire","job\u007bi}","L",60,"shared"]`), repeatOf(lease.Template{Op: shared, Client: pattern(t, "job{i}")})},
		{repeatText(`["write","{i}","{i+1}","{{i+2%3}}",9]`), repeatOf(lease.Template{Op: write, Lock: pattern(t, "{i}"), Key: pattern(t, "{i+1}"), Value: pattern(t, "{{i+2%3}}")})},
		{repeatText(`["status","{c}"]`), repeatOf(lease.Template{Op: lease.Operation{Kind: lease.Status, Client: "{c}"}})},
	})
}

func TestR3_BadRepeats(t *testing.T) {
	var bad []string
	for _, template := range []string{
		`null`, `"status"`, `{}`, `5`, `[]`, `[ ]`, `[5,"c"]`, `[null]`, `[["status"],"c"]`, `["\ud800","c"]`, "[\"\xff\"]",
		`["repeat",1,1,["status","c"]]`, `["repeat"]`, `["rep\u0065at"]`,
		`["status","{i%0}"]`, `["status","{i%000}"]`, `["status","a{i}{i+1%0}b"]`,
		`["status","{i+1234567890123456789}"]`, `["status","{i%1234567890123456789}"]`, `["status","{i+0000000000000000001}"]`,
		`["status","c","{i%0}"]`,                   // surplus
		`["acquire","c","l","{i%0}"]`,              // in the place of a ttl
		`["acquire","c","l",60,"{i%0}"]`,           // in the place of a mode
		`["nonsense","{i%0}"]`,                     // of no operation
		`["","{i%0}"]`,                             //
		`["status",5,"\u007b\u0069\u0025\u0030}"]`, // said with escapes
	} {
		bad = append(bad, repeatText(template))
	}
	bad = append(bad,
		`["repeat",5]`, `["repeat",5,3,2]`, `["repeat",5,3,2,["status","c"],0]`,
		`["repeat",5,0,2,["status","c"]]`, `["repeat",5,-1,2,["status","c"]]`, `["repeat",5,100001,2,["status","c"]]`,
		`["repeat",5,1.0,2,["status","c"]]`, `["repeat",5,"1",2,["status","c"]]`, `["repeat",5,null,2,["status","c"]]`,
		`["repeat",5,3,-1,["status","c"]]`, `["repeat",5,3,2.0,["status","c"]]`, `["repeat",5,3,"2",["status","c"]]`,
	)
	checkEntries(t, refusals(invalidAt(5), bad...))
}

func TestR3_TemplatesThatFailAreNotBad(t *testing.T) {
	fails := func(code lease.Code) lease.Operation { return repeatOf(lease.Template{Op: lease.Refuse(0, code)}) }
	entries := []entry{
		{repeatText(`["status"]`), fails(lease.InvalidArguments)},
		{repeatText(`["status",""]`), fails(lease.InvalidArguments)},
		{repeatText(`["status","\ud800{i%0}"]`), fails(lease.InvalidArguments)}, // no string, so no placeholder
		{repeatText(`["status",["{i%0}"]]`), fails(lease.InvalidArguments)},     // inside a nested list
		{repeatText(`["status",{"{i%0}":"{i%0}"}]`), fails(lease.InvalidArguments)},
		{repeatText(`["acquire","c","l","{i}"]`), fails(lease.InvalidArguments)}, // a string stays one (R1)
		{repeatText(`["acquire","c","l",60,"{i}"]`), fails(lease.InvalidArguments)},
		{repeatText(`["acquire","c","l",0,null]`), fails(lease.InvalidArguments)},
		{repeatText(`["acquire","c{i}","l",0]`), fails(lease.InvalidTTL)},
		{repeatText(`["renew","c{i}","l",1` + strings.Repeat("0", 30) + `]`), fails(lease.InvalidTTL)},
		{repeatText(`["write","l","k","v","{i+1}"]`), fails(lease.InvalidArguments)},
	}
	for _, name := range []string{`"nonsense"`, `""`, `"{i%0}"`, `"Acquire"`, `"tick"`} {
		entries = append(entries, entry{repeatText(`[` + name + `,"c"]`),
			repeatOf(lease.Template{Op: lease.RefuseUntimed(lease.UnknownOperation)})})
	}
	checkEntries(t, entries)
}

func TestR3_CountUpToTheLimit(t *testing.T) {
	op := repeatOf(lease.Template{Op: lease.Operation{Kind: lease.Status, Client: "c"}})
	op.Repeat.Count = lease.MaxRepeatCount
	checkEntries(t, []entry{{fmt.Sprintf(`["repeat",5,%d,2,["status","c"]]`, lease.MaxRepeatCount), op}})
}
