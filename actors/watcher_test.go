package actors_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/leasekeeper/lkactor/actors/lease"
	"github.com/leasekeeper/lkactor/actors/model"
	"github.com/leasekeeper/lkactor/actors/oplog"
)

// scribe writes down what a watcher is told.
type scribe struct{ lines []string }

func (s *scribe) add(format string, args ...any) {
	s.lines = append(s.lines, fmt.Sprintf(format, args...))
}

func (s *scribe) Begin(seq uint64, now lease.Instant, op *lease.Operation) {
	s.add("%d %v at %d", seq, op.Kind, now)
}

func (s *scribe) Effect(e *lease.Effect) {
	name := "nothing"
	if e.Lock != nil {
		name = e.Lock.Name
	}
	s.add("  effect %d on %s of %s at %d", e.Change, name, e.Client.Name, e.At)
}

func (s *scribe) Deadlock(d *lease.Deadlock) {
	s.add("  victim %s, asked by %s, %d and %d edges", d.Victim.Name, d.Requester.Name, len(d.Cycle), len(d.Through))
	for _, m := range d.Members {
		s.add("    %s %d %v", m.Client.Name, m.Age, m.Bystander)
	}
}

func (s *scribe) End(a *lease.Answer) {
	s.add("  %s, remembered %v", oplog.AppendResult(nil, a.Result), a.Remembered)
}

// A watcher sees each operation with what it brings about, in order.
func TestAWatcherIsToldInOrder(t *testing.T) {
	tests := []struct {
		name    string
		dialect lease.Dialect
		ops     []lease.Operation
		want    []string
	}{
		{"lapses come before what noticed them", lease.Plain, []lease.Operation{
			{Kind: lease.Acquire, At: 0, Client: "a", Lock: "L", TTL: 5},
			{Kind: lease.Acquire, At: 1, Client: "b", Lock: "L", TTL: 5},
			{Kind: lease.Read, At: 30, Lock: "M", Key: "k"},
		}, []string{
			"1 acquire at 0", "  effect 2 on L of a at 0", `  ["granted",1,5], remembered false`,
			"2 acquire at 1", "  effect 1 on L of b at 1", `  ["queued",1], remembered false`,
			"3 read at 30", "  effect 4 on L of a at 5", "  effect 2 on L of b at 5", "  effect 4 on L of b at 10",
			"  null, remembered false",
		}},
		{"a bystander", lease.Plain, []lease.Operation{
			{Kind: lease.Acquire, At: 0, Client: "H", Lock: "L", TTL: 100},
			{Kind: lease.Acquire, At: 1, Client: "Z", Lock: "M", TTL: 100},
			{Kind: lease.Acquire, At: 2, Client: "Y", Lock: "L", TTL: 100},
			{Kind: lease.Acquire, At: 3, Client: "H", Lock: "M", TTL: 100},
			{Kind: lease.Acquire, At: 4, Client: "Z", Lock: "L", TTL: 100},
		}, []string{
			"5 acquire at 4", "  effect 1 on L of Z at 4",
			"  victim Y, asked by Z, 2 and 3 edges", "    H 1 false", "    Z 2 false", "    Y 3 true",
			"  effect 6 on L of Y at 4", "  effect 7 on nothing of Y at 4",
			"  victim Z, asked by Z, 2 and 2 edges", "    H 1 false", "    Z 2 false",
			"  effect 6 on L of Z at 4", "  effect 5 on M of Z at 4", "  effect 2 on M of H at 4", "  effect 7 on nothing of Z at 4",
			`  ["deadlock",["Y","Z"]], remembered false`,
		}},
		{"runs of a repeat", lease.Plain, []lease.Operation{
			{Kind: lease.Repeat, At: 7, Repeat: &lease.Repetition{Count: 2, Step: 3, Template: lease.Template{
				Op: lease.Operation{Kind: lease.Release, Client: "a", Lock: "L"}}}},
		}, []string{
			"1 repeat at 7", "2 release at 7", `  "error: not holder", remembered false`,
			"3 release at 10", `  "error: not holder", remembered false`,
			`  {"ops":2,"results":{"error: not holder":2}}, remembered false`,
		}},
		{"a request that comes again", lease.Live, []lease.Operation{
			{Kind: lease.Acquire, At: 0, Client: "a", Lock: "L", TTL: 1e9, ID: "x"},
			{Kind: lease.Acquire, At: 1, Client: "a", Lock: "L", TTL: 1e9, ID: "x"},
			{Kind: lease.Acquire, At: 2, Client: "a", Lock: "M", TTL: 1e9, ID: "x"},
			{Kind: lease.Refused, Untimed: true, Code: lease.UnknownOperation},
		}, []string{
			"2 acquire at 1", `  ["granted",1,1000000000], remembered true`,
			"3 acquire at 2", `  "error: id reused", remembered false`,
			"4 refused at 2", `  "error: unknown operation", remembered false`,
		}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s := new(scribe)
			model.Watched(test.dialect, s).Run(test.ops, make([]lease.Result, len(test.ops)))
			start := max(0, len(s.lines)-len(test.want))
			if !slices.Equal(s.lines[start:], test.want) {
				t.Errorf("told\n%q, want at its end\n%q", s.lines, test.want)
			}
		})
	}
}
