package deadlock

import (
	"fmt"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"github.com/leasekeeper/lkactor/actors/lease"
)

// The scripts in testdata are histories of a lock table, one command per line:
//
//	acquire CLIENT LOCK [shared]   and, if it closes a cycle, all aborts
//	release CLIENT LOCK            a lease or a request
//	lapse CLIENT LOCK              a lease runs out
//	due CLIENT LOCK                likewise, but its lock does not look yet
//	handful N                      locks with up to N holders are calm (1)
//
// The answer shows the effects the graph is told (>), what it says, and the whole
// graph after it. To accept what they print: go test ./deadlock -run Scripts -rewrite
func TestScripts(t *testing.T) {
	datadriven.Walk(t, "testdata", func(t *testing.T, path string) {
		s := newScript(t)
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			s.out.Reset()
			s.run(t, d)
			s.checkMirror()
			s.checkStorage()
			list := s.graph.List()
			for _, c := range list {
				fmt.Fprintln(&s.out, describe(c))
			}
			if len(list) == 0 {
				fmt.Fprintln(&s.out, "nobody waits")
			}
			return s.out.String()
		})
	})
}

type script struct {
	*rig
	out strings.Builder
}

func newScript(t *testing.T) *script {
	s := &script{rig: newRig(t, 1)}
	apply := s.table.sink
	s.table.sink = func(e *lease.Effect) {
		fmt.Fprintf(&s.out, "> %s\n", tell(e))
		apply(e)
	}
	return s
}

func (s *script) run(t *testing.T, d *datadriven.TestData) {
	arg := func(i int) string { return d.CmdArgs[i].Key }
	if d.Cmd == "handful" {
		fmt.Sscan(arg(0), &s.table.handful)
		return
	}
	p, l := s.table.client(arg(0)), s.table.lock(arg(1))
	switch d.Cmd {
	case "acquire":
		mode := lease.Exclusive
		if len(d.CmdArgs) > 2 {
			mode, _ = lease.ParseMode(arg(2))
		}
		s.acquire(p, l, mode)
	case "release":
		s.table.leave(p, l, lease.ChangeReleased)
	case "lapse":
		s.table.leave(p, l, lease.ChangeLapsed)
	case "due":
		for i := range l.holders {
			l.holders[i].due = l.holders[i].due || l.holders[i].who == p
		}
	default:
		d.Fatalf(t, "unknown command")
	}
}

func (s *script) acquire(p *person, l *thing, mode lease.Mode) {
	queued, ok := s.table.acquire(p, l, mode)
	switch {
	case !ok:
		fmt.Fprintln(&s.out, "busy")
	case queued && s.begin(p, "a cycle") && s.settled(p):
		for victim, ok := s.graph.Victim(); ok; victim, ok = s.graph.Victim() {
			fmt.Fprintf(&s.out, "cycle: %s\nabort %s\n", route(s.graph.Cycle(p.id)), victim.Name)
			s.table.abort(s.table.client(victim.Name))
		}
	}
}

// begin asks whether p is on a cycle.
func (s *script) begin(p *person, what string) bool {
	before := s.graph.Steps()
	answer := "no cycle"
	found := s.graph.Begin(p.id)
	if found {
		answer = what
	}
	fmt.Fprintf(&s.out, "%s, %d edges looked at\n", answer, s.graph.Steps()-before)
	return found
}

// settled asks again if there were leases due.
func (s *script) settled(p *person) bool {
	before := s.out.Len()
	s.table.settleAll()
	return s.out.Len() == before || s.begin(p, "still a cycle")
}

func tell(e *lease.Effect) string {
	switch e.Change {
	case lease.ChangeHeld:
		return fmt.Sprintf("held %s %s, %s, token %d", e.Lock.Name, e.Client.Name, e.Mode, e.Token)
	case lease.ChangeQueued:
		return fmt.Sprintf("queued %s %s, %s, age %d", e.Lock.Name, e.Client.Name, e.Mode, e.Age)
	case lease.ChangeGranted:
		return fmt.Sprintf("granted %s %s, %s, token %d", e.Lock.Name, e.Client.Name, e.Mode, e.Token)
	case lease.ChangeLapsed:
		return fmt.Sprintf("lapsed %s %s", e.Lock.Name, e.Client.Name)
	case lease.ChangeReleased:
		return fmt.Sprintf("released %s %s", e.Lock.Name, e.Client.Name)
	case lease.ChangeWithdrawn:
		return fmt.Sprintf("withdrawn %s %s", e.Lock.Name, e.Client.Name)
	case lease.ChangeCalm:
		return fmt.Sprintf("calm %s", e.Lock.Name)
	}
	return fmt.Sprintf("aborted %s", e.Client.Name)
}

// describe gives a lock as "L: held by a 1, b 2 shared; awaited by c, d shared".
func describe(c Contention) string {
	suffix := func(m lease.Mode) string {
		if m == lease.Shared {
			return " shared"
		}
		return ""
	}
	var holders, queue []string
	for _, h := range c.Holders {
		holders = append(holders, fmt.Sprintf("%s %d%s", h.Client.Name, h.Token, suffix(h.Mode)))
	}
	for _, w := range c.Queue {
		queue = append(queue, w.Client.Name+suffix(w.Mode))
	}
	if len(queue) == 0 {
		queue = []string{"nobody"}
	}
	return fmt.Sprintf("%s: held by %s; awaited by %s",
		c.Lock.Name, strings.Join(holders, ", "), strings.Join(queue, ", "))
}

// route gives a cycle as "a -L-> b -M-> a".
func route(edges []lease.Edge) string {
	var text strings.Builder
	for _, e := range edges {
		fmt.Fprintf(&text, "%s -%s-> ", e.Waiter.Name, e.Lock.Name)
	}
	return text.String() + edges[len(edges)-1].Blocker.Name
}
