// Package peer makes the same cycle, acquire and release, possible on different
// lock services: on the engine in this process, on a table of locks as one would
// write it by hand, and on servers. It owns how each is asked; it measures
// nothing.
package peer

import (
	"context"
	"time"
)

// System is a lock service.
type System interface {
	// Open makes a client of the lock. It is called for one client after the
	// other, and clients of one lock are to be told apart.
	Open(ctx context.Context, lock string) (Client, error)
	// Close gives back what the system holds; its clients have been closed.
	Close() error
}

// Client is one client of a system, for one lock. It is for one goroutine.
type Client interface {
	// Acquire waits until the client holds the lock, exclusively.
	Acquire(ctx context.Context) error
	// Release gives the lock back.
	Release(ctx context.Context) error
	Close() error
}

// ttl is how long leases last on those systems that have any: no run comes near
// it.
const ttl = time.Minute

// retry is how long a client waits before it asks again, on those systems that
// have no queue.
const retry = time.Millisecond
