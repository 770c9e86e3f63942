package report

import (
	"fmt"
	"io"
)

// table writes the section of operations one at a time.
func (s *Singles) table(out io.Writer) {
	if len(s.Workloads) == 0 {
		return
	}
	fmt.Fprintf(out, "\n## One operation at a time\n\nEach operation waits for the answer of the one before; "+
		"%d rounds of %d operations. The mean is taken without a look at the clock in between; the quantiles "+
		"each include one reading of it.\n", s.Rounds, s.Ops)
	t := table(out, 2, "workload", "level", "mean ns", "processor ns", "p50 ns", "p99 ns", "p99-p50 ns", "allocs/op")
	for _, w := range s.Workloads {
		for _, l := range w.Samples {
			t.add("%s", w.Name)
			t.add("%s", l.Level)
			t.add("%.0f", l.Wall.Median())
			t.add("%.0f", l.CPU.Median())
			t.add("%.0f", l.P50.Median())
			t.add("%.0f", l.P99.Median())
			t.add("%.0f", l.P99.Above(l.P50))
			t.add("%.2f", l.Allocs)
			t.end()
		}
	}
}

// table writes the section of many callers at once.
func (c *Callers) table(out io.Writer) {
	if len(c.Cases) == 0 {
		return
	}
	fmt.Fprintf(out, "\n## Many callers at once\n\nEach caller acquires and releases random locks, one operation "+
		"at a time; %d rounds of %d operations by all callers together. Nanoseconds are the whole time by the number "+
		"of operations.\n", c.Rounds, c.Ops)
	t := table(out, 1, "level", "locks", "callers", "wall ns", "processor ns", "ops/batch")
	for _, crowd := range c.Cases {
		for _, s := range crowd.Samples {
			t.add("%s", s.Level)
			t.add("%d", crowd.Locks)
			t.add("%d", crowd.Callers)
			t.add("%.0f", s.Wall.Median())
			t.add("%.0f", s.CPU.Median())
			t.some("%.1f", s.Batch)
			t.end()
		}
	}
}

// table writes the section of deadlocks.
func (r *Rings) table(out io.Writer) {
	if len(r.Cases) == 0 {
		return
	}
	fmt.Fprintf(out, "\n## Deadlocks\n\nHow long the acquire takes that closes a ring: it finds the ring, aborts the "+
		"youngest, and hands on what that one held. %d rounds.\n", r.Rounds)
	t := table(out, 1, "level", "clients", "p50 us", "p99 us")
	for _, ring := range r.Cases {
		for _, s := range ring.Samples {
			t.add("%s", s.Level)
			t.add("%d", ring.Clients)
			t.add("%.2f", s.P50.Median()/1e3)
			t.add("%.2f", s.P99.Median()/1e3)
			t.end()
		}
	}
}

// memory writes the section of what a service keeps.
func (r *Report) memory(out io.Writer) {
	if len(r.Memory) == 0 {
		return
	}
	fmt.Fprint(out, "\n## Memory\n\nLive heap after a garbage collection and stacks of goroutines, by the number of "+
		"names, the bytes of the names themselves not counted. Actors and goroutines are those beyond a fresh service; "+
		"the total is all memory that the process had from the system then.\n")
	t := table(out, 2, "kind", "level", "count", "heap B each", "stack B each", "actors", "goroutines", "total MB", "ns each")
	for _, s := range r.Memory {
		t.add("%s", s.Kind)
		t.add("%s", s.Level)
		t.add("%d", s.Count)
		t.add("%.0f", s.Heap)
		t.add("%.0f", s.Stack)
		t.add("%d", s.Actors)
		t.add("%d", s.Goroutines)
		t.add("%.0f", float64(s.Total)/1e6)
		t.add("%.0f", s.Took)
		t.end()
	}
}
