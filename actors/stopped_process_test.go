//go:build unix

package actors_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/leasekeeper/lkactor/actors"
	"github.com/leasekeeper/lkactor/actors/lease"
)

const stoppedEnv = "LKACTOR_TEST_PROCESS_TO_BE_STOPPED"

// stoppedTTL is how long each lease of the test lasts.
const stoppedTTL = 200 * time.Millisecond

// TestMain lets the test binary be the process that a test stops.
func TestMain(m *testing.M) {
	if os.Getenv(stoppedEnv) != "" {
		processToBeStopped()
		return
	}
	os.Exit(m.Run())
}

// processToBeStopped runs an engine that tells on its output what happens, and
// inspects the lock for every line of its input.
func processToBeStopped() {
	var mu sync.Mutex
	say := func(format string, args ...any) {
		mu.Lock()
		defer mu.Unlock()
		fmt.Printf(format+"\n", args...)
	}
	ctx := context.Background()
	engine, err := actors.Start(quietSystem(), actors.WithClock(actors.SystemClock()), actors.WithWatch(func(e *lease.Effect) {
		switch e.Change {
		case lease.ChangeGranted:
			say("granted %d %d %d", e.Token, e.At, e.Until)
		case lease.ChangeLapsed:
			say("lapsed %d %d %d", e.Token, e.At, e.Until)
		}
	}))
	if err != nil {
		panic(err)
	}
	for i := range 5 {
		if _, err := engine.Do(ctx, lease.Operation{
			Kind: lease.Acquire, Client: fmt.Sprint("c", i), Lock: "L", TTL: lease.Duration(stoppedTTL),
		}); err != nil {
			panic(err)
		}
	}
	say("ready")
	for in := bufio.NewScanner(os.Stdin); in.Scan(); {
		a, err := engine.Ask(ctx, lease.Operation{Kind: lease.Inspect, Lock: "L"})
		if err != nil {
			panic(err)
		}
		token := lease.Token(0)
		if holders := a.Detail.Lock.Holders; len(holders) > 0 {
			token = holders[0].Token
		}
		say("inspected %d %d 0", token, a.Now)
	}
}

// A process that is stopped for three ttls finds, when it goes on, that leases have
// ended: each at its own instant, one after the other, and all of that before the
// first request that has come meanwhile (T3).
func TestT3_StoppedForThreeTTLs(t *testing.T) {
	child := exec.Command(os.Args[0])
	child.Env = append(os.Environ(), stoppedEnv+"=yes")
	child.Stderr = os.Stderr
	in, err := child.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	var said []string
	read := func(until string) {
		t.Helper()
		for lines.Scan() {
			said = append(said, lines.Text())
			if strings.HasPrefix(lines.Text(), until) {
				return
			}
		}
		t.Fatalf("no %q: %q", until, said)
	}
	read("ready")
	if err := child.Process.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	var status syscall.WaitStatus // it takes a moment until all of its threads have stopped
	if _, err := syscall.Wait4(child.Process.Pid, &status, syscall.WUNTRACED, nil); err != nil || !status.Stopped() {
		t.Fatalf("not stopped: %v, %v", status, err)
	}
	if _, err := io.WriteString(in, "inspect\n"); err != nil {
		t.Fatal(err)
	}
	time.Sleep(3*stoppedTTL + stoppedTTL/2)
	if err := child.Process.Signal(syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	read("inspected")
	in.Close()
	if err := child.Wait(); err != nil {
		t.Fatal(err)
	}
	judgeStopped(t, said)
}

// judgeStopped looks at what the process has said.
func judgeStopped(t *testing.T, said []string) {
	var token, ended, lapses int
	var until, now int64
	for _, line := range said {
		var what string
		var n int
		var at, end int64
		if line == "ready" {
			continue
		}
		if _, err := fmt.Sscanf(line, "%s %d %d %d", &what, &n, &at, &end); err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		switch what {
		case "granted":
			if n != token+1 || n > 1 && at != until {
				t.Errorf("%q: the lease before, of token %d, ended at %d", line, token, until)
			}
			token, until = n, end
		case "lapsed":
			if n != token || at != until || n != ended+1 {
				t.Errorf("%q: lease %d is until %d", line, token, until)
			}
			ended, lapses = n, lapses+1
		case "inspected":
			now = at
			if n != token && token <= 5 && ended != token {
				t.Errorf("%q: the holder has token %d", line, token)
			}
		}
	}
	if lapses < 3 {
		t.Errorf("only %d leases had lapsed: %q", lapses, said)
	}
	if now < until && ended == token || now >= until && ended < token {
		t.Errorf("the request was handled at %d, with lease %d until %d and %d lapsed: %q", now, token, until, ended, said)
	}
}
