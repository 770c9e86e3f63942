package command

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/leasekeeper/lkactor/cmd/lkactor/internal/escape"
)

const incident = "../../../../docs/examples/inc-5127.json"

const incidentResults = `[
["granted",1,30],
["queued",1],
["queued",2],
"ok",
"error: not holder",
"ok",
"error: stale token",
{"holders":[["etl-c","exclusive",3,65]],"queue":[]},
"b:rows 1-100"
]
`

// invocation is one call of lkactor and what it must do.
type invocation struct {
	name   string
	args   string // separated by spaces
	stdin  string
	code   int
	stdout string
	stderr string
}

// invoke runs one, in a folder of its own with the files of the tests.
func invoke(t *testing.T, args []string, stdin io.Reader) (code int, stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	code = Run(context.Background(), args, stdin, &out, &errs)
	return code, out.String(), errs.String()
}

func check(t *testing.T, tests []invocation) {
	t.Helper()
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			code, stdout, stderr := invoke(t, strings.Fields(test.args), strings.NewReader(test.stdin))
			if code != test.code {
				t.Errorf("exit code %d, want %d", code, test.code)
			}
			if stdout != test.stdout {
				t.Errorf("stdout is\n%s, want\n%s", stdout, test.stdout)
			}
			if stderr != test.stderr {
				t.Errorf("stderr is\n%s, want\n%s", stderr, test.stderr)
			}
		})
	}
}

func TestReplayOfALog(t *testing.T) {
	twoLines := `["acquire",0,"a","L",5]` + "\n\n" + `["acquire",1,"b","L",5]`
	check(t, []invocation{
		{"an array", "replay " + incident, "", 0, incidentResults, ""},
		{"checked", "replay --check " + incident, "", 0, incidentResults, ""},
		{"format said", "replay --format array " + incident, "", 0, incidentResults, ""},
		{"flags behind", "replay " + incident + " --check --format=array", "", 0, incidentResults, ""},
		{"standard input", "replay -", `[["acquire",0,"a","L",5],["read",1,"L","k"]]`, 0, "[\n[\"granted\",1,5],\nnull\n]\n", ""},
		{"lines", "replay --format lines -", twoLines, 0, "[\"granted\",1,5]\n[\"queued\",1]\n", ""},
		{"lines checked", "replay --format lines --check -", twoLines, 0, "[\"granted\",1,5]\n[\"queued\",1]\n", ""},
		{"nothing in it an operation", "replay --format lines -", `[["acquire",0,"a","L",5]]`, 0, "\"error: invalid arguments\"\n",
			"lkactor: nothing in stdin is an operation; it was read as lines, is that right? (--format; for a log that carries its answers, --expect)\n"},
		{"an empty array", "replay -", " [ ] ", 0, "[]\n", ""},
		{"no lines", "replay --format=lines -", "", 0, "", ""},
		{"errors are results", "replay -", `["ping",["evict",1.5],["acquire",0,"a","L",0]]`, 0,
			"[\n\"error: invalid arguments\",\n\"error: unknown operation\",\n\"error: invalid ttl\"\n]\n", ""},
		{"a repeat", "replay --check -", `[["repeat",0,5,1,["acquire","c{i}","L",1]],["repeat",9,2,0,["read","L","k"]]]`, 0,
			"[\n{\"ops\":5,\"results\":{\"granted\":5}},\n{\"ops\":2,\"results\":{\"other\":2}}\n]\n", ""},
		{"O10", "replay -", "[[\"write\",0,\"L\",\"k\",\"é<\\u2028\\\"\",1],[\"read\",0,\"L\",\"k\"],[\"status\",0,\"\\ud800\"],[\"status\",0,\"\xff\"]]", 0,
			"[\n\"ok\",\n\"é<\u2028\\\"\",\n\"error: invalid arguments\",\n\"error: invalid arguments\"\n]\n", ""},
	})
}

func TestReplayByTheNameOfTheFile(t *testing.T) {
	lines := `["status",0,"a"]` + "\n" + `["status",0,"a"]` + "\n"
	results := strings.Repeat(`{"age":null,"holds":[],"waiting":null}`+"\n", 2)
	dir := t.TempDir()
	for _, name := range []string{"log.ndjson", "log.JSONL"} {
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, []byte(lines), 0o600); err != nil {
			t.Fatal(err)
		}
		check(t, []invocation{
			{name, "replay " + file, "", 0, results, ""},
			{name + " as array", "replay --format array " + file, "", 2,
				"[\n\"error: invalid arguments\",\n\"error: invalid arguments\",\n\"error: invalid arguments\"\n",
				file + ":2:1: expected nothing after the array of operations, found '['\n"},
		})
	}
}

