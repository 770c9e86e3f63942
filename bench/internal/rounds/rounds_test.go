package rounds

import (
	"slices"
	"strings"
	"testing"

	"github.com/leasekeeper/lkactor/actors/lease"
	"github.com/leasekeeper/lkactor/bench/internal/level"
	"github.com/leasekeeper/lkactor/bench/workloads"
)

func TestTimes(t *testing.T) {
	for _, c := range []struct {
		name      string
		got, want float64
	}{
		{"median of none", Times(nil).Median(), 0},
		{"median of one", Times{3}.Median(), 3},
		{"median of an odd number", Times{9, 1, 5}.Median(), 5},
		{"median of an even number", Times{9, 1, 5, 6}.Median(), 5.5},
		{"ratio within rounds", Times{10, 200, 30}.Ratio(Times{5, 50, 30}), 2},
		{"ratio to nothing", Times{10}.Ratio(nil), 0},
		{"ratio to zero", Times{10}.Ratio(Times{0}), 0},
		{"excess within rounds", Times{10, 200, 30}.Above(Times{5, 50, 30}), 5},
		{"lowest", Quantile([]int64{1, 2, 3}, 0), 1},
		{"highest", Quantile([]int64{1, 2, 3}, 1), 3},
		{"between", Quantile([]int64{0, 100}, 0.99), 99},
	} {
		if c.got != c.want {
			t.Errorf("%s is %v, want %v", c.name, c.got, c.want)
		}
	}
	unsorted := Times{3, 1, 2}
	if unsorted.Median(); !slices.Equal(unsorted, Times{3, 1, 2}) {
		t.Errorf("a median has sorted the rounds: %v", unsorted)
	}
}

// TestTurns wants a warm-up of each level and then rounds in which each level has
// its turn, none always after the same one.
func TestTurns(t *testing.T) {
	levels := []level.Level{{Name: "a"}, {Name: "b"}, {Name: "c"}}
	var got []string
	err := Plan{Rounds: 3}.turns(levels, func(l level.Level, warmUp bool) error {
		if warmUp {
			got = append(got, "warm "+l.Name)
		} else {
			got = append(got, l.Name)
		}
		return nil
	})
	want := "warm a,warm b,warm c,a,b,c,b,c,a,c,a,b"
	if strings.Join(got, ",") != want || err != nil {
		t.Errorf("turns are %v, %v", got, err)
	}
}

// small is a plan that is quickly done.
var small = Plan{Ops: 600, Rounds: 2}

// TestMeasurements wants a figure for every level and round of each kind of
// measurement. It says nothing of their sizes.
func TestMeasurements(t *testing.T) {
	w := workloads.Named("transactions-light")[0]
	bulk, err := small.Bulk(w, level.Every())
	if err != nil || len(bulk) != len(level.Every()) {
		t.Fatalf("%d samples, %v", len(bulk), err)
	}
	for i, s := range bulk {
		full(t, "bulk", level.Every()[i].Name, s.Level, s.Wall, s.CPU)
		if engine := s.Level != "plain" && s.Level != "model"; engine && (s.Batch == 0 || s.Messages == 0) {
			t.Errorf("%s: %+v", s.Level, s)
		}
	}
	single, err := small.Single(w, level.All())
	if err != nil || len(single) != len(level.All()) {
		t.Fatalf("%d samples, %v", len(single), err)
	}
	for i, s := range single {
		full(t, "single", level.All()[i].Name, s.Level, s.Wall, s.CPU, s.P50, s.P99)
	}
	shared, err := small.Callers(4, 3, level.Concurrent())
	if err != nil || len(shared) != len(level.Concurrent()) {
		t.Fatalf("%d samples, %v", len(shared), err)
	}
	for i, s := range shared {
		full(t, "callers", level.Concurrent()[i].Name, s.Level, s.Wall, s.CPU)
	}
	broken, err := small.Rings(8, level.All())
	if err != nil || len(broken) != len(level.All()) {
		t.Fatalf("%d samples, %v", len(broken), err)
	}
	for i, s := range broken {
		full(t, "rings", level.All()[i].Name, s.Level, s.P50, s.P99)
	}
	if ClockNs() <= 0 {
		t.Error("a reading of the clock takes no time")
	}
}

func full(t *testing.T, kind, want, got string, times ...Times) {
	t.Helper()
	if got != want {
		t.Errorf("%s: sample of %q in the place of %q", kind, got, want)
	}
	for _, each := range times {
		if len(each) != small.Rounds {
			t.Errorf("%s, %s: %d rounds", kind, got, len(each))
		}
	}
}

// liar is a service that answers every operation with the same refusal.
type liar struct{ level.Service }

func (liar) Do(*lease.Operation) lease.Result { return lease.Fail(lease.NotHolder) }
func (liar) Run(ops []lease.Operation, results []lease.Result) {
	for i := range results {
		results[i] = lease.Fail(lease.NotHolder)
	}
}

// TestDifferencesAreErrors wants no figures of a level that gives other results
// than the first, or wrong ones.
func TestDifferencesAreErrors(t *testing.T) {
	honest := level.Concurrent()[0]
	levels := []level.Level{honest, {Name: "liar", Open: func() level.Service { return liar{honest.Open()} }}}
	w := workloads.Named("trio")[0]
	_, bulk := small.Bulk(w, levels)
	_, single := small.Single(w, levels)
	_, callers := small.Callers(2, 2, levels)
	_, rings := small.Rings(2, levels)
	for kind, err := range map[string]error{"bulk": bulk, "single": single, "callers": callers, "rings": rings} {
		if err == nil || !strings.Contains(err.Error(), "liar") {
			t.Errorf("%s: %v", kind, err)
		}
	}
}
