package result

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/leasekeeper/lkactor/bench/internal/report"
	"github.com/leasekeeper/lkactor/bench/peers/internal/cycle"
)

var rewrite = flag.Bool("rewrite", false, "write the golden files anew")

// invented is a result with figures that are easy to check.
func invented() *Result {
	rounds := func(base float64) (all []cycle.Round) {
		for _, k := range []float64{1, 3, 2} {
			all = append(all, cycle.Round{Cycles: k * base, HandOffs: k * base / 2, P50: 5 * k, P99: 500 * k, Least: 0.9})
		}
		return all
	}
	return &Result{
		Environment: report.Environment{Date: "2026-01-02 03:04:05", Commit: "abc", CPU: "Some CPU", Cores: 2, Go: "go1", System: "linux/amd64"},
		Load:        report.Load{Known: true, Before: 0.5, After: 1.25, Others: 0.1},
		Took:        150, SyncUs: 4_200, RoundMs: 600, Versions: []string{"etcd 3", "Redis 7"},
		Cases: []cycle.Case{{Clients: 1, Locks: 1}, {Clients: 64, Locks: 8}},
		Systems: []System{
			{Name: "engine", About: "in process", Guarantees: Engine, Rounds: [][]cycle.Round{rounds(600_000), rounds(200_000)}},
			{Name: "etcd", About: "by its own recipe", Guarantees: Etcd, Rounds: [][]cycle.Round{rounds(50), rounds(20)}},
		},
		Deadlocks: []Deadlock{
			{Name: "engine", About: "at once", Rings: []Ring{{2, []float64{3, 2, 4}}, {8, []float64{7}}}},
			{Name: "PostgreSQL", About: "after a second", Rings: []Ring{{2, []float64{1_001_000}}, {8, []float64{1_002_000}}}},
		},
	}
}

// TestGolden compares both files with those that were looked at once.
func TestGolden(t *testing.T) {
	dir := "testdata"
	if !*rewrite {
		dir = t.TempDir()
	}
	if err := invented().Write(dir, "golden"); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"golden.json", "golden.md"} {
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

// TestJSONKeepsEverything reads back what was written.
func TestJSONKeepsEverything(t *testing.T) {
	text, err := json.Marshal(invented())
	if err != nil {
		t.Fatal(err)
	}
	var back Result
	if err := json.Unmarshal(text, &back); err != nil || !reflect.DeepEqual(&back, invented()) {
		t.Errorf("%+v, %v", back, err)
	}
}

// TestRowsAreWhole wants every row of every table to have as many cells as its
// header.
func TestRowsAreWhole(t *testing.T) {
	var out bytes.Buffer
	invented().Table(&out)
	cells := 0
	for line := range strings.Lines(out.String()) {
		switch n := strings.Count(line, "|"); {
		case n == 0:
			cells = 0
		case cells == 0:
			cells = n
		case n != cells:
			t.Errorf("%d cells instead of %d: %s", n-1, cells-1, line)
		}
	}
}

// TestEveryGuaranteeIsStated wants no cell of the comparison to be empty.
func TestEveryGuaranteeIsStated(t *testing.T) {
	for name, g := range map[string]Guarantees{
		"engine": Engine, "shards": Shards, "etcd": Etcd, "redis": Redis, "durable redis": RedisDurable, "postgres": Postgres,
	} {
		for _, c := range columns {
			if c.of(g) == "" {
				t.Errorf("%s says nothing about %s", name, c.title)
			}
		}
	}
}

func TestFigures(t *testing.T) {
	for got, want := range map[string]string{
		thousands(0): "0", thousands(999.6): "1,000", thousands(1_234_567): "1,234,567",
		short(1_234.6): "1,235", short(99.96): "100.0", short(5.555): "5.55", short(0.00321): "0.0032",
	} {
		if got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}
