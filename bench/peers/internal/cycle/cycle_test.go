package cycle_test

import (
	"testing"
	"time"

	"github.com/leasekeeper/lkactor/actors"
	"github.com/leasekeeper/lkactor/bench/peers/internal/cycle"
	"github.com/leasekeeper/lkactor/bench/peers/internal/peer"
)

// TestCycles runs the systems that need no server, alone and contended. That
// nobody holds a lock that somebody else holds is checked by the run itself.
func TestCycles(t *testing.T) {
	engine := func(d actors.Dispatch) peer.System {
		e, err := peer.NewEngine(actors.WithDispatch(d))
		if err != nil {
			t.Fatal(err)
		}
		return e
	}
	for name, system := range map[string]peer.System{
		"shards": peer.NewShards(), "inline": engine(actors.Inline), "own": engine(actors.OwnGoroutine),
	} {
		for _, c := range []cycle.Case{{1, 1}, {5, 5}, {12, 3}} {
			stand, err := c.Open(t.Context(), system)
			if err != nil {
				t.Fatal(err)
			}
			for range 2 {
				round, err := stand.Run(t.Context(), 20*time.Millisecond)
				if err != nil {
					t.Fatalf("%s, %v: %v", name, c, err)
				}
				if round.Cycles <= 0 || round.P50 <= 0 || round.P99 < round.P50 || round.Least < 0 || round.Least > 1 {
					t.Errorf("%s, %v: %+v", name, c, round)
				}
				if round.HandOffs > round.Cycles || c.Contended() && round.HandOffs == 0 {
					t.Errorf("%s, %v: %+v", name, c, round)
				}
			}
			if err := stand.Close(); err != nil {
				t.Fatal(err)
			}
		}
		if err := system.Close(); err != nil {
			t.Fatal(err)
		}
	}
}
