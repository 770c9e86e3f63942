package level_test

import (
	"sync"
	"testing"

	"github.com/leasekeeper/lkactor/actors/lease"
	"github.com/leasekeeper/lkactor/bench/internal/answer"
	"github.com/leasekeeper/lkactor/bench/internal/level"
	"github.com/leasekeeper/lkactor/bench/workloads"
)

// TestLevelsAgree gives every level the same operations, half of them in bulk and
// half one at a time.
func TestLevelsAgree(t *testing.T) {
	const length = 2 * (level.Slice + 100) // more than one slice
	for _, w := range workloads.Named("hot-100", "transactions-heavy") {
		trace := w.Cut(length)
		var want []lease.Result
		for _, l := range level.Every() {
			s := l.Open()
			s.Run(trace.Setup, make([]lease.Result, len(trace.Setup)))
			before := s.Work()
			got := make([]lease.Result, length)
			s.Run(trace.Ops[:length/2], got[:length/2])
			for i := length / 2; i < length; i++ {
				got[i] = s.Do(&trace.Ops[i])
			}
			var work level.Work
			work.Add(s.Work(), before)
			if counts := l.Name != "plain"; counts && work.Operations != length {
				t.Errorf("%s, %s: %d operations counted, %d done", w.Name, l.Name, work.Operations, length)
			}
			if steps := l.Name != "plain" && w.Name == "transactions-heavy"; steps != (work.Steps > 0) {
				t.Errorf("%s, %s: %d steps of the wait-for graph", w.Name, l.Name, work.Steps)
			}
			if engine := l.Name != "plain" && l.Name != "model"; engine != (work.Messages() > 0) || engine != (work.Batches > 0) {
				t.Errorf("%s, %s: %d messages and %d batches", w.Name, l.Name, work.Messages(), work.Batches)
			}
			s.Close()
			if want == nil {
				want = got
			}
			if at := answer.FirstDifference(want, got); at >= 0 {
				t.Errorf("%s: %s differs at operation %d: %+v, want %+v", w.Name, l.Name, at, got[at], want[at])
			}
		}
	}
}

// TestConcurrent has callers share a level: the tokens of one lock are as many as
// its grants and no two the same, whatever runs at once.
func TestConcurrent(t *testing.T) {
	const callers, length = 8, 400
	for _, l := range level.Concurrent() {
		s := l.Open()
		var group sync.WaitGroup
		var mu sync.Mutex
		granted := make(map[lease.Token]bool)
		for _, ops := range workloads.Callers(callers, 1, callers*length) {
			group.Go(func() {
				for i := range ops {
					switch r := s.Do(&ops[i]); r.Outcome {
					case lease.Failed:
						t.Errorf("%s refuses %+v: %v", l.Name, ops[i], r.Code)
					case lease.Granted:
						mu.Lock()
						if granted[r.Token] {
							t.Errorf("%s gives token %d twice", l.Name, r.Token)
						}
						granted[r.Token] = true
						mu.Unlock()
					}
				}
			})
		}
		group.Wait()
		view := s.Do(&lease.Operation{Kind: lease.Inspect, Lock: "L0"}).Detail.Lock
		if len(view.Holders)+len(view.Queue) > 0 {
			t.Errorf("%s ends with %+v", l.Name, view)
		}
		s.Close()
	}
}

// TestActors wants engines to have more actors than an empty system, and loops
// none.
func TestActors(t *testing.T) {
	for _, l := range level.All() {
		s := l.Open()
		s.Do(&lease.Operation{Kind: lease.Acquire, Client: "c", Lock: "l", TTL: 60})
		if loop := l.Name == "plain" || l.Name == "model"; loop != (s.Actors() == 0) {
			t.Errorf("%s has %d actors", l.Name, s.Actors())
		}
		s.Close()
	}
}

func TestNamed(t *testing.T) {
	picked := level.Named("proto", "plain")
	if len(picked) != 2 || picked[0].Name != "proto" || picked[1].Name != "plain" {
		t.Errorf("%+v", picked)
	}
	defer func() {
		if recover() == nil {
			t.Error("an unknown level is no panic")
		}
	}()
	level.Named("none")
}
