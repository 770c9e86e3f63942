package durable

import (
	"bufio"
	"bytes"
	"context"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/leasekeeper/lkactor/actors"
	"github.com/leasekeeper/lkactor/actors/lease"
	"github.com/leasekeeper/lkactor/actors/model"
	"github.com/leasekeeper/lkactor/actors/oplog"
	"github.com/leasekeeper/lkactor/sequencer/journal"
)

var (
	rounds   = flag.Int("rounds", 200, "how many times TestP1_Kill9 kills a process")
	killSeed = flag.Uint64("killseed", 1, "the seed of the moments at which it does")
)

const (
	// victimDir tells a process of this test binary that it is to be killed, and where
	// its journal is.
	victimDir = "LKACTOR_TEST_VICTIM_DIR"
	// inFlight is how many operations the process keeps in flight.
	inFlight = 32
)

func victimOptions() Options {
	return Options{Journal: journal.Options{SegmentBytes: 256 << 10}, SnapshotBytes: 1 << 20, KeepHistory: true}
}

func TestMain(m *testing.M) {
	if dir := os.Getenv(victimDir); dir != "" {
		fmt.Fprintln(os.Stderr, victim(dir))
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// victim is the process that is killed: a durable engine with callers, which says on its
// standard output what it was told. It comes back only with an error.
func victim(dir string) error {
	s, err := Open(dir, victimOptions())
	if err != nil {
		return err
	}
	seq, _ := s.order.Stamp()
	e, err := actors.Start(quietSystem(), actors.WithJournal(s))
	if err != nil {
		return err
	}
	var mu sync.Mutex
	say := func(format string, args ...any) {
		mu.Lock()
		defer mu.Unlock()
		fmt.Printf(format+"\n", args...)
	}
	say("started %d", seq)
	for i := range inFlight {
		client := fmt.Sprint("c", i)
		if _, err := e.Subscribe(context.Background(), client, "", announcer(say)); err != nil {
			return err
		}
		go call(e, client, say)
	}
	select {} // until it is killed
}

// call does random operations of one client for ever.
func call(e *actors.Engine, client string, say func(string, ...any)) {
	for {
		op := lease.Operation{
			Client: client, Lock: fmt.Sprint("L", rand.IntN(12)), TTL: lease.Duration(1+rand.IntN(40)) * lease.MinTTLNanoseconds,
			Key: "k", Value: client, Token: lease.Token(1 + rand.IntN(2000)), Mode: lease.Mode(rand.IntN(8) / 7),
		}
		op.Kind = []lease.Kind{
			lease.Acquire, lease.Acquire, lease.Acquire, lease.Acquire, lease.Release, lease.Release, lease.Renew, lease.Write, lease.Inspect, lease.Status,
		}[rand.IntN(10)]
		if rand.IntN(5) == 0 && op.Kind != lease.Write && op.Kind != lease.Inspect {
			op.ID = fmt.Sprint(rand.IntN(20))
		}
		a, err := e.Ask(context.Background(), op)
		if err != nil {
			say("failed %v", err)
			return
		}
		say("answer %d %s", a.Seq, oplog.AppendResult(nil, &a.Result))
	}
}

// announcer says what the subscribers of a client are told of grants.
type announcer func(string, ...any)

func (say announcer) Tell(e lease.Event) {
	if e.Kind == lease.EventGranted {
		say("grant %d %s %s", e.Token, e.Lock, e.Client)
	}
}

// observer is what the driver has been told, by all processes together.
type observer struct {
	answers map[uint64]string
	latest  uint64            // the highest number among them
	grants  map[string]string // client by lock and token
}

// hear takes a line of a process.
func (o *observer) hear(line string) error {
	word, rest, _ := strings.Cut(line, " ")
	number, text, _ := strings.Cut(rest, " ")
	n, err := strconv.ParseUint(number, 10, 64)
	switch {
	case word == "started" && err == nil:
		if n < o.latest {
			return fmt.Errorf("it started with %d operations, and %d had been answered", n, o.latest)
		}
	case word == "answer" && err == nil:
		if before, twice := o.answers[n]; twice {
			return fmt.Errorf("operation %d was answered with %s and with %s", n, before, text)
		}
		o.answers[n] = text
		o.latest = max(o.latest, n)
	case word == "grant" && err == nil:
		lock, client, _ := strings.Cut(text, " ")
		o.grants[lock+" "+number] = client
	default:
		return fmt.Errorf("it says %q", line)
	}
	return nil
}

// round runs a process and kills it. delay counts from when it has started or, if it is
// impatient, from when it was begun.
func (o *observer) round(dir string, delay time.Duration, impatient bool) error {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), victimDir+"="+dir)
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	if err := cmd.Start(); err != nil {
		return err
	}
	kill := time.AfterFunc(time.Minute, func() { _ = cmd.Process.Kill() })
	defer kill.Stop()
	if impatient {
		kill.Reset(delay)
	}
	var wrong error
	lines := bufio.NewReader(out)
	for {
		line, err := lines.ReadString('\n')
		if err != nil { // a line without an end was not told
			break
		}
		if wrong == nil {
			wrong = o.hear(strings.TrimSuffix(line, "\n"))
		}
		if strings.HasPrefix(line, "started") && !impatient {
			kill.Reset(delay)
		}
	}
	if err := cmd.Wait(); cmd.ProcessState.Exited() && wrong == nil {
		wrong = fmt.Errorf("it ended by itself: %v\n%s", err, stderr.Bytes())
	}
	return wrong
}

