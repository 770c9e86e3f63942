package main

import (
	"cmp"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/leasekeeper/lkactor/bench/internal/footprint"
	"github.com/leasekeeper/lkactor/bench/internal/level"
	"github.com/leasekeeper/lkactor/bench/internal/report"
	"github.com/leasekeeper/lkactor/bench/internal/rounds"
	"github.com/leasekeeper/lkactor/bench/workloads"
)

// suite is a run in the making.
type suite struct {
	change rounds.Plan // what differs from the plans of the sections; zero where nothing does
	names  int         // idle names of one line more in the section memory
	report report.Report
}

// section is a part of the report.
type section struct {
	name    string
	measure func(*suite) error
}

// bulks are the sections of workloads in bulk, the one with targets first. Rounds are as
// many as fit the time that a whole run may take; the more a section depends on what else
// the machine does, the more it has.
var bulks = []bulkSection{
	{"targets", plan(100_000, 21), workloads.Table, level.All, func(r *report.Report) *report.Bulk { return &r.Targets }},
	{"others", plan(100_000, 7), named("transactions-heavy", "lapse-chains", "storm-100k", "crowd-100k", "renewals-10k", "trio"), level.All,
		func(r *report.Report) *report.Bulk { return &r.Others }},
	{"proto", plan(50_000, 3), workloads.Table, levels("model", "proto"), func(r *report.Report) *report.Bulk { return &r.Proto }},
	{"growth", plan(200_000, 5), named("uniform-1k", "uniform-10k", "uniform-100k", "uniform-1M"), levels("model", "inline"),
		func(r *report.Report) *report.Bulk { return &r.Growth }},
	{"waiters", plan(100_000, 11), named("hot-10", "hot-100", "hot-1k", "hot-10k"), levels("model", "inline", "own"),
		func(r *report.Report) *report.Bulk { return &r.Waiters }},
}

// bulkSection is a section of workloads in bulk.
type bulkSection struct {
	name      string
	plan      rounds.Plan
	workloads func() []workloads.Workload
	levels    func() []level.Level
	into      func(*report.Report) *report.Bulk
}

func named(names ...string) func() []workloads.Workload {
	return func() []workloads.Workload { return workloads.Named(names...) }
}

func levels(names ...string) func() []level.Level {
	return func() []level.Level { return level.Named(names...) }
}

// section gives the section with the workloads whose names contain a text.
func (b *bulkSection) section(only string) (s section, any bool) {
	picked := slices.DeleteFunc(b.workloads(), func(w workloads.Workload) bool { return !strings.Contains(w.Name, only) })
	return section{b.name, func(s *suite) error {
		return s.bulk(b.into(&s.report), b.plan, picked, b.levels())
	}}, len(picked) > 0
}

// sections are all there are.
var sections = func() (all []section) {
	for _, b := range bulks {
		s, _ := b.section("")
		all = append(all, s)
	}
	return append(all, section{"singles", (*suite).singles}, section{"callers", (*suite).callers},
		section{"rings", (*suite).rings}, section{"memory", (*suite).memory})
}()

func sectionNames() string {
	names := make([]string, len(sections))
	for i, s := range sections {
		names[i] = s.name
	}
	return strings.Join(names, ", ")
}

// choose gives the sections that are asked for.
func (s *suite) choose(all bool, chosen, only string) ([]section, error) {
	switch {
	case chosen != "":
		return s.listed(chosen, only)
	case only != "":
		picked := slices.DeleteFunc(workloads.All(), func(w workloads.Workload) bool { return !strings.Contains(w.Name, only) })
		if len(picked) == 0 {
			return nil, fmt.Errorf("no workload is called like %q", only)
		}
		return []section{{"only", func(s *suite) error {
			return s.bulk(&s.report.Targets, bulks[0].plan, picked, level.All())
		}}}, nil
	case all:
		return sections, nil
	default:
		return sections[:1], nil
	}
}

