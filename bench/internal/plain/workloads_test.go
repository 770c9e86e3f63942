package plain_test

import (
	"testing"

	"github.com/leasekeeper/lkactor/actors/lease"
	"github.com/leasekeeper/lkactor/bench/workloads"
)

// TestPlainAgreesWithModelOnWorkloads gives both every workload, setup and a cut
// of the stream: every result has to be equal.
func TestPlainAgreesWithModelOnWorkloads(t *testing.T) {
	const length = 30_000
	for _, w := range workloads.All() {
		if w.Locks > 100_000 {
			continue // a longer setup than all others together, and nothing new in it
		}
		t.Run(w.Name, func(t *testing.T) {
			trace := w.Cut(length)
			compare(t, 0, trace.Setup, trace.Ops)
		})
	}
	for _, clients := range []int{2, 8, 64} {
		ring := workloads.NewRing(clients)
		again := append(append(ring.Clear, ring.Setup...), ring.Closing)
		compare(t, 0, ring.Setup, append([]lease.Operation{ring.Closing}, again...))
	}
}