// Processes are killed at random moments, while they work, start or take a snapshot,
// and go on where the last one was: every answer that got out is that of the history,
// and no token was issued twice.
func TestP1_Kill9(t *testing.T) {
	n := howMany(*rounds)
	dir := t.TempDir()
	rng := rand.New(rand.NewPCG(*killSeed, 41))
	o := &observer{answers: map[uint64]string{}, grants: map[string]string{}}
	for round := range n {
		delay := time.Duration(rng.IntN(120)) * time.Millisecond
		if err := o.round(dir, delay, round%10 == 9); err != nil {
			t.Fatalf("round %d: %v", round, err)
		}
	}
	v, err := Look(journal.OS{}, dir)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := v.Verify(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	if len(o.answers) < 10*n || len(v.Files().Snapshots) == 0 && n >= 100 {
		t.Errorf("%d answers, %d snapshots in %d rounds", len(o.answers), len(v.Files().Snapshots), n)
	}
	o.compare(t, v)
	t.Logf("%d kills, %d answers and %d grants told, %d records, %d snapshots",
		n, len(o.answers), len(o.grants), v.Files().Records, len(v.Files().Snapshots))
}

// compare holds what was told against the history as the model has it.
func (o *observer) compare(t *testing.T, v *View) {
	t.Helper()
	granted, issued := map[string]string{}, map[string]lease.Token{}
	m := model.Make(lease.Live, func(e *lease.Effect) {
		if e.Change != lease.ChangeGranted {
			return
		}
		if e.Token <= issued[e.Lock.Name] {
			t.Errorf("lock %s: token %d after %d", e.Lock.Name, e.Token, issued[e.Lock.Name])
		}
		issued[e.Lock.Name] = e.Token
		granted[fmt.Sprint(e.Lock.Name, " ", e.Token)] = e.Client.Name
	})
	seq := uint64(0)
	err := replay(t.Context(), v.files, 1, math.MaxUint64, 0, func(p *portion) error {
		for i := range p.ops {
			seq++
			r := m.Do(&p.ops[i])
			if told, known := o.answers[seq]; known && told != string(oplog.AppendResult(nil, &r)) {
				return fmt.Errorf("operation %d was answered with %s and is %s", seq, told, oplog.AppendResult(nil, &r))
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if seq < o.latest {
		t.Errorf("%d operations, and number %d was answered", seq, o.latest)
	}
	for lease, client := range o.grants {
		if granted[lease] != client {
			t.Errorf("%s was told to have %s, which is of %q", client, lease, granted[lease])
		}
	}
}
