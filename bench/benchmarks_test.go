package bench_test

import (
	"flag"
	"slices"
	"testing"

	"github.com/leasekeeper/lkactor/bench/internal/footprint"
	"github.com/leasekeeper/lkactor/bench/workloads"
)

// TestBenchmarks wants every benchmark to come to its end, with as many operations as
// leave a rest however they are divided. It says nothing of times, and leaves out what
// takes long to set up, or to become idle.
func TestBenchmarks(t *testing.T) {
	quick := slices.DeleteFunc(workloads.All(), func(w workloads.Workload) bool {
		return w.Locks > 1_000 || len(w.Cut(0).Setup) > 5_000
	})
	for _, c := range []struct {
		name  string
		times string // first is always a run of one
		run   func(*testing.B)
	}{
		{"BenchmarkSingle", "77x", BenchmarkSingle},
		{"BenchmarkCallers", "777x", func(b *testing.B) { crowds(b, 100, 50, 1) }},
		{"BenchmarkRing", "3x", BenchmarkRing},
		{"BenchmarkWorkload", "77x", func(b *testing.B) { inBulk(b, quick) }},
		{"BenchmarkMemory", "1x", func(b *testing.B) { memory(b, 100, footprint.HeldLocks, footprint.QueuedLocks) }},
	} {
		t.Run(c.name, func(t *testing.T) {
			within(t, c.times)
			failed := false
			testing.Benchmark(func(b *testing.B) {
				defer func() { failed = failed || b.Failed() }()
				c.run(b)
			})
			if failed {
				t.Errorf("it fails; go test ./bench -run xxx -bench %s -benchtime %s says where", c.name, c.times)
			}
		})
	}
}

// within has benchmarks last so long until the end of the test.
func within(t *testing.T, times string) {
	t.Helper()
	length := flag.Lookup("test.benchtime").Value
	before := length.String()
	t.Cleanup(func() {
		if err := length.Set(before); err != nil {
			t.Error(err)
		}
	})
	if err := length.Set(times); err != nil {
		t.Fatal(err)
	}
}
