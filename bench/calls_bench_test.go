package bench_test

import (
	"fmt"
	"runtime"
	"slices"
	"testing"

	"github.com/leasekeeper/lkactor/actors/lease"
	"github.com/leasekeeper/lkactor/bench/internal/level"
	"github.com/leasekeeper/lkactor/bench/internal/rounds"
	"github.com/leasekeeper/lkactor/bench/workloads"
)

// BenchmarkSingle does operations one at a time, each after the answer of the one
// before, as Single/<workload>/<level>. Besides the mean it reports how long the
// median operation takes and how much longer the slowest in a hundred; every time
// includes one reading of the clock, some 30 ns.
func BenchmarkSingle(b *testing.B) {
	for _, w := range workloads.Named("hot-100", "uniform-10k") {
		for _, l := range level.Every() {
			b.Run(w.Name+"/"+l.Name, func(b *testing.B) { single(b, w, l) })
		}
	}
}

func single(b *testing.B, w workloads.Workload, l level.Level) {
	b.ReportAllocs()
	trace := w.Cut(min(b.N, maxCut))
	results := make([]lease.Result, max(len(trace.Setup), len(trace.Ops)))
	var took []int64
	var work level.Work
	b.ResetTimer()
	for left := b.N; left > 0; {
		n := min(left, len(trace.Ops))
		left -= n
		b.StopTimer()
		s := l.Open()
		s.Run(trace.Setup, results[:len(trace.Setup)])
		before := s.Work()
		runtime.GC()
		b.StartTimer()
		times := rounds.Each(s, trace.Ops[:n], results[:n])
		b.StopTimer()
		took = append(took, times...)
		work.Add(s.Work(), before)
		s.Close()
		b.StartTimer()
	}
	b.StopTimer()
	slices.Sort(took)
	quantiles(b, took)
	report(b, work)
}

// quantiles adds those of the sorted times to the line of the benchmark.
func quantiles(b *testing.B, took []int64) {
	p50, p99 := rounds.Quantile(took, 0.50), rounds.Quantile(took, 0.99)
	b.ReportMetric(p50, "p50-ns")
	b.ReportMetric(p99, "p99-ns")
	b.ReportMetric(p99-p50, "p99-p50-ns")
}

// BenchmarkCallers has many callers acquire and release random locks, each one
// operation at a time, as Callers/<locks>/<callers>/<level>. An operation of the
// benchmark is one by any of them.
func BenchmarkCallers(b *testing.B) { crowds(b, maxCut, 10_000, 1) }

// crowds does so on these numbers of locks, with streams of that many operations
// together at most.
func crowds(b *testing.B, most int, lockCounts ...int) {
	for _, locks := range lockCounts {
		for _, callers := range []int{1, 8, 64, 256} {
			for _, l := range level.Concurrent() {
				name := fmt.Sprintf("%d-locks/%d-callers/%s", locks, callers, l.Name)
				b.Run(name, func(b *testing.B) { together(b, callers, locks, most, l) })
			}
		}
	}
}

// together has the callers do b.N operations, one more if it is an odd number, so many
// at a time; that is an even number.
func together(b *testing.B, callers, locks, most int, l level.Level) {
	b.ReportAllocs()
	warm := workloads.Warm(callers, locks)
	s := l.Open()
	defer s.Close()
	s.Run(warm, make([]lease.Result, len(warm)))
	before := s.Work()
	b.ResetTimer()
	for left := b.N; left > 0; left -= most {
		b.StopTimer()
		streams := workloads.Callers(callers, locks, min(left, most))
		runtime.GC()
		b.StartTimer()
		if refused := rounds.Together(s, streams); refused > 0 {
			b.Fatalf("%d operations are refused", refused)
		}
	}
	b.StopTimer()
	var work level.Work
	work.Add(s.Work(), before)
	report(b, work)
}

// BenchmarkRing makes and breaks deadlocks of so many clients, as
// Ring/<clients>/<level>. An operation of the benchmark is a whole ring, from the
// first acquire to the last release, and messages and graph steps are those of a whole
// ring too; p50-ns is the one acquire that closes it.
func BenchmarkRing(b *testing.B) {
	for _, clients := range []int{2, 8, 64} {
		ring := workloads.NewRing(clients)
		for _, l := range level.Every() {
			b.Run(fmt.Sprintf("%d/%s", clients, l.Name), func(b *testing.B) {
				s := l.Open()
				defer s.Close()
				before := s.Work()
				b.ResetTimer()
				took, err := rounds.Break(s, ring, b.N)
				if err != nil {
					b.Fatal(err)
				}
				b.StopTimer()
				quantiles(b, took)
				var work level.Work
				work.Add(s.Work(), before)
				reportPer(b, work, "ring", b.N)
			})
		}
	}
}