// listed gives the sections of a list; with a text, those of their workloads in bulk whose
// names contain it.
func (s *suite) listed(chosen, only string) (steps []section, err error) {
	for name := range strings.SplitSeq(chosen, ",") {
		at := slices.IndexFunc(sections, func(x section) bool { return x.name == name })
		switch {
		case at < 0:
			return nil, fmt.Errorf("no section %q; there are %s", name, sectionNames())
		case slices.ContainsFunc(steps, func(x section) bool { return x.name == name }):
			return nil, fmt.Errorf("the section %q is there twice", name)
		case only != "" && at >= len(bulks):
			return nil, fmt.Errorf("-only chooses among workloads in bulk, and the section %q has none", name)
		case only == "":
			steps = append(steps, sections[at])
			continue
		}
		step, any := bulks[at].section(only)
		if !any {
			return nil, fmt.Errorf("no workload of the section %q is called like %q", name, only)
		}
		steps = append(steps, step)
	}
	return steps, nil
}

func plan(ops, times int) rounds.Plan { return rounds.Plan{Ops: ops, Rounds: times} }

// adjust gives the plan as the flags change it.
func (s *suite) adjust(p rounds.Plan) rounds.Plan {
	return plan(max(2, cmp.Or(s.change.Ops, p.Ops)), max(1, cmp.Or(s.change.Rounds, p.Rounds)))
}

// began is when the run began.
var began = time.Now()

// progress tells whoever waits what is being measured.
func progress(format string, values ...any) {
	fmt.Fprintf(os.Stderr, "%4.0f s: measuring %s\n", time.Since(began).Seconds(), fmt.Sprintf(format, values...))
}

func (s *suite) bulk(into *report.Bulk, p rounds.Plan, picked []workloads.Workload, levels []level.Level) error {
	p = s.adjust(p)
	into.Ops, into.Rounds = p.Ops, p.Rounds
	for _, w := range picked {
		progress("%s in bulk", w.Name)
		samples, err := p.Bulk(w, levels)
		if err != nil {
			return err
		}
		into.Workloads = append(into.Workloads, report.Workload{Name: w.Name, Mix: w.Mix, Samples: samples})
	}
	return nil
}

func (s *suite) singles() error {
	p := s.adjust(plan(60_000, 15))
	into := &s.report.Singles
	into.Ops, into.Rounds = p.Ops, p.Rounds
	for _, w := range workloads.Named("hot-100", "uniform-10k") {
		progress("%s one operation at a time", w.Name)
		samples, err := p.Single(w, level.All())
		if err != nil {
			return err
		}
		into.Workloads = append(into.Workloads, report.Single{Name: w.Name, Mix: w.Mix, Samples: samples})
	}
	return nil
}

func (s *suite) callers() error {
	p := s.adjust(plan(100_000, 9))
	into := &s.report.Callers
	into.Ops, into.Rounds = p.Ops, p.Rounds
	for _, locks := range []int{10_000, 1} {
		for _, callers := range []int{1, 8, 64, 256} {
			progress("%d callers on %d locks", callers, locks)
			samples, err := p.Callers(callers, locks, level.Concurrent())
			if err != nil {
				return err
			}
			into.Cases = append(into.Cases, report.Crowd{Callers: callers, Locks: locks, Samples: samples})
		}
	}
	return nil
}

func (s *suite) rings() error {
	p := s.adjust(plan(20_000, 15))
	into := &s.report.Rings
	into.Rounds = p.Rounds
	for _, clients := range []int{2, 8, 64} {
		progress("deadlocks of %d", clients)
		samples, err := p.Rings(clients, level.All())
		if err != nil {
			return err
		}
		into.Cases = append(into.Cases, report.Ring{Clients: clients, Samples: samples})
	}
	return nil
}

// Counts of the section memory.
const (
	idleNames = 1_000_000
	heldNames = 100_000
)

func (s *suite) memory() error {
	type item struct {
		kind   footprint.Kind
		count  int
		levels []level.Level
	}
	items := []item{
		{footprint.IdleLocks, idleNames, level.All()},
		{footprint.IdleClients, idleNames, level.All()},
		{footprint.HeldLocks, heldNames, level.All()},
		{footprint.QueuedLocks, heldNames, level.All()},
	}
	if s.names > idleNames {
		items = append(items, item{footprint.IdleLocks, s.names, level.Named("inline")})
	}
	for _, i := range items {
		for _, l := range i.levels {
			progress("memory of %d %s, %s", i.count, i.kind, l.Name)
			s.report.Memory = append(s.report.Memory, footprint.Measure(l, i.kind, i.count))
		}
	}
	return nil
}
