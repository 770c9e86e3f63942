// Package report writes measurements down: as JSON with every round in it, as a
// table and as a chart. It owns the form of the files under bench/results and
// measures nothing.
package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"github.com/leasekeeper/lkactor/bench/internal/rounds"
)

// Report is one run of the table of ratios.
type Report struct {
	Environment
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

// sample gives the sample of a level; nil if it was not measured.
func (w *Workload) sample(level string) *rounds.Sample {
	for i := range w.Samples {
		if w.Samples[i].Level == level {
			return &w.Samples[i]
		}
	}
	return nil
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