func TestReplayOfWhatIsNoLog(t *testing.T) {
	const hint = "lkactor: is it one operation on each line? Then try --format lines\n"
	check(t, []invocation{
		{"nothing", "replay -", "", 2, "", "stdin:1:1: expected a JSON array of operations, found the end of the input\n"},
		{"not JSON", "replay -", "hello", 2, "", "stdin:1:1: expected a JSON array of operations, found 'h'\n"},
		{"not an array", "replay -", `{"ops":[]}`, 2, "", "stdin:1:1: expected a JSON array of operations, found '{'\n"},
		{"cut", "replay -", "[[\"status\",0,\"a\"],\n[\"sta", 2, "[\n{\"age\":null,\"holds\":[],\"waiting\":null}\n",
			"stdin:2:6: expected the rest of the operation, found the end of the input\n"},
		{"more behind", "replay -", "[] x", 2, "", "stdin:1:4: expected nothing after the array of operations, found 'x'\n" + hint},
		{"lines for an array", "replay -", "[\"ping\"]\n[]", 2, "[\n\"error: invalid arguments\"\n",
			"stdin:2:1: expected nothing after the array of operations, found '['\n" + hint},
		{"a bad line", "replay --format lines -", "[\"status\",0,\"a\"]\n[]\n[,]\n[]\n", 2,
			"{\"age\":null,\"holds\":[],\"waiting\":null}\n\"error: invalid arguments\"\n", "stdin:3:2: expected a JSON value, found ','\n"},
		{"a bad line, checked", "replay --check --format lines -", "5\n\n5 5\n", 2, "\"error: invalid arguments\"\n",
			"stdin:3:3: expected the end of the line after an operation, found '5'\n"},
		{"too deep", "replay -", "[" + strings.Repeat("[", 20000), 2, "", "stdin:1:10001: expected at most 10000 levels of nesting, found one level more\n"},
		{"no file", "replay no/such.json", "", 2, "", "lkactor: cannot read no/such.json: no such file or directory\n"},
		{"a folder", "replay .", "", 2, "", "lkactor: cannot read .: is a directory\n"},
		{"a folder as lines", "replay --format lines .", "", 2, "", "lkactor: cannot read .: is a directory\n"},
	})
}

func TestO11_GoingBackIsSaidOnce(t *testing.T) {
	const said = "lkactor: stdin goes back in time: operation 2 is at 4, after the log had reached 9; the clock does not go back with it (O11, said once)\n"
	check(t, []invocation{
		{"twice back", "replay --format lines -", "[\"status\",9,\"a\"]\n[\"status\",4,\"a\"]\n[\"status\",3,\"a\"]\n", 0,
			strings.Repeat("{\"age\":null,\"holds\":[],\"waiting\":null}\n", 3), said},
		{"and unreadable", "replay --format lines -", "[\"status\",9,\"\"]\n[\"status\",4,\"\"]\n!", 2,
			strings.Repeat("\"error: invalid arguments\"\n", 2), said + "stdin:3:1: expected a JSON value, found '!'\n"},
	})
}

func TestCommandLinesThatSayNothing(t *testing.T) {
	const (
		see       = "Run 'lkactor --help' for what it takes.\n"
		seeReplay = "Run 'lkactor replay --help' for what it takes.\n"
	)
	check(t, []invocation{
		{"no file", "replay", "", 2, "", "lkactor: replay takes one FILE, not 0\n" + seeReplay},
		{"two files", "replay a b", "", 2, "", "lkactor: replay takes one FILE, not 2\n" + seeReplay},
		{"unknown flag", "replay --fast -", "", 2, "", "lkactor: unknown flag: --fast\n" + seeReplay},
		{"unknown format", "replay --format yaml -", "", 2, "",
			"lkactor: invalid argument \"yaml\" for \"--format\" flag: it is array or lines\n" + seeReplay},
		{"format of nothing", "replay - --format", "", 2, "", "lkactor: flag needs an argument: --format\n" + seeReplay},
		{"unknown command", "frobnicate", "", 2, "", "lkactor: unknown command \"frobnicate\" for \"lkactor\"\n" + see},
		{"version of something", "version 5", "", 2, "", "lkactor: version takes no argument, not 1\nRun 'lkactor version --help' for what it takes.\n"},
	})
	if code, stdout, stderr := invoke(t, nil, nil); code != 2 || !strings.Contains(stdout, "replay") || stderr != "lkactor: no command\n"+see {
		t.Errorf("no arguments: exit code %d, stdout\n%sstderr\n%s", code, stdout, stderr)
	}
}

func TestHelpAndVersion(t *testing.T) {
	for args, words := range map[string][]string{
		"--help":         {"lkactor", "replay", "version"},
		"help":           {"replay", "version"},
		"graph --help":   {"FILE", "--at", "--deadlocks", "--as", "Exit codes"},
		"explain --help": {"FILE", "--lock", "--client", "--from", "--to", "--json", "Exit codes"},
		"replay --help":  {"FILE", "--format array|lines", "--check", "Exit codes", ".ndjson"},
		"replay -h":      {"FILE"},
		"help replay":    {"FILE"},
		"version":        {"lkactor ", " go1"},
	} {
		code, stdout, stderr := invoke(t, strings.Fields(args), nil)
		if code != 0 || stderr != "" {
			t.Errorf("%s: exit code %d, stderr %q", args, code, stderr)
		}
		for _, word := range words {
			if !strings.Contains(stdout, word) {
				t.Errorf("%s does not speak of %q:\n%s", args, word, stdout)
			}
		}
	}
}

