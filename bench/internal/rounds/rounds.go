// Package rounds measures several levels in turns, A B C A B C, in one process,
// so that whatever else the machine is busy with falls on all of them. It owns
// how a measurement is made and how measurements become medians, not what is
// measured nor how it is shown.
//
// There are four kinds of it: operations in bulk, single operations one after
// the other, single operations by many callers at once, and the one acquire that
// closes a deadlock.
package rounds

import (
	"runtime"
	"time"

	"github.com/leasekeeper/lkactor/bench/internal/level"
)

// Plan says how much is measured.
type Plan struct {
	Ops    int // operations of each run
	Rounds int // runs of each level, not counting one to warm up
}

// turns calls run for every level once to warm up and then in every round; nobody
// always comes after the same one.
func (p Plan) turns(levels []level.Level, run func(l level.Level, warmUp bool) error) error {
	for _, l := range levels {
		if err := run(l, true); err != nil {
			return err
		}
	}
	for round := range p.Rounds {
		for i := range levels {
			if err := run(levels[(i+round)%len(levels)], false); err != nil {
				return err
			}
		}
	}
	return nil
}

// byLevel makes room for what is measured at each level.
func byLevel[S any](levels []level.Level, named func(name string) S) ([]S, map[string]*S) {
	samples := make([]S, len(levels))
	of := make(map[string]*S)
	for i, l := range levels {
		samples[i] = named(l.Name)
		of[l.Name] = &samples[i]
	}
	return samples, of
}

// watch is what is read before and after a run.
type watch struct {
	memory runtime.MemStats
	cpu    time.Duration
	start  time.Time
}

// begin collects the garbage of those before and starts the watch.
func begin() *watch {
	w := new(watch)
	runtime.GC()
	runtime.ReadMemStats(&w.memory)
	w.cpu, w.start = CPUTime(), time.Now()
	return w
}

// spent is what a run has cost.
type spent struct {
	wall, cpu     float64 // nanoseconds
	allocs, bytes float64
}

// end stops the watch.
func (w *watch) end() spent {
	wall, cpu := time.Since(w.start), CPUTime()-w.cpu
	var after runtime.MemStats
	runtime.ReadMemStats(&after)
	return spent{
		wall: float64(wall.Nanoseconds()), cpu: float64(cpu.Nanoseconds()),
		allocs: float64(after.Mallocs - w.memory.Mallocs), bytes: float64(after.TotalAlloc - w.memory.TotalAlloc),
	}
}
