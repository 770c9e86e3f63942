package workloads_test

import (
	"slices"
	"testing"

	"github.com/leasekeeper/lkactor/actors/lease"
	"github.com/leasekeeper/lkactor/bench/internal/plain"
	"github.com/leasekeeper/lkactor/bench/workloads"
)

// small gives the workloads whose setup is short enough to make again and again.
func small() []workloads.Workload {
	return slices.DeleteFunc(workloads.All(), func(w workloads.Workload) bool { return w.Locks > 10_000 })
}

func TestCutIsTheSameEveryTime(t *testing.T) {
	for _, w := range small() {
		a, b := w.Cut(2_000), w.Cut(3_000)
		if !slices.Equal(a.Setup, b.Setup) || !slices.Equal(a.Ops, b.Ops[:2_000]) {
			t.Errorf("%s: a longer cut does not begin with the shorter one", w.Name)
		}
	}
}

func TestNamesAreDistinct(t *testing.T) {
	seen := make(map[string]bool)
	for _, w := range workloads.All() {
		if seen[w.Name] {
			t.Errorf("%s occurs twice", w.Name)
		}
		seen[w.Name] = true
	}
}

// TestMix holds what the workloads say of themselves against the results of a
// plain service, in thousandths of the operations.
func TestMix(t *testing.T) {
	type bound struct{ least, most int }
	type bounds map[lease.Outcome]bound
	const victims = lease.Repeated + 1 // not an outcome: clients aborted
	for name, want := range map[string]bounds{
		"uniform-10k": {
			lease.Granted: {460, 490}, lease.Queued: {15, 35}, lease.Released: {460, 500}, lease.Failed: {0, 0},
		},
		"queued-100":         {lease.Queued: {500, 500}, lease.Released: {500, 500}},
		"hot-100":            {lease.Queued: {500, 500}, lease.Released: {500, 500}},
		"hot-10k":            {lease.Queued: {500, 500}, lease.Released: {500, 500}},
		"readers-2k":         {lease.Renewed: {180, 180}, lease.Queued: {80, 100}, lease.Withdrawn: {10, 10}, lease.Failed: {0, 0}},
		"transactions-light": {lease.Queued: {130, 170}, victims: {2, 4}, lease.Failed: {0, 0}},
		"transactions-heavy": {lease.Queued: {300, 400}, victims: {100, 160}, lease.Failed: {0, 0}},
		"lapse-chains":       {lease.Queued: {500, 1_000}, lease.Failed: {0, 100}},
		"storm-100k":         {lease.Granted: {900, 920}, lease.Queued: {80, 100}},
		"crowd-100k":         {lease.Granted: {1_000, 1_000}},
		"renewals-10k":       {lease.Renewed: {1_000, 1_000}},
		"trio":               {lease.Granted: {500, 500}, lease.Released: {500, 500}},
	} {
		w := find(t, name)
		const n = 120_000
		trace := w.Cut(n)
		s := plain.New()
		s.Run(trace.Setup, make([]lease.Result, len(trace.Setup)))
		results := make([]lease.Result, n)
		s.Run(trace.Ops, results)
		got := make(map[lease.Outcome]int)
		for i := range results {
			got[results[i].Outcome]++
			got[victims] += len(results[i].Victims())
		}
		for outcome, b := range want {
			if share := (got[outcome]*1_000 + n/2) / n; share < b.least || share > b.most {
				t.Errorf("%s: outcome %d is %d in 1000 operations, want %d to %d", name, outcome, share, b.least, b.most)
			}
		}
	}
}

// TestRing closes rings: the youngest is aborted and the oldest gets on, or
// waits where the youngest was not in its way.
func TestRing(t *testing.T) {
	for _, clients := range []int{2, 8, 64} {
		setup, closing := workloads.Ring(clients)
		s := plain.New()
		s.Run(setup, make([]lease.Result, len(setup)))
		result := s.Do(&closing)
		if got := len(result.Victims()); got != 1 {
			t.Errorf("a ring of %d has %d victims, want 1", clients, got)
		}
	}
}

func find(t *testing.T, name string) workloads.Workload {
	t.Helper()
	for _, w := range workloads.All() {
		if w.Name == name {
			return w
		}
	}
	t.Fatalf("no workload %q", name)
	panic("unreachable")
}
