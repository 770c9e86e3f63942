package workloads

import (
	"fmt"

	"github.com/leasekeeper/lkactor/actors/lease"
)

// The names that the measurements of memory use are as long as those people
// give, and all of one length.
const (
	// LockNameBytes is the length of the name of a lock.
	LockNameBytes = len("exports/daily/part-00000000")
	// ClientNameBytes is the length of the name of a client.
	ClientNameBytes = len("nightly-batch/job-00000000")
	// MaxName is the largest number that a name of that length may have.
	MaxName = 99_999_999
)

// Each of the following gives operations for the numbers from first up to but
// not including end. Names are made anew each time, so that nothing but the
// service keeps them.

// IdleLocks has every lock acquired and released once, by that many clients in
// turn.
func IdleLocks(first, end, clients int) []lease.Operation {
	return numbered(first, end, func(i int) []lease.Operation {
		return []lease.Operation{take(i%clients, i), giveBack(i%clients, i)}
	})
}

// IdleClients has every client acquire and release one lock, of that many in
// turn.
func IdleClients(first, end, locks int) []lease.Operation {
	return numbered(first, end, func(i int) []lease.Operation {
		return []lease.Operation{take(i, i%locks), giveBack(i, i%locks)}
	})
}

// HeldLocks has every lock acquired, by that many clients in turn.
func HeldLocks(first, end, clients int) []lease.Operation {
	return numbered(first, end, func(i int) []lease.Operation {
		return []lease.Operation{take(i%clients, i)}
	})
}

// QueuedLocks has every lock acquired by one of that many clients in turn, and
// then by another, who waits for this one only.
func QueuedLocks(first, end, clients int) []lease.Operation {
	return numbered(first, end, func(i int) []lease.Operation {
		return []lease.Operation{take(i%clients, i), take(clients+i, i)}
	})
}

func numbered(first, end int, of func(i int) []lease.Operation) []lease.Operation {
	var ops []lease.Operation
	for i := first; i < end; i++ {
		ops = append(ops, of(i)...)
	}
	pack(ops)
	return ops
}

func take(client, lock int) lease.Operation {
	return lease.Operation{Kind: lease.Acquire, Client: longClient(client), Lock: longLock(lock), TTL: longTTL}
}

func giveBack(client, lock int) lease.Operation {
	return lease.Operation{Kind: lease.Release, Client: longClient(client), Lock: longLock(lock)}
}

func longClient(i int) string { return fmt.Sprintf("nightly-batch/job-%08d", i) }

func longLock(i int) string { return fmt.Sprintf("exports/daily/part-%08d", i) }
