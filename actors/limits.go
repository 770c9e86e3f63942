package actors

import (
	"time"

	"github.com/leasekeeper/lkactor/actors/lease"
)

// Limits of a running engine. Those of names, numbers and ttls are in package
// lease, those of a log's text in package oplog.
const (
	// DefaultBatch is how many operations run together at most.
	DefaultBatch = 256

	// InlineKeep is how many locks, and how many clients, keep an actor under
	// [Inline], where one costs about a kilobyte and no goroutine: more than
	// elsewhere, since a bulk run goes over many names and comes back to them.
	InlineKeep = 1 << 17

	// DefaultIdle is after how long an idle lock or client gives its actor back.
	DefaultIdle = 2 * time.Second
	// MinIdle keeps an engine from being busy with sweeping.
	MinIdle = time.Millisecond

	// slowAfter is how long a subscriber may take to confirm a notice before it is
	// reported as slow, should there be more for it.
	slowAfter = 5 * lease.Instant(time.Second)
)
