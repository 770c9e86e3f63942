package command

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// files writes files into a folder and gives their paths.
func files(t *testing.T, texts map[string]string) func(name string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range texts {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return func(name string) string { return filepath.Join(dir, name) }
}

const (
	fewOps    = `[["acquire",0,"a","L",5],["acquire",1,"b","L",5],["renew",5,"a","L",5]]`
	wrongNews = `#3 differs, rule T2 (a cause)
  operation  ["renew",5,"a","L",5]
  recorded   ["renewed",1,10]
  expected   "error: not holder"
  because    token 1 of "a" lapsed at 5, so at 5 there was nothing to be renewed any more (#1 had asked for the lease); "L" is held by "b" (token 2 until 10)
`
	wrongSum = "lkactor: recorded answers that differ: 1 of 3; causes: 1, following from an earlier one: 0, unclear: 0\n"
)

func TestExpect(t *testing.T) {
	at := files(t, map[string]string{
		"log.json":       fewOps,
		"log.ndjson":     "[\"acquire\",0,\"a\",\"L\",5]\n[\"acquire\",1,\"b\",\"L\",5]\n[\"renew\",5,\"a\",\"L\",5]\n",
		"right.json":     `[["granted", 1, 5], ["queued", 1], "error: not holder"]`,
		"right.ndjson":   "[\"granted\",1,5]\n[\"queued\",1]\n\"error: not holder\"\n",
		"right.txt":      "[\"granted\",1,5]\n[\"queued\",1]\n\"error: not holder\"\n",
		"wrong.json":     `[["granted", 1, 5], ["queued", 1], ["renewed", 1, 10]]`,
		"short.json":     `[["granted", 1, 5], ["queued", 1]]`,
		"long.json":      `[["granted", 1, 5], ["queued", 1], "error: not holder", "ok", "ok"]`,
		"cut.json":       `[["granted", 1, 5], ["queued", 1`,
		"records.ndjson": `{"op":["acquire",0,"a","L",5],"result":["granted",1,5]}` + "\n" + `["acquire",1,"b","L",5]` + "\n" + `{"op": ["renew", 5, "a", "L", 5],"result":["renewed",1,10]}` + "\n",
		"open.ndjson":    `{"op":["acquire",0,"a","L",5],"result":["granted",1,5]}` + "\n" + `{"op":["acquire",1,"b","L",5]}` + "\n" + `["renew", 5, "a", "L", 5]` + "\n",
		"records.json":   `[{"op":["acquire",0,"a","L",5],"result":["granted",1,5]},{"op":["acquire",1,"b","L",5],"result":["queued",1]},{"op":["renew",5,"a","L",5],"result":["renewed",1,10]}]`,
		"others.json":    `[{"op":["acquire",0,"a","L",5],"result":["granted",1,5]},{"op":["acquire",1,"c","L",5],"result":["queued",1]}]`,
		"live.ndjson":    liveHeader + `{"op":["acquire",0,"a","L",1000000],"result":["granted",1,1000000]}` + "\n" + `{"op":["tick",1000000],"result":null}` + "\n",
		"empty.json":     " \n",
		"none.json":      "[]",
		"both.ndjson":    `{"op":["acquire",0,"a","L",5],"result":["granted",1,5]}` + "\n" + `{"op":["acquire",1,"b","L",5],"result":["queued",1],"host":"h"}` + "\n",
		"back.json":      `[{"op":["status",9,"a"],"result":{"age":null,"holds":[],"waiting":null}},{"op":["status",3,"a"],"result":{"waiting":null,"age":null,"holds":[]}}]`,
	})
	const openSum = "lkactor: recorded answers that differ: 0 of 1; causes: 0, following from an earlier one: 0, unclear: 0; " +
		"there is no answer to 2 of the 3 operations, the first of them #2\n"
	allRight := "3 recorded answers are those of the rules\n"
	check(t, []invocation{
		{"all right", "replay " + at("log.json") + " --expect " + at("right.json"), "", 0, allRight, ""},
		{"lines of both", "replay " + at("log.ndjson") + " --expect " + at("right.ndjson"), "", 0, allRight, ""},
		{"lines by their look", "replay " + at("log.ndjson") + " --expect " + at("right.txt"), "", 0, allRight, ""},
		{"a difference", "replay " + at("log.json") + " --expect " + at("wrong.json"), "", 1, wrongNews, wrongSum},
		{"records beside the log", "replay " + at("log.json") + " --expect " + at("records.json"), "", 1, wrongNews, wrongSum},
		{"records alone", "replay --expect " + at("records.json"), "", 1, wrongNews, wrongSum},
		{"some recorded", "replay --expect " + at("records.ndjson"), "", 1, wrongNews,
			strings.Replace(strings.Replace(wrongSum, "of 3", "of 2", 1), "unclear: 0", "unclear: 0; there is no answer to operation #2", 1)},
		{"some recorded, beside the log", "replay " + at("log.json") + " --expect " + at("records.ndjson"), "", 1, wrongNews,
			strings.Replace(strings.Replace(wrongSum, "of 3", "of 2", 1), "unclear: 0", "unclear: 0; there is no answer to operation #2", 1)},
		{"an entry without an answer", "replay --expect " + at("open.ndjson"), "", 1, "", openSum},
		{"an entry without an answer, beside the log", "replay " + at("log.json") + " --expect " + at("open.ndjson"), "", 1, "", openSum},
		{"some recorded, and right", "replay --json --format lines --expect -", `{"op":["acquire",0,"a","L",5],"result":["granted",1,5]}` + "\n" + `["release",1,"a","L"]` + "\n", 1,
			`{"operations":2,"answers":1,"first_unanswered":2}` + "\n", "lkactor: recorded answers that differ: 0 of 1; causes: 0, following from an earlier one: 0, unclear: 0; there is no answer to operation #2\n"},
		{"of another log", "replay " + at("log.json") + " --expect " + at("others.json"), "", 2, "",
			"lkactor: cannot read " + at("others.json") + ": its operation 2 is [\"acquire\",1,\"c\",\"L\",5], that of " + at("log.json") + " is [\"acquire\",1,\"b\",\"L\",5]\n"},
		{"answers missing", "replay " + at("log.json") + " --expect " + at("short.json"), "", 1, "",
			"lkactor: recorded answers that differ: 0 of 2; causes: 0, following from an earlier one: 0, unclear: 0; there is no answer to operation #3\n"},
		{"too many answers", "replay " + at("log.json") + " --expect " + at("long.json"), "", 1, "",
			"lkactor: recorded answers that differ: 0 of 3; causes: 0, following from an earlier one: 0, unclear: 0; there are more answers than operations: 5 to 3\n"},
		{"answers missing, for machines", "replay --json " + at("log.json") + " --expect " + at("short.json"), "", 1, `{"operations":3,"answers":2,"first_unanswered":3}` + "\n",
			"lkactor: recorded answers that differ: 0 of 2; causes: 0, following from an earlier one: 0, unclear: 0; there is no answer to operation #3\n"},
		{"too many answers, for machines", "replay --json " + at("log.json") + " --expect " + at("long.json"), "", 1, `{"operations":3,"answers":5}` + "\n",
			"lkactor: recorded answers that differ: 0 of 3; causes: 0, following from an earlier one: 0, unclear: 0; there are more answers than operations: 5 to 3\n"},
		{"as many answers, for machines", "replay --json " + at("log.json") + " --expect " + at("right.json"), "", 0, "", ""},
		{"an empty file of answers", "replay " + at("log.json") + " --expect " + at("empty.json"), "", 2, "", "lkactor: cannot read " + at("empty.json") + ": it is empty, and should have the recorded answers\n"},
		{"no answers in it", "replay " + at("log.json") + " --expect " + at("none.json"), "", 2, "", "lkactor: cannot read " + at("none.json") + ": it has no recorded answers\n"},
		{"no answers to nothing", "replay " + at("none.json") + " --expect " + at("none.json"), "", 0, "0 recorded answers are those of the rules\n", ""},
		{"a log without answers", "replay --expect " + at("log.json"), "", 2, "", "lkactor: cannot read " + at("log.json") +
			`: no operation in it has a recorded answer, as {"op": [...], "result": ...}; to compare a log with answers in another file, name both: lkactor replay LOG --expect ANSWERS` + "\n"},
		{"the log itself", "replay " + at("log.json") + " --expect " + at("log.ndjson"), "", 2, "", "lkactor: cannot read " + at("log.ndjson") + ": it has the operations of the log and not their answers\n"},
		{"another key", "replay --expect " + at("both.ndjson"), "", 2, "", at("both.ndjson") + ":2:53: expected \"op\", \"result\" and no other key in an operation with its answer, found \"host\"\n"},
		{"another key beside the log", "replay " + at("log.json") + " --expect " + at("both.ndjson"), "", 2, "", at("both.ndjson") + ":2:53: expected \"op\", \"result\" and no other key in an operation with its answer, found \"host\"\n"},
		{"answers cut off", "replay " + at("log.json") + " --expect " + at("cut.json"), "", 2, "", at("cut.json") + ":1:33: expected the rest of the operation, found the end of the input\n"},
		{"no file of answers", "replay " + at("log.json") + " --expect no/such", "", 2, "", "lkactor: cannot read no/such: no such file or directory\n"},
		{"no log", "replay no/such --expect " + at("right.json"), "", 2, "", "lkactor: cannot read no/such: no such file or directory\n"},
		{"live", "replay --expect " + at("live.ndjson"), "", 0, "2 recorded answers are those of the rules\n", ""},
		{"back in time", "replay --expect " + at("back.json"), "", 0, "2 recorded answers are those of the rules\n",
			"lkactor: " + at("back.json") + " goes back in time: operation 2 is at 3, after the log had reached 9; the clock does not go back with it (O11, said once)\n"},
		{"with check", "replay --check --expect a b", "", 2, "",
			"lkactor: --check and --expect do not go together\nRun 'lkactor replay --help' for what it takes.\n"},
		{"json of nothing", "replay --json " + at("log.json"), "", 2, "", "lkactor: --json goes with --expect\nRun 'lkactor replay --help' for what it takes.\n"},
	})
}

func TestExpectAsJSON(t *testing.T) {
	at := files(t, map[string]string{"records.json": "[{\"op\":[\"acquire\", 0,\n\"\\u202e\",\"L\",5],\"result\":[\"granted\", 4611686018427387904,5]}]"})
	code, stdout, stderr := invoke(t, []string{"replay", "--json", "--expect", at("records.json")}, nil)
	const want = `{"operation":1,"op":["acquire",0,"\u202e","L",5],"recorded":["granted",4611686018427387904,5],"expected":["granted",1,5],` +
		`"rule":"Q2","why":"this is the first grant of \"L\", and tokens start at 1","standing":"cause"}` + "\n"
	if code != 1 || stdout != want || !json.Valid([]byte(stdout)) || !strings.Contains(stderr, "1 of 1") {
		t.Errorf("exit code %d, stderr %q, stdout\n%s, want\n%s", code, stderr, stdout, want)
	}
}

// The history of a live engine, exported with the answers that it gave, is reviewed and
// told like any other log.
func TestTheJournalOfAnEngineIsReviewed(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "journal")
	serve(t, dir, someOps(), false)
	records := run(t, 0, "", "journal", "export", "--results", dir)
	if got := run(t, 0, records, "replay", "--format", "lines", "--expect", "-"); !strings.HasSuffix(got, " recorded answers are those of the rules\n") {
		t.Errorf("reviewed: %s", got)
	}
	spoilt := strings.Replace(records, `"result":["granted",1,`, `"result":["granted",2,`, 1)
	if got := run(t, 1, spoilt, "replay", "--format", "lines", "--expect", "-"); !strings.Contains(got, "differs, rule Q2 (a cause)") {
		t.Errorf("reviewed: %s", got)
	}
	told := run(t, 0, records, "explain", "--format", "lines", "-")
	for _, want := range []string{`"L": granted to "a" at once: token 1 until 20`, `"b" queued at position 1 to share, waiting for "a"`, `accepted, with the value "\x1b[31mred\n"`, `handed over to "b": shared token 2`} {
		if !strings.Contains(told, want) {
			t.Errorf("no %q in\n%s", want, told)
		}
	}
}
