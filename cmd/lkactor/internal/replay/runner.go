package replay

import (
	"context"
	"errors"

	"github.com/leasekeeper/lkactor/actors/lease"
)

// Runner handles operations: those of a plain log, or those of either kind if
// [InDialect] made it.
type Runner interface {
	// Run handles ops in their order and puts the result of each at the same
	// place in results, which is as long. After an error nothing in results
	// counts and Run is not called again. It must be done with both slices when
	// it returns without one.
	Run(ctx context.Context, ops []lease.Operation, results []lease.Result) error
}

// ErrPlainOnly is the error of a live log that is given to a runner which knows
// nothing of them.
var ErrPlainOnly = errors.New("this is a live log, and only plain ones can be run here")

// InDialect makes a runner that is started when the dialect of the log is known
// (E1): start is called once, just before the first operation is run, and not at
// all if there is none. An error of it ends the replay like one of Run.
func InDialect(start func(d lease.Dialect) (Runner, error)) Runner {
	return &inDialect{start: start}
}

type inDialect struct {
	start  func(d lease.Dialect) (Runner, error)
	runner Runner // nil until begin
}

// Run implements [Runner].
func (r *inDialect) Run(ctx context.Context, ops []lease.Operation, results []lease.Result) error {
	return r.runner.Run(ctx, ops, results)
}

// begin gets a runner ready for a log of the dialect.
func begin(runner Runner, d lease.Dialect) (err error) {
	if r, ok := runner.(*inDialect); ok {
		r.runner, err = r.start(d)
		return err
	}
	if d != lease.Plain {
		return ErrPlainOnly
	}
	return nil
}
