package workloads

import (
	"testing"

	"github.com/leasekeeper/lkactor/actors/lease"
	"github.com/leasekeeper/lkactor/bench/internal/plain"
)

// TestShares wants things spread without one lost, none more than one ahead.
func TestShares(t *testing.T) {
	for callers := 1; callers <= 256; callers++ {
		for things := 0; things < 600; things += 11 {
			sum, most, least := 0, 0, things
			for _, n := range shares(callers, things) {
				sum, most, least = sum+n, max(most, n), min(least, n)
			}
			if sum != things || most-least > 1 {
				t.Fatalf("%d things are %d for %d callers, of whom one gets %d and another %d", things, sum, callers, least, most)
			}
		}
	}
}

// TestCallers wants streams of whole pairs, as many operations as were asked for.
func TestCallers(t *testing.T) {
	for _, callers := range []int{1, 2, 3, 7, 8, 63, 64, 65, 255, 256} {
		for _, operations := range []int{1, 2, 3, 5, callers, 2*callers - 1, 2 * callers, 2*callers + 1, 9*callers + 4} {
			streams := Callers(callers, 5, operations)
			if len(streams) != callers {
				t.Fatalf("%d streams for %d callers", len(streams), callers)
			}
			got := 0
			for c, ops := range streams {
				got += len(ops)
				for i := 0; i < len(ops); i += 2 {
					if len(ops)%2 != 0 || ops[i].Kind != lease.Acquire || ops[i+1].Kind != lease.Release ||
						ops[i].Client != ops[i+1].Client || ops[i].Lock != ops[i+1].Lock {
						t.Fatalf("%d operations, caller %d of %d: no pair at %d of %d", operations, c, callers, i, len(ops))
					}
				}
			}
			if got != operations+operations%2 {
				t.Errorf("%d operations for %d callers are %d", operations, callers, got)
			}
		}
	}
}

// TestCallersRunAgain wants every stream to be one that its caller can run whatever the
// others do, again and again on the same service.
func TestCallersRunAgain(t *testing.T) {
	const callers, locks, operations = 4, 3, 999
	s := plain.New()
	warm := Warm(callers, locks)
	s.Run(warm, make([]lease.Result, len(warm)))
	streams := Callers(callers, locks, operations)
	for round := range 3 {
		for i := range streams[0] { // the first is as long as any
			for c, ops := range streams {
				if i >= len(ops) {
					continue
				}
				if result := s.Do(&ops[i]); result.Outcome == lease.Failed {
					t.Fatalf("round %d, caller %d, operation %d: %v", round, c, i, result.Code)
				}
			}
		}
	}
}
