package replay

import "github.com/leasekeeper/lkactor/actors/lease"

const (
	// batchSize is how many operations travel together. Large enough that
	// handing a batch on costs nothing per operation, small enough that all
	// batches stay in a processor's cache.
	batchSize = 512

	// batchCount is how many batches there are: one in each stage and two
	// waiting in between.
	batchCount = 5
)

// batch is what the stages hand on. It belongs to the stage that has it.
type batch struct {
	ops     []lease.Operation // the first n count
	results []lease.Result
	n       int

	offset int64 // how much of the log had been taken when it was decoded
	err    error // why nothing comes after the n operations; nil if something may
}

func newBatch() *batch {
	return &batch{ops: make([]lease.Operation, batchSize), results: make([]lease.Result, batchSize)}
}
