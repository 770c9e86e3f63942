package bench_test

import (
	"strings"
	"testing"

	"github.com/leasekeeper/lkactor/bench/internal/footprint"
	"github.com/leasekeeper/lkactor/bench/internal/level"
)

// BenchmarkMemory measures what services keep of idle, held and awaited names, as
// Memory/<kind>/<level>. The benchmark's own time means nothing; a count of one
// is enough, and what it reports is for each of so many names.
func BenchmarkMemory(b *testing.B) { memory(b, 100_000, footprint.Kinds()...) }

func memory(b *testing.B, names int, kinds ...footprint.Kind) {
	for _, kind := range kinds {
		for _, l := range level.All() {
			b.Run(strings.ReplaceAll(string(kind), " ", "-")+"/"+l.Name, func(b *testing.B) {
				var sample footprint.Sample
				for range b.N {
					sample = footprint.Measure(l, kind, names)
				}
				b.ReportMetric(sample.Heap, "heap-B/name")
				b.ReportMetric(sample.Stack, "stack-B/name")
				b.ReportMetric(float64(sample.Actors), "actors-left")
				b.ReportMetric(float64(sample.Goroutines), "goroutines-left")
			})
		}
	}
}
