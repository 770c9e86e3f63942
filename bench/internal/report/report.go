// Package report writes measurements down: as JSON with every round in it, as
// tables and as charts. It owns the form of the files under bench/results and
// measures nothing.
package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"github.com/leasekeeper/lkactor/bench/internal/footprint"
	"github.com/leasekeeper/lkactor/bench/internal/rounds"
)

// Report is one run of the measurements. Sections that were not measured are
// empty and left out of every file.
type Report struct {
	Environment
	Load    Load    `json:"load"`
	Took    float64 `json:"took_s"`
	ClockNs float64 `json:"clock_reading_ns"`

	// Targets are the five workloads that targets exist for, Others the rest, and
	// Proto the five again under Proto.Actor's own dispatcher.
	Targets Bulk `json:"targets"`
	Others  Bulk `json:"others,omitzero"`
	Proto   Bulk `json:"proto,omitzero"`
	// Growth is one workload on more and more locks, Waiters one lock with more
	// and more waiters.
	Growth  Bulk `json:"growth,omitzero"`
	Waiters Bulk `json:"waiters,omitzero"`

	Singles Singles `json:"singles,omitzero"`
	Callers Callers `json:"callers,omitzero"`
	Rings   Rings   `json:"rings,omitzero"`

	Memory []footprint.Sample `json:"memory,omitempty"`
}

// Bulk is a section of workloads in bulk, all with the same levels.
type Bulk struct {
	Ops       int        `json:"ops_per_round"`
	Rounds    int        `json:"rounds"`
	Workloads []Workload `json:"workloads"`
}

// Workload is what was measured of one workload: a sample per level, from the
// bottom up.
type Workload struct {
	Name    string          `json:"name"`
	Mix     string          `json:"mix"`
	Samples []rounds.Sample `json:"samples"`
}

// sample gives the sample of a level; an empty one if it was not measured.
func (w *Workload) sample(level string) *rounds.Sample {
	for i := range w.Samples {
		if w.Samples[i].Level == level {
			return &w.Samples[i]
		}
	}
	return new(rounds.Sample)
}

// Singles is the section of operations one at a time.
type Singles struct {
	Ops       int      `json:"ops_per_round"`
	Rounds    int      `json:"rounds"`
	Workloads []Single `json:"workloads"`
}

// Single is what was measured of one workload, one operation at a time.
type Single struct {
	Name    string          `json:"name"`
	Mix     string          `json:"mix"`
	Samples []rounds.Single `json:"samples"`
}

// Callers is the section of many callers at once.
type Callers struct {
	Ops    int     `json:"ops_per_round"`
	Rounds int     `json:"rounds"`
	Cases  []Crowd `json:"cases"`
}

// Crowd is what was measured of one number of callers on one number of locks.
type Crowd struct {
	Callers int             `json:"callers"`
	Locks   int             `json:"locks"`
	Samples []rounds.Shared `json:"samples"`
}

// Rings is the section of deadlocks.
type Rings struct {
	Rounds int    `json:"rounds"`
	Cases  []Ring `json:"cases"`
}

// Ring is what was measured of deadlocks of one size.
type Ring struct {
	Clients int             `json:"clients"`
	Samples []rounds.Broken `json:"samples"`
}

// Write puts the report into the directory as <name>.json, .md and .svg, in the
// place of any that are there.
func (r *Report) Write(dir, name string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("report: %w", err)
	}
	text, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return fmt.Errorf("report: %w", err)
	}
	var table, chart bytes.Buffer
	r.Table(&table)
	if err := r.Chart(&chart); err != nil {
		return err
	}
	for _, file := range []struct {
		ending string
		data   []byte
	}{{".json", append(text, '\n')}, {".md", table.Bytes()}, {".svg", chart.Bytes()}} {
		if err := os.WriteFile(filepath.Join(dir, name+file.ending), file.data, 0o644); err != nil {
			return fmt.Errorf("report: %w", err)
		}
	}
	return nil
}
