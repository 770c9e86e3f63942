package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/asynkron/protoactor-go/actor"

	"github.com/leasekeeper/lkactor/actors"
	"github.com/leasekeeper/lkactor/actors/durable"
	"github.com/leasekeeper/lkactor/actors/lease"
	"github.com/leasekeeper/lkactor/actors/oplog"
	"github.com/leasekeeper/lkactor/sequencer/journal"
)

// serve has a durable engine do operations in dir, and gives the text of its answers. If
// snapshot is set, one is made and what it covers is given up.
func serve(t *testing.T, dir string, ops []lease.Operation, snapshot bool) (answers []string) {
	t.Helper()
	s, err := durable.Open(dir, durable.Options{Journal: journal.Options{SegmentBytes: 512}, SnapshotBytes: -1})
	if err != nil {
		t.Fatal(err)
	}
	quiet := slog.New(slog.NewTextHandler(io.Discard, nil))
	system := actor.NewActorSystem(actor.WithLoggerFactory(func(*actor.ActorSystem) *slog.Logger { return quiet }))
	defer system.Shutdown()
	e, err := actors.Start(system, actors.WithJournal(s))
	if err != nil {
		t.Fatal(err)
	}
	for _, op := range ops {
		r, err := e.Do(t.Context(), op)
		if err != nil {
			t.Fatal(err)
		}
		answers = append(answers, string(oplog.AppendResult(nil, &r)))
		if snapshot {
			if err := s.Snapshot(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := e.Stop(context.Background()); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	return answers
}

// run invokes lkactor, which must end with the code, and gives what it wrote.
func run(t *testing.T, code int, stdin string, args ...string) (stdout string) {
	t.Helper()
	stdout, _ = runBoth(t, code, stdin, args...)
	return stdout
}

func runBoth(t *testing.T, code int, stdin string, args ...string) (stdout, stderr string) {
	t.Helper()
	got, stdout, stderr := invoke(t, args, strings.NewReader(stdin))
	if got != code {
		t.Fatalf("%q: exit code %d, want %d: %s", args, got, code, stderr)
	}
	return stdout, stderr
}

func someOps() []lease.Operation {
	return []lease.Operation{
		{Kind: lease.Acquire, Client: "a", Lock: "L", TTL: 3600e9},
		{Kind: lease.Acquire, Client: "b", Lock: "L", TTL: 3600e9, Mode: lease.Shared},
		{Kind: lease.Write, Lock: "L", Key: "k", Value: "\x1b[31mred\n", Token: 1},
		{Kind: lease.Acquire, Client: "a", Lock: "", TTL: 3600e9},
		{Kind: lease.Release, Client: "a", Lock: "L", Expect: 1, ID: "r1"},
		{Kind: lease.Release, Client: "a", Lock: "L", Expect: 1, ID: "r1"},
		{Kind: lease.Status, Client: "b"},
		{Kind: lease.Bump, Lock: "M", Token: 40},
		{Kind: lease.Read, Lock: "L", Key: "k"},
	}
}

// An export is a log that replay reads, and its results are those that the engine gave.
func TestJournalExport(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "journal")
	answers := append(serve(t, dir, someOps(), false), serve(t, dir, someOps(), false)...)
	log := run(t, 0, "", "journal", "export", dir)
	if got := run(t, 0, log, "replay", "--check", "--format", "lines", "-"); got != strings.Join(answers, "\n")+"\n" {
		t.Errorf("replayed:\n%s\nanswered:\n%s", got, strings.Join(answers, "\n"))
	}
	both := strings.Split(strings.TrimSuffix(run(t, 0, "", "journal", "export", "--results", dir), "\n"), "\n")
	ops := strings.Split(strings.TrimSuffix(log, "\n"), "\n")
	if len(both) != len(answers)+1 || both[0] != ops[0] {
		t.Fatalf("%d lines for %d operations, the first %q", len(both), len(answers), both[0])
	}
	for i, answer := range answers {
		if want := fmt.Sprintf(`{"op":%s,"result":%s}`, ops[i+1], answer); both[i+1] != want {
			t.Errorf("line %d: %s, want %s", i+1, both[i+1], want)
		}
	}
}

// What an export says of an engine's answers is what the rules say, and replay --expect
// takes it as it is; an answer that is changed is found.
func TestJournalExportIsExpected(t *testing.T) {
	dir := t.TempDir()
	serve(t, filepath.Join(dir, "journal"), someOps(), false)
	file := filepath.Join(dir, "recorded.ndjson")
	for text, code := range map[string]int{"nothing to be found": 0, `["queued",1]`: 1} {
		log := strings.Replace(run(t, 0, "", "journal", "export", "--results", filepath.Join(dir, "journal")), text, `["queued",2]`, 1)
		if err := os.WriteFile(file, []byte(log), 0o600); err != nil {
			t.Fatal(err)
		}
		run(t, code, "", "replay", "--expect", file)
	}
}

// Once its beginning has been given up a history is exported only by who asks for what is
// left; its results are right.
func TestJournalExportOfWhatIsLeft(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "journal")
	answers := append(serve(t, dir, someOps(), true), serve(t, dir, someOps(), false)...)
	if out := run(t, 1, "", "journal", "export", dir); out != "" {
		t.Errorf("%q", out)
	}
	out, said := runBoth(t, 0, "", "journal", "export", "--partial", "--results", dir)
	left := strings.Split(strings.TrimSuffix(out, "\n"), "\n")
	missing := len(answers) - len(left) + 1
	if !strings.HasSuffix(left[0], fmt.Sprintf(`","missing":%d}`, missing)) || !strings.Contains(said, fmt.Sprintf("first %d operations", missing)) {
		t.Errorf("%s, %s: want it to say that %d are missing", left[0], said, missing)
	}
	for _, args := range [][]string{{"replay", "--format", "lines", "-"}, {"replay", "--format", "lines", "--expect", "-"}, {"explain", "--format", "lines", "-"}} {
		if _, said := runBoth(t, 2, out, args...); !strings.Contains(said, "lacks its first operations") {
			t.Errorf("%v: %s", args, said)
		}
	}
	if len(left) < 3 || len(left) > len(answers) {
		t.Fatalf("%d lines", len(left))
	}
	for i, line := range left[1:] {
		if want := `,"result":` + answers[len(answers)-len(left)+1+i] + "}"; !strings.HasSuffix(line, want) {
			t.Errorf("%s, want the result %s", line, want)
		}
	}
}

// Where the older of two snapshots is gone or damaged, what is left are still all
// operations whose records are there; results begin with those that can be known, and it
// says so.
func TestJournalExportWithoutTheOlderSnapshot(t *testing.T) {
	for _, spoil := range []func(path string) error{os.Remove, func(path string) error { return os.Truncate(path, 100) }} {
		dir := filepath.Join(t.TempDir(), "journal")
		answers := append(serve(t, dir, someOps(), true), serve(t, dir, someOps(), false)...)
		whole, given := runBoth(t, 0, "", "journal", "export", "--partial", dir)
		results := run(t, 0, "", "journal", "export", "--partial", "--results", dir)
		snapshots, err := filepath.Glob(filepath.Join(dir, "snapshot-*"))
		if err != nil || len(snapshots) != 2 {
			t.Fatal(snapshots, err)
		}
		if err := spoil(snapshots[0]); err != nil {
			t.Fatal(err)
		}
		if out, said := runBoth(t, 0, "", "journal", "export", "--partial", dir); out != whole || said != given {
			t.Errorf("%s%s, want %s%s", out, said, whole, given)
		}
		out, said := runBoth(t, 0, "", "journal", "export", "--partial", "--results", dir)
		released, left := len(answers)-strings.Count(whole, "\n")+1, len(answers)-strings.Count(out, "\n")+1
		if left <= released || !strings.HasSuffix(results, out[strings.Index(out, "\n")+1:]) {
			t.Errorf("%d operations given up, %d left out: %s", released, left, out)
		}
		if want := fmt.Sprintf(`,"missing":%d}`, left); !strings.Contains(out, want+"\n") {
			t.Errorf("%s, want %s", out, want)
		}
		if want := given + fmt.Sprintf("lkactor: not in it: operations %d to %d, whose results cannot be known", released+1, left); !strings.HasPrefix(said, want) {
			t.Errorf("%s, want %s", said, want)
		}
	}
}

// Verify and info tell what is there, and where it is damaged.
func TestJournalVerifyAndInfo(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "journal")
	serve(t, dir, someOps(), true)
	for _, c := range []struct{ command, want string }{
		{"verify", "whole: 9 operations\n"},
		{"info", "operations  9\n"},
		{"info", "clients     2, 2 ever registered\n"},
		{"info", "locks       2, 1 of them held, 0 requests waiting\n"},
	} {
		if out := run(t, 0, "", "journal", c.command, dir); !strings.Contains(out, c.want) {
			t.Errorf("%s: %s does not say %q", c.command, out, c.want)
		}
	}
	segments, err := filepath.Glob(filepath.Join(dir, "segment-*"))
	if err != nil || len(segments) == 0 {
		t.Fatal(segments, err)
	}
	text, err := os.ReadFile(segments[0])
	if err != nil {
		t.Fatal(err)
	}
	text[100] ^= 4
	if err := os.WriteFile(segments[0], text, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, command := range []string{"verify", "info", "export"} {
		_, stderr := runBoth(t, 1, "", "journal", command, dir)
		if !strings.Contains(stderr, "damage in "+segments[0]) && !strings.Contains(stderr, "given up") {
			t.Errorf("%s: %q does not name the place", command, stderr)
		}
	}
}

// After a bump no token comes again; a directory that is in use is left alone.
func TestJournalBump(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "journal")
	serve(t, dir, someOps()[:5], false)
	if out := run(t, 0, "", "journal", "bump", dir, "L", "70"); out != "the counter is at 70\n" {
		t.Errorf("%q", out)
	}
	again := []lease.Operation{
		{Kind: lease.Acquire, Client: "c", Lock: "N", TTL: 3600e9},
		{Kind: lease.Release, Client: "b", Lock: "L"},
		{Kind: lease.Acquire, Client: "a", Lock: "L", TTL: 3600e9},
	}
	answers := serve(t, dir, again, false)
	if !strings.HasPrefix(answers[0], `["granted",1,`) || !strings.HasPrefix(answers[2], `["granted",71,`) {
		t.Errorf("%s", answers)
	}
	if out := run(t, 0, "", "journal", "bump", dir, "--all", "900"); out != "2 locks and all to come: every token from now on is above 900\n" {
		t.Errorf("%q", out)
	}
	answers = serve(t, dir, []lease.Operation{
		{Kind: lease.Acquire, Client: "d", Lock: "bump", TTL: 3600e9},
		{Kind: lease.Release, Client: "c", Lock: "N"},
		{Kind: lease.Acquire, Client: "c", Lock: "N", TTL: 3600e9},
	}, false)
	if !strings.HasPrefix(answers[0], `["granted",901,`) || !strings.HasPrefix(answers[2], `["granted",901,`) {
		t.Errorf("%s", answers)
	}
	s, err := durable.Open(dir, durable.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if _, stderr := runBoth(t, 1, "", "journal", "bump", dir, "L", "7"); !strings.Contains(stderr, "in use by process") {
		t.Errorf("%q", stderr)
	}
	for _, command := range []string{"verify", "info", "export"} { // these may be used beside it
		if out := run(t, 0, "", "journal", command, dir); command == "info" && !strings.Contains(out, "by process") {
			t.Errorf("%s", out)
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}

// What is no journal, or no token, is said to be none, and nothing is made of it.
func TestNoJournal(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "none")
	for _, args := range [][]string{
		{"verify", dir}, {"info", dir}, {"export", dir}, {"bump", dir, "L", "1"}, {"bump", dir, "L", "x"},
		{"bump", dir, "L"}, {"verify"}, {},
	} {
		run(t, 2, "", append([]string{"journal"}, args...)...)
	}
	if _, err := os.Stat(dir); err == nil {
		t.Error("the directory was made")
	}
}

// A counter is raised as far as a token can follow, and no further.
func TestJournalBumpsLeaveAToken(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "journal")
	serve(t, dir, someOps(), false)
	for _, token := range []string{"0", "-1", "x", "4611686014132420609", "4611686018427387904", "4611686018427387905", "99999999999999999999"} {
		for _, args := range [][]string{{dir, "M", token}, {"--all", dir, token}} {
			_, stderr := runBoth(t, 2, "", append([]string{"journal", "bump"}, args...)...)
			if !strings.Contains(stderr, "TOKEN") {
				t.Errorf("%v: %s", args, stderr)
			}
		}
	}
	run(t, 0, "", "journal", "bump", "--all", dir, "4611686014132420608")
	answers := serve(t, dir, []lease.Operation{
		{Kind: lease.Acquire, Client: "n", Lock: "new", TTL: 3600e9},
		{Kind: lease.Write, Lock: "new", Key: "k", Value: "v", Token: lease.MaxBump + 1},
		{Kind: lease.Release, Client: "n", Lock: "new"},
		{Kind: lease.Acquire, Client: "m", Lock: "new", TTL: 3600e9},
		{Kind: lease.Write, Lock: "new", Key: "k", Value: "v", Token: lease.MaxBump + 2},
	}, false)
	if !strings.HasPrefix(answers[0], `["granted",4611686014132420609,`) || answers[1] != `"ok"` ||
		!strings.HasPrefix(answers[3], `["granted",4611686014132420610,`) || answers[4] != `"ok"` {
		t.Errorf("%v", answers)
	}
}

// A snapshot that is damaged and not needed stops no start; info and verify end alike.
func TestJournalDamagedSnapshot(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "journal")
	serve(t, dir, someOps(), true)
	names, err := filepath.Glob(filepath.Join(dir, "snapshot-*"))
	if err != nil || len(names) != 2 {
		t.Fatal(names, err)
	}
	content, err := os.ReadFile(names[1])
	if err != nil {
		t.Fatal(err)
	}
	content[len(content)/2] ^= 1
	if err := os.WriteFile(names[1], content, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, command := range []string{"verify", "info"} {
		if _, stderr := runBoth(t, 1, "", "journal", command, dir); !strings.Contains(stderr, names[1]) {
			t.Errorf("%s: %s", command, stderr)
		}
	}
	if out, _ := runBoth(t, 1, "", "journal", "info", dir); !strings.Contains(out, "operations   9\n") || !strings.Contains(out, "passed over") {
		t.Errorf("%s", out)
	}
	serve(t, dir, someOps(), false)
}

// A newest segment that has been cut short, or emptied, is told by every command, and
// only accept-loss goes on with what is left of it, once.
func TestJournalAcceptLoss(t *testing.T) {
	for _, left := range []int64{0, 63, 150} {
		dir := filepath.Join(t.TempDir(), "journal")
		serve(t, dir, someOps(), false)
		names, err := filepath.Glob(filepath.Join(dir, "segment-*"))
		if err != nil || len(names) < 2 {
			t.Fatal(names, err)
		}
		newest := names[len(names)-1]
		if out := run(t, 0, "", "journal", "accept-loss", dir); out != "nothing was cut short\n" {
			t.Errorf("%q", out)
		}
		if err := os.Truncate(newest, left); err != nil {
			t.Fatal(err)
		}
		for _, args := range [][]string{{"verify", dir}, {"info", dir}, {"export", dir}, {"bump", "--all", dir, "70"}} {
			_, stderr := runBoth(t, 1, "", append([]string{"journal"}, args...)...)
			if !strings.Contains(stderr, newest) || !strings.Contains(stderr, "accept-loss") {
				t.Errorf("%v: %s", args, stderr)
			}
		}
		before := bytesIn(t, dir)
		if out := run(t, 0, "", "journal", "accept-loss", dir); !strings.Contains(out, "bump --all") {
			t.Errorf("%q", out)
		}
		if out := run(t, 0, "", "journal", "verify", dir); !strings.Contains(out, "whole") {
			t.Errorf("%q", out)
		}
		run(t, 0, "", "journal", "bump", "--all", dir, "70")
		if more := bytesIn(t, dir) - before; more > 2048 { // four operations, and what is around them
			t.Errorf("cut at %d: %d bytes more than before, so it has set space aside", left, more)
		}
		serve(t, dir, someOps(), false)
	}
}

// bytesIn gives how long the files in dir are together.
func bytesIn(t *testing.T, dir string) (bytes int64) {
	t.Helper()
	files, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		info, err := file.Info()
		if err != nil {
			t.Fatal(err)
		}
		bytes += info.Size()
	}
	return bytes
}

