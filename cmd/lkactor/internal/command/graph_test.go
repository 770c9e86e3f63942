package command

import (
	"strings"
	"testing"
)

const ringLog = `[["acquire",0,"alice","L1",100],["acquire",1,"bob","L2",100],["acquire",2,"bob","L1",100],["acquire",3,"alice","L2",100]]`

// drawn gives what graph writes of the log with the arguments.
func drawn(t *testing.T, log string, args ...string) string {
	t.Helper()
	code, stdout, stderr := invoke(t, append([]string{"graph", "-"}, args...), strings.NewReader(log))
	if code != 0 || stderr != "" {
		t.Errorf("%v: exit code %d, stderr %q", args, code, stderr)
	}
	return stdout
}

func TestGraph(t *testing.T) {
	for _, test := range []struct {
		args       []string
		has, hasNo []string
	}{
		{[]string{"--at", "3"}, []string{"digraph", "after operation #3, at 2", `label="bob\nage 2"`, "1 in the queue"}, []string{"red", "victim", "L2"}},
		{[]string{"--at", "1"}, []string{"after operation #1, at 0", "nobody waits"}, []string{"alice"}},
		{[]string{"--deadlocks"}, []string{"operation #4, at 3: deadlock 1", `label="bob\nage 2, the victim", color=red`, `label="alice\nage 1", color=red`}, []string{"cluster_1"}},
		{[]string{"--deadlocks", "--at", "4", "--as", "mermaid"}, []string{"flowchart LR", `(["bob<br/>age 2, the victim"]):::victim`, `["L2"]:::cycle`}, []string{"digraph"}},
	} {
		text := drawn(t, ringLog, test.args...)
		for _, want := range test.has {
			if !strings.Contains(text, want) {
				t.Errorf("%v: no %s in\n%s", test.args, want, text)
			}
		}
		for _, not := range test.hasNo {
			if strings.Contains(text, not) {
				t.Errorf("%v: %s in\n%s", test.args, not, text)
			}
		}
	}
	if text := drawn(t, liveHeader+`["acquire",0,"a","L",1000000000]`+"\n"+`["acquire",1,"b","L",1000000000]`+"\n", "--format", "lines", "--at", "2"); !strings.Contains(text, "token 1 until 2026-03-01T12:00:01.000000000Z") {
		t.Errorf("of a live log\n%s", text)
	}
}

func TestGraphOfNothing(t *testing.T) {
	const see = "Run 'lkactor graph --help' for what it takes.\n"
	check(t, []invocation{
		{"neither", "graph -", ringLog, 2, "", "lkactor: graph takes --at N or --deadlocks\n" + see},
		{"behind the end", "graph --at 5 -", ringLog, 2, "", "lkactor: --at: the log has only 4 operations\n" + see},
		{"before the start", "graph --at 0 -", ringLog, 2, "", "lkactor: operations are counted from 1 (--at)\n" + see},
		{"as a photograph", "graph --deadlocks --as png -", ringLog, 2, "", "lkactor: --as is dot or mermaid, not \"png\"\n" + see},
		{"no deadlock", "graph --deadlocks --at 3 --as mermaid -", ringLog, 0, "flowchart LR\n  none[\"nothing to be shown\"]\n" +
			"  classDef cycle stroke:#d00,stroke-width:3px\n  classDef victim stroke:#d00,stroke-width:3px,fill:#fdd,color:#000\n", "lkactor: there is no deadlock to draw\n"},
		{"no log", "graph --deadlocks -", "{", 2, "", "stdin:1:1: expected a JSON array of operations, found '{'\n"},
	})
}
