package client

import (
	"context"

	"github.com/google/uuid"

	"github.com/leasekeeper/lkactor/actors/lease"
)

// Service is what a Client needs of a lock service whose operations are live ones
// (E). An engine with a clock is one.
type Service interface {
	// Submit hands over an operation without waiting for its answer. It may wait
	// for room, but no longer than until ctx ends. An error says that the
	// operation was not taken and will never have an effect; one that matches
	// [ErrOverloaded], that it might be taken another time. Otherwise done is
	// called exactly once, on any goroutine, perhaps before Submit returns; it does
	// not block. What was not handled by then never will be.
	Submit(ctx context.Context, op lease.Operation, done func(Answer)) error

	// Watch has told called with the events of the client of the name, in their
	// order, until stop is called. told does not block. instance tells apart those
	// who use one name: while one watches, another gets an error that matches
	// [ErrClientInUse]. If ctx ends first, nothing is watched.
	Watch(ctx context.Context, name string, instance uuid.UUID, told func(lease.Event)) (stop func(), err error)
}

// Answer is what a service says to one operation.
type Answer struct {
	Result lease.Result
	lease.Stamp
	// Err is why there is no result. One that matches [ErrUnanswered] leaves open
	// whether the operation was handled.
	Err error

	again bool          // it was sent more than once,
	sent  lease.Instant // the last time then
}
