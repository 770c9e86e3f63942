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

// idleBytes is how many bytes an idle name may cost besides itself.
const idleBytes = 150

// TestIdleNamesAreSmall wants a million locks that have been acquired and released to
// leave little under every policy, and neither actors nor goroutines. It has to be so
// many: with fewer, what an engine makes once for the actors it keeps would count for
// more than the names. Of clients the model keeps the most.
func TestIdleNamesAreSmall(t *testing.T) {
	small(t, "model", footprint.IdleClients)
	for _, name := range []string{"model", "inline", "own"} {
		small(t, name, footprint.IdleLocks)
	}
}

func small(t *testing.T, name string, kind footprint.Kind) {
	t.Helper()
	const names = 1_000_000
	s := footprint.Measure(level.Named(name)[0], kind, names)
	each := s.Heap + s.Stack
	t.Logf("%s, %s: %.0f bytes each", kind, name, each)
	if each > idleBytes {
		t.Errorf("%s, %s: %.0f bytes each besides the name, want at most %d", kind, name, each, idleBytes)
	}
	if s.Actors > 0 || s.Goroutines > 0 {
		t.Errorf("%s, %s: %d actors and %d goroutines are left", kind, name, s.Actors, s.Goroutines)
	}
}
