package command

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"strings"
	"testing"
)

const incidentStory = `     0  #1    "exports/daily": granted to "etl-a" at once: token 1 until 30
     5  #2    "exports/daily": "etl-b" queued at position 1, waiting for "etl-a" (token 1 until 30)
     8  #3    "exports/daily": "etl-c" queued at position 2, right behind "etl-b", which waits, too
    20  #4    "exports/daily": write of "part-1" under token 1 of "etl-a" accepted, with the value "a:rows 1-100"
    30  #5    "exports/daily": token 1 of "etl-a" lapsed after 30 s
    30  #5    "exports/daily": handed over to "etl-b": token 2 until 50, after 25 s in the queue, because token 1 of "etl-a" lapsed at 30
    30  #5    "exports/daily": renew by "etl-a" refused, not holder: token 1 of "etl-a" lapsed at 30
    31  #6    "exports/daily": write of "part-1" under token 2 of "etl-b" accepted, with the value "b:rows 1-100"
    32  #7    "exports/daily": write of "part-1" under token 1 of "etl-a" refused as stale: a write under token 2 of "etl-b" was accepted at 31 (#6)
    50  #8    "exports/daily": token 2 of "etl-b" lapsed after 20 s (noticed at 55 by the inspect)
    50  #8    "exports/daily": handed over to "etl-c": token 3 until 65, after 42 s in the queue, because token 2 of "etl-b" lapsed at 50 (noticed at 55 by the inspect)
    55  #8    "exports/daily": inspected: held by "etl-c" (token 3 until 65)
    56  #9    "exports/daily": read of "part-1" gives "b:rows 1-100"
`

const liveHeader = `{"lkactor":1,"unit":"ns","zero":"2026-03-01T12:00:00Z","engine":"0b5b8d5e-8a4e-4c55-9d7c-5b1f7a0c2f11"}` + "\n"

func TestExplain(t *testing.T) {
	rows := strings.SplitAfter(incidentStory, "\n")
	two := `[["acquire",0,"a","L",5],["acquire",1,"b","M",5],["acquire",2,"a","M",9],["acquire",3,"b","L",9]]`
	live := liveHeader + `["acquire",0,"a","L",1000000]` + "\n" + `["tick",2000000]` + "\n"
	check(t, []invocation{
		{"the incident", "explain " + incident, "", 0, incidentStory, ""},
		{"from and to", "explain --from 50 --to 55 " + incident, "", 0, rows[9] + rows[10] + rows[11], ""},
		{"of one client", "explain --client etl-a --to 20 " + incident, "", 0, rows[0] + rows[3], ""},
		{"of nobody", "explain --client nobody " + incident, "", 0, "", "lkactor: nothing to tell: no event concerns the client \"nobody\"\n"},
		{"of another lock", "explain --lock exports --to 30 " + incident, "", 0, "", "lkactor: nothing to tell: no event in that time concerns the lock \"exports\"\n"},
		{"of a lock and a client that never met", "explain --json --lock L --client b --to 2 -", two, 0, "", "lkactor: nothing to tell: no event in that time concerns both the lock \"L\" and the client \"b\"\n"},
		{"too late", "explain --from 57 " + incident, "", 0, "", "lkactor: nothing to tell: the log ends at 56, before --from\n"},
		{"too early", "explain --to -1 " + incident, "", 0, "", "lkactor: nothing to tell: the log begins at 0, after --to\n"},
		{"nothing between", "explain --from 21 --to 29 " + incident, "", 0, "", "lkactor: nothing to tell: no event in that time\n"},
		{"an empty log", "explain -", "[]", 0, "", "lkactor: nothing to tell: nothing has happened in the log\n"},
		{"no lock", "explain --lock= " + incident, "", 2, "", "lkactor: --lock: no name is empty; leave the flag out for all of them\nRun 'lkactor explain --help' for what it takes.\n"},
		{"no client", "explain --client= " + incident, "", 2, "", "lkactor: --client: no name is empty; leave the flag out for all of them\nRun 'lkactor explain --help' for what it takes.\n"},
		{"no instant", "explain --from= " + incident, "", 2, "", "lkactor: --from: no instant is empty; leave the flag out for no limit\nRun 'lkactor explain --help' for what it takes.\n"},
		{"answers in no file", "replay " + incident + " --expect=", "", 2, "", "lkactor: --expect: no file is named that\nRun 'lkactor replay --help' for what it takes.\n"},
		{"a byte order mark", "explain -", "\xef\xbb\xbf[]", 2, "", "stdin:1:1: expected a JSON array of operations, found byte 0xef, as of a byte order mark (that of UTF-8: save the file without one)\n"},
		{"a byte order mark of UTF-16", "explain --format lines -", "\xff\xfe[\x00", 2, "", "stdin:1:1: expected a JSON value, found byte 0xff, as of a byte order mark (that of UTF-16: save the file as UTF-8)\n"},
		{"of a lock and a client", "explain --lock M --client a --to 2 -", two, 0, `     2  #3    "M": "a" queued at position 1, waiting for "b" (token 1 until 6)` + "\n", ""},
		{"refused, of a client", "explain --client b -", `[["acquire",0,"a","L",5],["acquire",1,"b","L",30.0],["renew",1,"b",7,5]]`, 0,
			`     1  #2    "L": acquire by "b" refused, invalid arguments: the ttl 30.0 is no integer: it has a fraction or an exponent (O6)` + "\n" +
				`     1  #3    renew by "b" refused, invalid arguments: the lock 7 is no string (O6)` + "\n", ""},
		{"refused, of a lock", "explain --lock L -", `[["acquire",0,"a","L",0],["acquire",1,"b","M",0]]`, 0,
			`     0  #1    "L": acquire by "a" refused, invalid ttl: the ttl 0 is not from 1 to 86400 (O7)` + "\n", ""},
		{"records", "explain --format lines -", `{"op":["acquire",0,"a","L",5],"result":"whatever"}`, 0, `     0  #1    "L": granted to "a" at once: token 1 until 5` + "\n", ""},
		{"live", "explain --format lines --from 2026-03-01T12:00:00.001Z --to 1000000 -", live, 0,
			`2026-03-01T12:00:00.001000000Z  #2    "L": token 1 of "a" lapsed after 1ms (noticed at 2026-03-01T12:00:00.002000000Z by the tick)` + "\n", ""},
		{"no instant", "explain --from noon " + incident, "", 2, "",
			"lkactor: --from: \"noon\" is no instant: a plain log has whole seconds\nRun 'lkactor explain --help' for what it takes.\n"},
		{"no instant of a live log", "explain --format lines --to noon -", live, 2, "",
			"lkactor: --to: \"noon\" is no instant: a live log has nanoseconds since its zero, or give an RFC 3339 time\nRun 'lkactor explain --help' for what it takes.\n"},
		{"no log", "explain -", `[["acquire",0,"a","L",5],`, 2, `     0  #1    "L": granted to "a" at once: token 1 until 5` + "\n",
			"stdin:1:26: expected an operation after ',', found the end of the input\n"},
		{"lines for an array", "explain -", "[\"ping\"]\n[]", 2, "     -  #1    operation refused, invalid arguments: the operation \"ping\" is no array (O1)\n",
			"stdin:2:1: expected nothing after the array of operations, found '['\nlkactor: is it one operation on each line? Then try --format lines\n"},
		{"no file", "explain no/such.json", "", 2, "", "lkactor: cannot read no/such.json: no such file or directory\n"},
		{"a bad header", "explain --format lines -", `{"lkactor":2}`, 2, "", "stdin:1:12: expected version 1 of live logs, found 2\n"},
	})
}