func TestOutputThatCannotBeWritten(t *testing.T) {
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Logf("no /dev/full here: %v", err)
		full = nil
	}
	dir := filepath.Join(t.TempDir(), "journal")
	serve(t, dir, someOps(), true)
	answers := filepath.Join(t.TempDir(), "answers.json")
	if err := os.WriteFile(answers, []byte(incidentResults), 0o600); err != nil {
		t.Fatal(err)
	}
	reader, closed, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	reader.Close()
	for want, stdout := range map[string]*os.File{"no space left on device": full, "broken pipe": closed} {
		if stdout == nil {
			continue
		}
		defer stdout.Close()
		var stderr bytes.Buffer
		for _, args := range [][]string{
			{"replay", incident}, {"replay", incident, "--expect", answers},
			{"explain", incident}, {"explain", "--json", incident}, {"graph", "--at", "3", incident}, {"version"}, {"--help"}, {"timeline", "--help"},
			{"journal", "info", dir}, {"journal", "verify", dir}, {"journal", "export", "--partial", dir}, {"journal", "accept-loss", dir}, {"journal", "bump", dir, "L", "7"},
		} {
			stderr.Reset()
			code := Run(context.Background(), args, nil, stdout, &stderr)
			if code != ExitUnwritten || !strings.HasPrefix(stderr.String(), "lkactor: cannot write the output: ") || !strings.Contains(stderr.String(), want) {
				t.Errorf("%q: exit code %d, stderr %q, want %q", args, code, stderr.String(), want)
			}
		}
	}
}

func TestInterruption(t *testing.T) {
	log, typist, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer typist.Close()
	ctx, cancel := context.WithCancel(context.Background())
	answers, screen := io.Pipe()
	var stderr bytes.Buffer
	code := make(chan int)
	go func() { code <- Run(ctx, []string{"replay", "--format", "lines", "-"}, log, screen, &stderr) }()
	if _, err := io.WriteString(typist, "[\"status\",0,\"a\"]\n"); err != nil {
		t.Fatal(err)
	}
	answer := make([]byte, 100)
	n, err := answers.Read(answer)
	if err != nil || string(answer[:n]) != "{\"age\":null,\"holds\":[],\"waiting\":null}\n" {
		t.Errorf("answer %q, %v", answer[:n], err)
	}
	cancel()
	if c := <-code; c != 130 {
		t.Errorf("exit code %d", c)
	}
	if want := "lkactor: interrupted; results written: 1\n"; stderr.String() != want {
		t.Errorf("stderr %q, want %q", stderr.String(), want)
	}
}

// Names of files, flags and their values are anybody's text, and messages show them as
// nothing but text.
func TestHostileArguments(t *testing.T) {
	const hostile = "a\x1b[31m\r\x7f\u202e\xff"
	dir := t.TempDir()
	log := filepath.Join(dir, hostile+".json")
	if err := os.WriteFile(log, []byte(`[["acquire",5,"a","L",5],["read",4,"L","k"],`), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{
		{hostile}, {"--" + hostile}, {"replay", hostile}, {"replay", "--format", hostile, log}, {"replay", log}, {"replay", incident, "--expect", hostile},
		{"replay", incident, "--expect", log}, {"explain", log}, {"explain", "--from", hostile, incident}, {"explain", "--" + hostile, incident},
		{"explain", "--lock", hostile, incident}, {"timeline", incident, "-o", filepath.Join(dir, hostile, "x.svg")}, {"timeline", incident, "-o", hostile},
		{"timeline", log, "-o", filepath.Join(dir, "x.svg")}, {"graph", "--at", hostile, log}, {"graph", "--deadlocks", "--as", hostile, log}, {"graph", "--deadlocks", log},
		{"journal", "info", hostile}, {"journal", "verify", hostile}, {"journal", "export", hostile}, {"journal", "bump", hostile, "L", "5"},
		{"journal", "bump", dir, "L", hostile}, {"journal", "verify", log}, {"journal", "accept-loss", hostile}, {"journal", hostile}, {"version", hostile},
	} {
		_, stdout, stderr := invoke(t, args, strings.NewReader(""))
		if stderr == "" {
			t.Errorf("%q: there is no message", args)
		}
		for _, out := range []string{stdout, stderr} {
			if strings.ContainsFunc(strings.ReplaceAll(out, "\n", ""), escape.Hidden) || !utf8.ValidString(out) {
				t.Errorf("%q: %q is not all text", args, out)
			}
		}
	}
}
