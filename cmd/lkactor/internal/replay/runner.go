package replay

import (
	"context"

	"github.com/leasekeeper/lkactor/actors/lease"
)

// Runner handles operations.
type Runner interface {
	// Run handles ops in their order and puts the result of each at the same
	// place in results, which is as long. After an error nothing in results
	// counts and Run is not called again. It must be done with both slices when
	// it returns without one.
	Run(ctx context.Context, ops []lease.Operation, results []lease.Result) error
}
