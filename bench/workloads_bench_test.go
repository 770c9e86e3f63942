package bench_test

import (
	"runtime"
	"testing"

	"github.com/leasekeeper/lkactor/actors/lease"
	"github.com/leasekeeper/lkactor/bench/internal/level"
	"github.com/leasekeeper/lkactor/bench/workloads"
)

// BenchmarkWorkload runs every workload in bulk at every level, as
// Workload/<workload>/<level>. An operation of the benchmark is one of the log.
func BenchmarkWorkload(b *testing.B) {
	for _, w := range workloads.All() {
		for _, l := range level.Every() {
			b.Run(w.Name+"/"+l.Name, func(b *testing.B) { bulk(b, w, l) })
		}
	}
}

// maxCut is how many operations are made for one run of a service. A longer
// benchmark starts again with a fresh one, so that the memory for operations
// stays within bounds.
const maxCut = 1 << 20

func bulk(b *testing.B, w workloads.Workload, l level.Level) {
	b.ReportAllocs()
	trace := w.Cut(min(b.N, maxCut))
	results := make([]lease.Result, max(len(trace.Setup), len(trace.Ops)))
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
		s.Run(trace.Ops[:n], results[:n])
		b.StopTimer()
		work.Add(s.Work(), before)
		s.Close()
		b.StartTimer()
	}
	report(b, work)
}

// report adds what the service has counted to the line of the benchmark.
func report(b *testing.B, w level.Work) {
	if w.Operations == 0 {
		return
	}
	n := float64(w.Operations)
	b.ReportMetric(float64(w.Messages())/n, "messages/op")
	b.ReportMetric(n/float64(w.Batches), "ops/batch")
	if w.GraphSteps > 0 {
		b.ReportMetric(float64(w.GraphSteps)/n, "graphsteps/op")
	}
}
