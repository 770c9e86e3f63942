package lockactor

import (
	"fmt"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"github.com/leasekeeper/lkactor/actors/lease"
)

// The scripts under testdata are the lock's documentation by example. Each
// command is one step; below it stands the result, the effects and the whole
// lock as it is then. `go test ./lockactor -rewrite` writes them anew.
func TestScripts(t *testing.T) {
	datadriven.Walk(t, "testdata", func(t *testing.T, path string) {
		s := newStage("L")
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			return s.play(t, d)
		})
	})
}

// stage is one lock and the clients that scripts name.
type stage struct {
	lock    *Lock
	clients map[string]*lease.Client
}

func newStage(name string) *stage {
	return &stage{
		lock:    New(&lease.Lock{ID: 1, Name: name}, lease.Residue{}, nil),
		clients: map[string]*lease.Client{},
	}
}

func (s *stage) client(name string) *lease.Client {
	if s.clients[name] == nil {
		s.clients[name] = &lease.Client{ID: uint32(len(s.clients) + 1), Name: name}
	}
	return s.clients[name]
}

// play runs one command: a kind of step and its arguments, such as
// `acquire now=5 client=b ttl=20 shared`.
func (s *stage) play(t *testing.T, d *datadriven.TestData) string {
	step := lease.Step{}
	for k := lease.Acquire; k <= lease.Settle; k++ {
		if k.String() == d.Cmd {
			step.Kind = k
		}
	}
	if step.Kind == lease.Refused {
		t.Fatalf("%s: no step is called %q", d.Pos, d.Cmd)
	}
	var name string
	var number int64
	if d.MaybeScanArgs(t, "client", &name) {
		step.Client = s.client(name)
		step.Age = lease.Age(step.Client.ID)
	}
	d.ScanArgs(t, "now", &number)
	step.Now = lease.Instant(number)
	if d.MaybeScanArgs(t, "ttl", &number) {
		step.TTL = lease.Duration(number)
	}
	if d.MaybeScanArgs(t, "token", &number) {
		step.Token = lease.Token(number)
	}
	d.MaybeScanArgs(t, "key", &step.Key)
	d.MaybeScanArgs(t, "value", &step.Value)
	step.Abort, step.Holds = d.HasArg("abort"), d.HasArg("holds")
	if d.HasArg("shared") {
		step.Mode = lease.Shared
	}
	result, effects, lane := run(s.lock, step)
	return show(&result, effects, s.lock, lane)
}

// run takes one step as a lane of its own.
func run(l *Lock, step lease.Step) (result lease.Result, effects []lease.Effect, lane *lease.Lane) {
	step.Result = &result
	lane = &lease.Lane{Lock: l.id, First: &step, Last: &step}
	l.Run(lane)
	return result, lane.Effects[step.From:step.To], lane
}

var outcomes = map[lease.Outcome]string{
	lease.Granted: "granted", lease.Queued: "queued", lease.Renewed: "renewed",
	lease.Released: "released", lease.Withdrawn: "withdrawn", lease.Written: "ok",
	lease.Value: "value", lease.Null: "null", lease.Inspected: "inspected",
}

var changes = map[lease.Change]string{
	lease.ChangeQueued: "queued", lease.ChangeGranted: "granted", lease.ChangeRenewed: "renewed",
	lease.ChangeLapsed: "lapsed", lease.ChangeReleased: "released",
	lease.ChangeWithdrawn: "withdrawn", lease.ChangeHeld: "held", lease.ChangeAwaited: "awaited",
	lease.ChangeCalm: "calm",
}

func show(r *lease.Result, effects []lease.Effect, l *Lock, lane *lease.Lane) string {
	var b strings.Builder
	switch r.Outcome {
	case lease.Failed:
		if r.Code != lease.OK { // a settle leaves no result
			fmt.Fprintln(&b, lease.FailureText(r.Code))
		}
	case lease.Granted, lease.Renewed:
		fmt.Fprintf(&b, "%s token %d until %d\n", outcomes[r.Outcome], r.Token, r.Until)
	case lease.Queued:
		fmt.Fprintf(&b, "queued at %d\n", r.Position)
	case lease.Value:
		fmt.Fprintf(&b, "value %s\n", r.Value)
	default:
		fmt.Fprintln(&b, outcomes[r.Outcome])
	}
	for _, e := range effects {
		fmt.Fprintf(&b, "  effect: %s", changes[e.Change])
		if e.Client != nil {
			fmt.Fprintf(&b, " %s %v", e.Client.Name, e.Mode)
		}
		fmt.Fprintf(&b, " at %d", e.At)
		if e.Token != 0 {
			fmt.Fprintf(&b, " token %d until %d", e.Token, e.Until)
		}
		if e.FromQueue {
			b.WriteString(" from the queue")
		}
		if e.Abort {
			b.WriteString(" by abort")
		}
		if e.Contended {
			b.WriteString(", for the graph")
		}
		b.WriteByte('\n')
	}
	v := l.view()
	for _, h := range v.Holders {
		fmt.Fprintf(&b, "holder: %s %v token %d until %d\n", h.Client, h.Mode, h.Token, h.Until)
	}
	for i, w := range v.Queue {
		fmt.Fprintf(&b, "queue %d: %s %v\n", i+1, w.Client, w.Mode)
	}
	rest, _ := l.leave()
	fmt.Fprintf(&b, "counter %d, accepted %d", rest.Counter, rest.Accepted)
	if lane.Due != lease.Never {
		fmt.Fprintf(&b, ", next lapse at %d", lane.Due)
	}
	b.WriteByte('\n')
	return b.String()
}
