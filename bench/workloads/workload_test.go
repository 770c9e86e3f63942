package workloads_test

import (
	"fmt"
	"slices"
	"testing"
	"unsafe"

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
		w := workloads.Named(name)[0]
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

// TestRing closes rings, twice each: the youngest is aborted both times, and
// afterwards nobody has anything.
func TestRing(t *testing.T) {
	for _, clients := range []int{2, 8, 64} {
		ring := workloads.NewRing(clients)
		s := plain.New()
		for range 2 {
			s.Run(ring.Setup, make([]lease.Result, len(ring.Setup)))
			result := s.Do(&ring.Closing)
			want := []string{fmt.Sprint("job", clients-1)}
			if got := result.Victims(); !slices.Equal(got, want) {
				t.Errorf("a ring of %d has the victims %v, want %v", clients, got, want)
			}
			s.Run(ring.Clear, make([]lease.Result, len(ring.Clear)))
			for c := range clients {
				view := s.Do(&lease.Operation{Kind: lease.Status, Client: fmt.Sprint("job", c)}).Detail.Client
				if len(view.Holds) > 0 || view.Waiting != "" {
					t.Errorf("job%d of %d still has %+v", c, clients, view)
				}
			}
		}
	}
}

// TestNamesAreCopies wants the names of any two operations at addresses of their
// own, and those of one operation beside each other.
func TestNamesAreCopies(t *testing.T) {
	streams := workloads.Callers(3, 5, 6_000)
	trace := workloads.Queued().Cut(5_000)
	streams = append(streams, trace.Setup, trace.Ops, workloads.NewRing(8).Setup, workloads.Warm(3, 5),
		workloads.IdleLocks(0, 2_000, 7))
	seen := make(map[*byte]bool)
	for _, ops := range streams {
		for i := range ops {
			client, lock := unsafe.StringData(ops[i].Client), unsafe.StringData(ops[i].Lock)
			if seen[client] || seen[lock] {
				t.Fatalf("operation %d, %+v, shares a name", i, ops[i])
			}
			seen[client], seen[lock] = true, true
			if end := unsafe.Add(unsafe.Pointer(client), len(ops[i].Client)); end != unsafe.Pointer(lock) {
				t.Fatalf("operation %d, %+v, has its names apart", i, ops[i])
			}
		}
	}
}

// TestNumberedNames wants the stated lengths, and locks given back, held or
// awaited as stated.
func TestNumberedNames(t *testing.T) {
	const first, end, others = 10, 110, 7
	for name, c := range map[string]struct {
		make                     func(first, end, others int) []lease.Operation
		granted, queued, release int
	}{
		"idle locks":   {workloads.IdleLocks, 100, 0, 100},
		"idle clients": {workloads.IdleClients, 100, 0, 100},
		"held locks":   {workloads.HeldLocks, 100, 0, 0},
		"queued locks": {workloads.QueuedLocks, 100, 100, 0},
	} {
		s := plain.New()
		got := make(map[lease.Outcome]int)
		for _, op := range c.make(first, end, others) {
			if len(op.Client) != workloads.ClientNameBytes || len(op.Lock) != workloads.LockNameBytes {
				t.Fatalf("%s: %+v", name, op)
			}
			got[s.Do(&op).Outcome]++
		}
		want := map[lease.Outcome]int{lease.Granted: c.granted, lease.Queued: c.queued, lease.Released: c.release}
		for outcome, n := range want {
			if got[outcome] != n {
				t.Errorf("%s: outcome %d comes %d times, want %d", name, outcome, got[outcome], n)
			}
		}
		if got[lease.Failed] > 0 {
			t.Errorf("%s: %d operations are refused", name, got[lease.Failed])
		}
	}
}
