package report

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"flag"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/leasekeeper/lkactor/bench/internal/footprint"
	"github.com/leasekeeper/lkactor/bench/internal/rounds"
)

var rewrite = flag.Bool("rewrite", false, "write the golden files anew")

// invented is a report of every section, with figures that are easy to check.
func invented() *Report {
	samples := func(levels ...string) (all []rounds.Sample) {
		for i, l := range levels {
			base := float64(100 * (i + 1))
			s := rounds.Sample{Level: l, Wall: rounds.Times{base, 3 * base, 2 * base}, CPU: rounds.Times{base, base, base}, Allocs: 0.5, Bytes: 12}
			if l != "plain" {
				s.GraphSteps = 0.25
			}
			if l != "plain" && l != "model" {
				s.Messages, s.Batch = 1.5, 64
			}
			all = append(all, s)
		}
		return all
	}
	bulk := func(levels ...string) Bulk {
		return Bulk{Ops: 1_000, Rounds: 3, Workloads: []Workload{
			{Name: "small", Mix: "all <kinds> & more", Samples: samples(levels...)},
			{Name: "large", Mix: "the same", Samples: samples(levels...)},
		}}
	}
	return &Report{
		Environment: Environment{Date: "2026-01-02 03:04:05", Commit: "abc", CPU: "Some <CPU>", Cores: 2, Go: "go1", System: "linux/amd64"},
		Load:        Load{Known: true, Before: 0.5, After: 1.25, Others: 0.1},
		Took:        12, ClockNs: 30,
		Targets: bulk("plain", "model", "inline", "own"),
		Others:  bulk("plain", "model", "inline", "own"),
		Proto:   bulk("model", "proto"),
		Growth:  bulk("model", "inline"),
		Waiters: bulk("model", "inline", "own"),
		Singles: Singles{Ops: 1_000, Rounds: 3, Workloads: []Single{{Name: "one", Mix: "by one", Samples: []rounds.Single{
			{Level: "inline", Wall: rounds.Times{700}, CPU: rounds.Times{650}, P50: rounds.Times{600}, P99: rounds.Times{900}, Allocs: 1},
		}}}},
		Callers: Callers{Ops: 1_000, Rounds: 3, Cases: []Crowd{{Callers: 64, Locks: 10, Samples: []rounds.Shared{
			{Level: "plain+mutex", Wall: rounds.Times{200}, CPU: rounds.Times{210}},
			{Level: "own", Wall: rounds.Times{900}, CPU: rounds.Times{1_100}, Batch: 7.5},
		}}}},
		Rings: Rings{Rounds: 3, Cases: []Ring{{Clients: 8, Samples: []rounds.Broken{
			{Level: "model", P50: rounds.Times{2_500}, P99: rounds.Times{4_000}},
		}}}},
		Memory: []footprint.Sample{
			{Level: "plain", Kind: footprint.IdleLocks, Count: 1_000, Heap: 120, Total: 5_000_000, Took: 300},
			{Level: "own", Kind: footprint.IdleLocks, Count: 1_000, Heap: 140, Stack: 4_096, Actors: 1_000, Goroutines: 1_000, Total: 9_000_000, Took: 800},
			{Level: "own", Kind: footprint.HeldLocks, Count: 100, Heap: 900, Total: 9_000_000, Took: 800},
		},
	}
}

// TestGolden compares all three files with those that were looked at once.
func TestGolden(t *testing.T) {
	dir := "testdata"
	if !*rewrite {
		dir = t.TempDir()
	}
	if err := invented().Write(dir, "golden"); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"golden.json", "golden.md", "golden.svg"} {
		got, err1 := os.ReadFile(filepath.Join(dir, name))
		want, err2 := os.ReadFile(filepath.Join("testdata", name))
		if err := errors.Join(err1, err2); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("%s is now\n%s", name, got)
		}
	}
}

// TestEmptySectionsAreLeftOut wants a report of one section to name no other.
func TestEmptySectionsAreLeftOut(t *testing.T) {
	r := &Report{Environment: invented().Environment, Targets: invented().Targets}
	var table, chart bytes.Buffer
	r.Table(&table)
	if err := r.Chart(&chart); err != nil {
		t.Fatal(err)
	}
	if got := strings.Count(table.String(), "\n## "); got != 1 {
		t.Errorf("%d sections:\n%s", got, table.String())
	}
	if got := strings.Count(chart.String(), `font-weight="bold"`); got != 1 {
		t.Errorf("%d panels", got)
	}
	text, err := json.Marshal(r)
	if err != nil || strings.Contains(string(text), "singles") || strings.Contains(string(text), "memory") {
		t.Errorf("%s, %v", text, err)
	}
}

// TestJSONKeepsEverything reads back what was written.
func TestJSONKeepsEverything(t *testing.T) {
	text, err := json.Marshal(invented())
	if err != nil {
		t.Fatal(err)
	}
	var back Report
	if err := json.Unmarshal(text, &back); err != nil || !reflect.DeepEqual(&back, invented()) {
		t.Errorf("%+v, %v", back, err)
	}
}

// TestChartIsXML wants what is in names to be text.
func TestChartIsXML(t *testing.T) {
	var chart bytes.Buffer
	if err := invented().Chart(&chart); err != nil {
		t.Fatal(err)
	}
	for d := xml.NewDecoder(&chart); ; {
		if _, err := d.Token(); err == io.EOF {
			return
		} else if err != nil {
			t.Fatal(err)
		}
	}
}

// TestLoad reads the files of Linux as they are.
func TestLoad(t *testing.T) {
	const stat = "cpu  %s\ncpu0 1 2 3 4 5 6 7 8 9 10\n"
	before := parseReading([]byte("0.50 0.60 0.70 1/100 4\n"), []byte(strings.Replace(stat, "%s", "100 0 0 1000 50 0 0 0 0 0", 1)), time.Second)
	after := parseReading([]byte("1.25 0.60 0.70 1/100 4\n"), []byte(strings.Replace(stat, "%s", "300 10 30 1700 90 5 5 10 99 99", 1)), 2*time.Second)
	// All cores had 1,000 ticks of 10 ms, of which 260 were busy, 100 of them by this process.
	want := Load{Known: true, Before: 0.5, After: 1.25, Others: 0.16}
	if got := between(before, after); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	for name, broken := range map[string]reading{
		"no line":     parseReading([]byte("0.5"), nil, 0),
		"no number":   parseReading([]byte("0.5"), []byte("cpu a b c d e f g h"), 0),
		"other line":  parseReading([]byte("0.5"), []byte("intr 1 2 3 4 5 6 7 8"), 0),
		"a short one": parseReading([]byte("0.5"), []byte("cpu 1 2 3"), 0),
	} {
		if got := between(broken, after); broken.ok || got != (Load{}) {
			t.Errorf("%s: %+v gives %+v", name, broken, got)
		}
	}
	if unknown := (Load{}).String(); !strings.Contains(unknown, "not known") {
		t.Error(unknown)
	}
}