// A deadlock concerns everybody on its cycles, and is told to each of them.
func TestExplainOfADeadlockByClient(t *testing.T) {
	log := `[["acquire",0,"H","L",100],["acquire",1,"Z","M",100],["acquire",2,"Y","L",100],["acquire",3,"H","M",100],["acquire",4,"Z","L",100]]`
	for client, rounds := range map[string]int{"H": 2, "Z": 2, "Y": 1} {
		code, stdout, stderr := invoke(t, []string{"explain", "--client", client, "-"}, strings.NewReader(log))
		if code != 0 || stderr != "" || strings.Count(stdout, `deadlock: the acquire by "Z" closes`) != rounds {
			t.Errorf("of %s: exit code %d, stderr %q, stdout\n%s", client, code, stderr, stdout)
		}
	}
}

func TestExplainAsJSON(t *testing.T) {
	code, stdout, stderr := invoke(t, []string{"explain", "--json", "--lock", "exports/daily", incident}, nil)
	if code != 0 || stderr != "" {
		t.Fatalf("exit code %d, stderr %q", code, stderr)
	}
	lines := strings.Split(strings.TrimSuffix(stdout, "\n"), "\n")
	if want := strings.Count(incidentStory, "\n"); len(lines) != want {
		t.Fatalf("%d lines, want %d", len(lines), want)
	}
	for _, line := range lines {
		var e struct {
			Event, Lock string
			Operation   int
		}
		if err := json.Unmarshal([]byte(line), &e); err != nil || e.Event == "" || e.Lock != "exports/daily" || e.Operation < 1 {
			t.Errorf("%s: %+v, %v", line, e, err)
		}
	}
}

func TestExplainToAFullDisk(t *testing.T) {
	reader, closed, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	reader.Close()
	defer closed.Close()
	var stderr bytes.Buffer
	if code := Run(context.Background(), []string{"explain", incident}, nil, closed, &stderr); code != ExitUnwritten || !strings.HasPrefix(stderr.String(), "lkactor: cannot write the output: ") {
		t.Errorf("exit code %d, stderr %q", code, stderr.String())
	}
}

func TestExplainInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	var stdout, stderr bytes.Buffer
	if code := Run(ctx, []string{"explain", incident}, nil, &stdout, &stderr); code != 130 || stderr.String() != "lkactor: interrupted; operations gone through: 0\n" {
		t.Errorf("exit code %d, stderr %q", code, stderr.String())
	}
}
