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
func BenchmarkWorkload(b *testing.B) { inBulk(b, workloads.All()) }

func inBulk(b *testing.B, all []workloads.Workload) {
	for _, w := range all {
		for _, l := range level.Every() {
			b.Run(w.Name+"/"+l.Name, func(b *testing.B) { bulk(b, w, l) })
		}
	}
}

// maxCut is how many operations are made for one run of a service. A longer
// benchmark starts again, so that the memory for operations stays within bounds. It
// is an even number.
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

// report adds what the service has counted, by its operations, to the line of the
// benchmark.
func report(b *testing.B, w level.Work) { reportPer(b, w, "op", int(w.Operations)) }

// reportPer does so by the number of what the benchmark is about. What a level has
// none of is not reported.
func reportPer(b *testing.B, w level.Work, unit string, number int) {
	for _, count := range []struct {
		name  string
		value uint64
	}{{"messages/", w.Messages()}, {"graphsteps/", w.Steps}} {
		if count.value > 0 {
			b.ReportMetric(float64(count.value)/float64(number), count.name+unit)
		}
	}
	if w.Batches > 0 {
		b.ReportMetric(float64(w.Operations)/float64(w.Batches), "ops/batch")
	}
}
