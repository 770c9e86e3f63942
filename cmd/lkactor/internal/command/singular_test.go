package command

import (
	"bytes"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/leasekeeper/lkactor/actors/lease"
	"github.com/leasekeeper/lkactor/cmd/lkactor/internal/telling"
	"github.com/leasekeeper/lkactor/sequencer/journal"
)

// oneOfMany finds what is counted in the plural although there is one of it. That a number
// stands behind its noun, as in "causes: 1", is how the plural is right for any.
var oneOfMany = regexp.MustCompile(`(^|[^0-9.#-])1 ((more|older|recorded) )?(answer|byte|client|deadlock|event|lease|lock|operation|point|record|request|wait)s\b`)

// Where there is one of everything nothing is said in the plural.
func TestOneIsSingular(t *testing.T) {
	dir := t.TempDir()
	kept := filepath.Join(dir, "journal")
	serve(t, kept, []lease.Operation{{Kind: lease.Acquire, Client: "a", Lock: "L", TTL: 3600e9}}, false)
	at := files(t, map[string]string{
		"one.json": `[["acquire",0,"a","L",5]]`, "right.json": `[["granted",1,5]]`, "wrong.json": `[["granted",2,5]]`, "more.json": `[["granted",1,5],["queued",1]]`,
	})
	one := at("one.json")
	for _, args := range [][]string{
		{"replay", one}, {"replay", one, "--expect", at("right.json")}, {"replay", one, "--expect", at("wrong.json")}, {"replay", one, "--expect", at("more.json")},
		{"explain", one}, {"graph", one, "--at", "5"}, {"graph", one, "--deadlocks"}, {"timeline", one, "-o", filepath.Join(dir, "x.svg")},
		{"journal", "inspect", kept}, {"journal", "verify", kept}, {"journal", "export", kept}, {"journal", "bump", "--all", kept, "5"},
		{"journal", "accept-loss", kept},
	} {
		_, stdout, stderr := invoke(t, args, strings.NewReader(""))
		if found := oneOfMany.FindString(stdout + stderr); found != "" || stdout+stderr == "" && args[0] != "timeline" {
			t.Errorf("%q: %q in %s%s", args, found, stdout, stderr)
		}
	}
	var out bytes.Buffer
	writeFiles(&out, &journal.Report{
		Records: 1, First: 1, Last: 1, Segments: []journal.SegmentReport{{File: "s", Bytes: 1}},
		Snapshots: []journal.Snapshot{{Index: 1, Bytes: 1}}, Torn: journal.Torn{File: "s", Offset: 1, Bytes: 1, Index: 2, Why: "it is short"},
	})
	if found := oneOfMany.FindString(out.String()); found != "" || strings.Count(out.String(), "1 byte") != 3 {
		t.Errorf("%q in %s", found, out.String())
	}
}

// A count and its noun agree.
func TestMany(t *testing.T) {
	for n, want := range map[int]string{0: "0 more points", 1: "1 more point", 2: "2 more points", 11: "11 more points"} {
		if got := telling.Many(n, "more point"); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
