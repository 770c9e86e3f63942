// Package result writes the comparison with other lock services down: as JSON
// with every round in it, and as tables. It owns the form of these files and the
// words about what each system promises; it measures nothing.
package result

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/leasekeeper/lkactor/bench/internal/report"
	"github.com/leasekeeper/lkactor/bench/internal/rounds"
	"github.com/leasekeeper/lkactor/bench/peers/internal/cycle"
)

// Result is one run of the comparison.
type Result struct {
	report.Environment
	Load     report.Load `json:"load"`
	Took     float64     `json:"took_s"`
	SyncUs   float64     `json:"sync_us"` // median of having four kilobytes on disk
	RoundMs  float64     `json:"round_ms"`
	Versions []string    `json:"versions"`

	Cases     []cycle.Case `json:"cases"`
	Systems   []System     `json:"systems"`
	Deadlocks []Deadlock   `json:"deadlocks"`
}

// System is what was measured of one system.
type System struct {
	Name       string     `json:"name"`
	About      string     `json:"about"` // how it was set up and asked
	Guarantees Guarantees `json:"guarantees"`
	// Rounds has the rounds of each case, in the order of Result.Cases.
	Rounds [][]cycle.Round `json:"rounds"`
}

// Deadlock is how long one system took to break rings.
type Deadlock struct {
	Name  string `json:"name"`
	About string `json:"about"`
	Rings []Ring `json:"rings"`
}

// Ring is how long rings of one size took.
type Ring struct {
	Clients int       `json:"clients"`
	Us      []float64 `json:"us"`
}

// Write puts the result into the directory as <name>.json and .md, in the place
// of any that are there.
func (r *Result) Write(dir, name string) error {
	text, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return fmt.Errorf("result: %w", err)
	}
	var table bytes.Buffer
	r.Table(&table)
	for _, file := range []struct {
		ending string
		data   []byte
	}{{".json", append(text, '\n')}, {".md", table.Bytes()}} {
		if err := os.WriteFile(filepath.Join(dir, name+file.ending), file.data, 0o644); err != nil {
			return fmt.Errorf("result: %w", err)
		}
	}
	return nil
}

// Median gives the median of the values.
func Median(values []float64) float64 {
	return rounds.Quantile(slices.Sorted(slices.Values(values)), 0.5)
}

// median gives the median over rounds of one of their figures.
func median(of []cycle.Round, figure func(cycle.Round) float64) float64 {
	values := make([]float64, len(of))
	for i, r := range of {
		values[i] = figure(r)
	}
	return Median(values)
}
