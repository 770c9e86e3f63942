package deadlock

import (
	"fmt"
	"testing"

	"github.com/leasekeeper/lkactor/actors/lease"
)

// handover is what two clients do with a lock that they take in turn: the lock
// becomes contended, passes on and is calm again.
func handover() []*lease.Effect {
	return []*lease.Effect{
		onL.of(lease.ChangeHeld, ann, 1), onL.queued(bob, 2),
		onL.of(lease.ChangeReleased, ann, 1), onL.promoted(bob, 2),
		onL.of(lease.ChangeCalm, nil, 0),
	}
}

// pingPong is the same on a lock that is always contended: the holder queues
// again behind the other.
func pingPong() (start, round []*lease.Effect) {
	start = []*lease.Effect{onL.of(lease.ChangeHeld, ann, 1), onL.queued(bob, 2)}
	for _, pair := range [][2]*lease.Client{{ann, bob}, {bob, ann}} {
		round = append(round,
			onL.of(lease.ChangeReleased, pair[0], 1), onL.promoted(pair[1], 1), onL.queued(pair[0], 2))
	}
	return start, round
}

// crowd has many readers of one lock, with a writer waiting, leave and queue
// again one by one.
func crowd(readers int) (start, round []*lease.Effect) {
	writer := &lease.Client{ID: 9_000, Name: "writer"}
	for i := range readers {
		r := &lease.Client{ID: uint32(10_000 + i), Name: fmt.Sprint("r", i)}
		start = append(start, onL.of(lease.ChangeHeld, r, lease.Token(i+1)))
		round = append(round, onL.of(lease.ChangeReleased, r, 1), onL.of(lease.ChangeGranted, r, 2))
	}
	return append(start, onL.queued(writer, 1)), round
}

// knot is two clients waiting for each other, and the abort of the younger.
func knot() (before, after []*lease.Effect) {
	before = []*lease.Effect{
		onL.of(lease.ChangeHeld, ann, 1), onL.queued(bob, 2),
		onM.of(lease.ChangeHeld, bob, 1), onM.queued(ann, 1),
	}
	after = []*lease.Effect{
		onL.of(lease.ChangeWithdrawn, bob, 0), onL.of(lease.ChangeCalm, nil, 0),
		onM.of(lease.ChangeReleased, bob, 1), onM.promoted(ann, 2), onM.of(lease.ChangeCalm, nil, 0),
		{Change: lease.ChangeAborted, Client: bob},
	}
	return before, after
}

func resolveKnot(t testing.TB, g *Graph, before, after []*lease.Effect) {
	apply(g, before...)
	if !g.Begin(ann) {
		t.Fatal("no cycle")
	}
	if victim, _ := g.Victim(); victim != bob {
		t.Fatal("wrong victim")
	}
	apply(g, after...)
	if _, more := g.Victim(); more {
		t.Fatal("one victim too many")
	}
}

func TestSteadyStateAllocatesNothing(t *testing.T) {
	for name, start := range map[string]func() (*Graph, func(g *Graph)){
		"handover": func() (*Graph, func(*Graph)) {
			effects := handover()
			return New(), func(g *Graph) { apply(g, effects...) }
		},
		"ping-pong": func() (*Graph, func(*Graph)) {
			g := New()
			start, round := pingPong()
			apply(g, start...)
			return g, func(g *Graph) { apply(g, round...) }
		},
		"crowd": func() (*Graph, func(*Graph)) {
			g := New()
			start, round := crowd(100)
			apply(g, start...)
			return g, func(g *Graph) { apply(g, round...) }
		},
		"resolution": func() (*Graph, func(*Graph)) {
			before, after := knot()
			return New(), func(g *Graph) { resolveKnot(t, g, before, after) }
		},
	} {
		g, round := start()
		if allocs := testing.AllocsPerRun(200, func() { round(g) }); allocs != 0 {
			t.Errorf("%s allocates %v times a round", name, allocs)
		}
	}
}

func perEffect(b *testing.B, effects int) {
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*effects), "ns/effect")
	b.ReportAllocs()
}

func BenchmarkApply(b *testing.B) {
	b.Run("handover", func(b *testing.B) {
		g, effects := New(), handover()
		for b.Loop() {
			apply(g, effects...)
		}
		perEffect(b, len(effects))
	})
	b.Run("pingpong", func(b *testing.B) {
		g := New()
		start, round := pingPong()
		apply(g, start...)
		for b.Loop() {
			apply(g, round...)
		}
		perEffect(b, len(round))
	})
	for _, readers := range []int{4, 16, 2_000} {
		b.Run(fmt.Sprintf("crowd-%d", readers), func(b *testing.B) {
			g := New()
			start, round := crowd(readers)
			apply(g, start...)
			for b.Loop() {
				apply(g, round...)
			}
			perEffect(b, len(round))
		})
	}
}

func BenchmarkResolution(b *testing.B) {
	g := New()
	before, after := knot()
	for b.Loop() {
		resolveKnot(b, g, before, after)
	}
	b.ReportAllocs()
}

// The requester waits for a chain of n clients, as many wait for it, and the two
// do not meet: every edge of both sides is looked at.
func BenchmarkBegin(b *testing.B) {
	for _, n := range []int{1, 10, 1_000, 100_000} {
		b.Run(fmt.Sprintf("chain-%d", n), func(b *testing.B) {
			r := newRig(b, 1)
			each(2*n+1, "c%d", func(i int, name string) { r.take(name, fmt.Sprint("L", i), exclusive) })
			each(2*n, "c%d", func(i int, name string) { r.waitInVain(name, fmt.Sprint("L", i+1)) })
			middle := r.table.client(fmt.Sprint("c", n)).id
			r.graph.Begin(middle) // once, so that its stacks have their size
			before := r.graph.Steps()
			for b.Loop() {
				r.graph.Begin(middle)
			}
			edges := float64(r.graph.Steps() - before)
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/edges, "ns/edge")
			b.ReportAllocs()
		})
	}
}
