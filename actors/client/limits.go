package client

import (
	"time"

	"github.com/leasekeeper/lkactor/actors/client/claim"
	"github.com/leasekeeper/lkactor/actors/lease"
)

// Limits and times of a Client.
const (
	// Grace is how long an acquire that is given up waits for the service to
	// confirm that nothing is left of it. After that the acquire returns, and the
	// rest is seen to in the background.
	Grace = time.Second

	// MarginShare is which part of a ttl the margin before the end is, if nothing
	// else is said, and MaxMargin is what it is at most.
	MarginShare = 10
	MaxMargin   = 10 * time.Second

	// RetryFirst and RetryMost are the bounds of a transaction's back-off, if nothing
	// else is said.
	RetryFirst = 10 * time.Millisecond
	RetryMost  = time.Second
)

// again is how long to stay away from a service that has not answered before the
// same request is sent once more.
var again = claim.Backoff{First: lease.Duration(5 * time.Millisecond), Most: lease.Duration(time.Second)}
