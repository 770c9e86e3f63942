package sequencer

import "github.com/leasekeeper/lkactor/actors/lease"

// Meter measures an engine with a clock, on the sequencer's turn. It must not block.
type Meter interface {
	// Effect takes an effect, and the number of the operation at which it was noticed.
	Effect(e *lease.Effect, seq uint64)
	// Batch takes how many operations ran together.
	Batch(operations int)
	// Turn takes, after each intake, what has been done so far and how many requests
	// wait.
	Turn(c Counts, waits int)
}