// A file that cannot be read while a look goes on is no damage.
func TestJournalUnreadable(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "journal")
	serve(t, dir, someOps(), false)
	trouble := &fs.PathError{Op: "read", Path: filepath.Join(dir, "segment"), Err: syscall.EIO}
	damage := &journal.DamageError{File: dir, Why: "a test"}
	for _, c := range []struct {
		err  error
		code int
	}{
		{fmt.Errorf("reading: %w", trouble), ExitUnreadable}, {damage, ExitFailed}, {errors.Join(damage, trouble), ExitFailed},
		{fmt.Errorf("%w: %w", durable.ErrMoved, trouble), ExitMoving}, {nil, ExitOK},
	} {
		err := examine(dir, func(*durable.View) error { return c.err }, func() bool { return false })
		if code := exitCode(err); code != c.code || !errors.Is(err, c.err) {
			t.Errorf("%v: exit code %d, want %d: %v", c.err, code, c.code, err)
		}
	}
}

// A look that an engine has made vain is made again, as long as nothing has been written,
// and at last told apart from damage.
func TestJournalLooksAgain(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "journal")
	serve(t, dir, someOps(), false)
	moved := fmt.Errorf("reading: %w", durable.ErrMoved)
	for _, c := range []struct {
		name  string
		vain  int // so many looks are
		again func() bool
		looks int
		want  int
	}{
		{"once", 1, nil, 2, ExitOK},
		{"always", 1 << 30, nil, movedTries, ExitMoving},
		{"after the output has begun", 1, func() bool { return false }, 1, ExitMoving},
	} {
		looks := 0
		err := examine(dir, func(*durable.View) error {
			if looks++; looks <= c.vain {
				return moved
			}
			return nil
		}, c.again)
		if looks != c.looks || exitCode(err) != c.want {
			t.Errorf("%s: %d looks, exit code %d: %v", c.name, looks, exitCode(err), err)
		}
	}
}
