package footprint_test

import (
	"testing"

	"github.com/leasekeeper/lkactor/bench/internal/footprint"
	"github.com/leasekeeper/lkactor/bench/internal/level"
)

// TestMeasure wants plausible figures of the plain service, whose structs are
// known to take between 50 and 2,000 bytes, and no actors of it.
func TestMeasure(t *testing.T) {
	plain := level.Named("plain")[0]
	for _, kind := range footprint.Kinds() {
		s := footprint.Measure(plain, kind, 20_000)
		if s.Level != "plain" || s.Kind != kind || s.Count != 20_000 {
			t.Errorf("%+v", s)
		}
		if s.Heap < 50 || s.Heap > 2_000 || s.Actors != 0 || s.Total == 0 {
			t.Errorf("%s: %+v", kind, s)
		}
	}
}

// TestMeasureCountsActors wants an actor at least for each lock that is held.
func TestMeasureCountsActors(t *testing.T) {
	s := footprint.Measure(level.Named("inline")[0], footprint.HeldLocks, 500)
	if s.Actors < 500 {
		t.Errorf("%d actors for 500 locks", s.Actors)
	}
}
