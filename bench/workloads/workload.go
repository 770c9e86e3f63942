package workloads

import (
	"slices"

	"github.com/leasekeeper/lkactor/actors/lease"
)

// Workload is one kind of load. The ones there are come from [All].
type Workload struct {
	// Name is short and has no spaces, such as "uniform-10k".
	Name string
	// Mix says in a sentence which operations there are and how many locks and
	// clients.
	Mix string
	// Locks is how many names of locks are in use.
	Locks int

	// open adds the setup to the source and gives what adds the next few
	// operations of the stream to it.
	open func(s *source) (step func())
}

// Trace is a cut of a workload.
type Trace struct {
	Setup []lease.Operation // from a fresh service to the steady state
	Ops   []lease.Operation // what is measured
}

// Cut gives the setup and the first n operations of the stream.
func (w Workload) Cut(n int) Trace {
	s := newSource(w.Locks)
	step := w.open(s)
	setup := len(s.ops)
	for len(s.ops) < setup+n {
		step()
	}
	pack(s.ops)
	return Trace{Setup: s.ops[:setup:setup], Ops: s.ops[setup : setup+n : setup+n]}
}

// All gives every workload, the five of the table of ratios first.
func All() []Workload {
	return append(Table(),
		Uniform("uniform-1k", 1_000), Uniform("uniform-100k", 100_000), Uniform("uniform-1M", 1_000_000),
		Hot("hot-10", 10), Hot("hot-1k", 1_000), Hot("hot-10k", 10_000),
		HeavyTransactions(),
		Chains(), Storm(), Crowd(),
		Renewals(), Trio(),
	)
}

// Named gives the workloads of [All] with these names, in this order. It panics
// at a name that there is not.
func Named(names ...string) []Workload {
	all := All()
	picked := make([]Workload, len(names))
	for i, name := range names {
		at := slices.IndexFunc(all, func(w Workload) bool { return w.Name == name })
		if at < 0 {
			panic("workloads: no workload " + name)
		}
		picked[i] = all[at]
	}
	return picked
}

// Table gives the workloads of the table of ratios.
func Table() []Workload {
	return []Workload{
		Uniform("uniform-10k", 10_000),
		Queued(),
		Hot("hot-100", 100),
		Readers(),
		LightTransactions(),
	}
}
