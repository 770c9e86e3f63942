package sequencer

import (
	"errors"
	"fmt"

	"github.com/leasekeeper/lkactor/actors/lease"
)

// shownBytes is how much of a long name an error shows.
const shownBytes = 32

// ErrLimit is matched by every *[LimitError], and by [ErrBump].
var ErrLimit = errors.New("over the limit of the engine")

// ErrBump is the error of a bump after which no token of the lock could be written with
// (E4, O9). It matches ErrLimit: the bump is in no log.
var ErrBump = fmt.Errorf("%w: a bump above %d leaves too few tokens that can be written with", ErrLimit, int64(lease.MaxBump))

// LimitError refuses operations that would take an engine with a clock over a limit
// of its own. They have no effect and are in no log: what a log says does not
// depend on who has run it.
type LimitError struct {
	// What is "locks", "clients", "waiters for lock", "remembered requests", "subscribers",
	// "bytes in a name" or "bytes in an operation".
	What  string
	Name  string // of the lock or client, or the request's id; the beginning of it, if it is too long
	Limit int
}

// requestsFull is what there are too many of where a request could not be remembered.
const requestsFull = "remembered requests"

// Error says which limit and whose operation.
func (e *LimitError) Error() string {
	if e.What == requestsFull {
		return fmt.Sprintf("%v: no room to remember request %q: there are %d %s", ErrLimit, e.Name, e.Limit, e.What)
	}
	return fmt.Sprintf("%v: %q is over %d %s", ErrLimit, e.Name, e.Limit, e.What)
}

// Is matches ErrLimit.
func (e *LimitError) Is(target error) bool { return target == ErrLimit }

// Capacity is how much an engine with a clock takes on; zero is no limit.
type Capacity struct {
	Locks     int // that there is a record of
	Clients   int // likewise, but for those kept for their requests alone
	Waiters   int // in the queue of one lock
	Requests  int // remembered by their ids, of all clients together (E3)
	NameBytes int // of a client, lock, key, request id or instance
	// Subscribers is how many subscriptions there are, whoever they are of.
	Subscribers int
}

// MaxOperationBytes is how long the names, the key, the value and the id of an operation
// may be together, in bytes and with some for its numbers, in an engine with a clock: any
// text of it in a log is then below the limit of logs. A longer one is in no log, so that
// what is in one is always all that was asked.
const MaxOperationBytes = 2 << 20

// admission looks at the operations of one intake before they are stamped. It goes
// by how things stand at its begin and by all that was admitted since, so no limit
// is ever passed; but what would be granted or refused for another reason may be
// refused for the limit instead when it is near.
type admission struct {
	order    *Sequencer
	capacity Capacity
	near     bool // a limit may be reached within the intake

	locks, clients map[string]bool // that are new in the intake
	requests       int             // likewise
	waits          map[string]int  // acquires in it, by lock
}

// begin prepares for an intake of so many operations.
func (d *admission) begin(operations int) {
	q := d.order
	clear(d.locks)
	clear(d.clients)
	clear(d.waits)
	d.requests = 0
	d.near = over(q.locks.len()+operations, d.capacity.Locks) ||
		over(q.clientCount()+operations, d.capacity.Clients) ||
		over(q.asked.requests.len()+operations, d.capacity.Requests) ||
		over(q.waits+operations, d.capacity.Waiters)
}

func over(n, limit int) bool { return limit > 0 && n > limit }

// admit tells why the operations are not taken, nil if they are.
func (d *admission) admit(ops []lease.Operation) error {
	for i := range ops {
		op := &ops[i]
		if err := d.admitNames(op); err != nil {
			return err
		}
		if op.Kind == lease.Bump && op.Token > lease.MaxBump && op.Token <= lease.MaxMagnitude { // above that the rules refuse
			return ErrBump
		}
		if size(op) > MaxOperationBytes {
			name := op.Lock
			if name == "" {
				name = op.Client
			}
			return &LimitError{What: "bytes in an operation", Name: name[:min(len(name), shownBytes)], Limit: MaxOperationBytes}
		}
		if d.near {
			if err := d.admitEntries(op); err != nil {
				return err
			}
		}
	}
	return nil
}

func (d *admission) admitNames(op *lease.Operation) error {
	limit := d.capacity.NameBytes
	if limit == 0 || len(op.Client) <= limit && len(op.Lock) <= limit && len(op.Key) <= limit && len(op.ID) <= limit {
		return nil
	}
	return d.tooLong(op.Client, op.Lock, op.Key, op.ID)
}

// tooLong refuses names of which one is.
func (d *admission) tooLong(names ...string) error {
	limit := d.capacity.NameBytes
	for _, name := range names {
		if over(len(name), limit) {
			return &LimitError{What: "bytes in a name", Name: name[:min(limit, shownBytes)], Limit: limit}
		}
	}
	return nil
}

// admitSubscriber tells why a subscription is not taken, nil if it is; there are so many
// already. One to a client that the engine has no record of leaves none, but is refused
// where the client would be.
func (d *admission) admitSubscriber(s *Subscription, subscribers int) error {
	if err := d.tooLong(s.Client, s.Instance); err != nil {
		return err
	}
	q := d.order
	switch {
	case over(subscribers+1, d.capacity.Subscribers):
		return &LimitError{What: "subscribers", Name: s.Client, Limit: d.capacity.Subscribers}
	case !q.isClient(s.Client) && over(q.clientCount()+1, d.capacity.Clients):
		return &LimitError{What: "clients", Name: s.Client, Limit: d.capacity.Clients}
	}
	return nil
}

// admitEntries looks at what the operation may add.
func (d *admission) admitEntries(op *lease.Operation) error {
	q := d.order
	acquires := op.Kind == lease.Acquire
	if acquires || op.Kind == lease.Write || op.Kind == lease.Bump {
		if q.knownLock(op.Lock) == nil && !d.locks[op.Lock] {
			if over(q.locks.len()+len(d.locks)+1, d.capacity.Locks) {
				return &LimitError{What: "locks", Name: op.Lock, Limit: d.capacity.Locks}
			}
			d.locks[op.Lock] = true
		}
	}
	if acquires && !q.isClient(op.Client) && !d.clients[op.Client] {
		if over(q.clientCount()+len(d.clients)+1, d.capacity.Clients) {
			return &LimitError{What: "clients", Name: op.Client, Limit: d.capacity.Clients}
		}
		d.clients[op.Client] = true
	}
	if op.ID != "" && q.addsRequest(op) {
		if over(q.asked.requests.len()+d.requests+1, d.capacity.Requests) {
			return &LimitError{What: requestsFull, Name: op.ID[:min(len(op.ID), shownBytes)], Limit: d.capacity.Requests}
		}
		d.requests++
	}
	if acquires && d.capacity.Waiters > 0 {
		waiters := d.waits[op.Lock]
		if l := q.knownLock(op.Lock); l == nil || l.holders == 0 {
			waiters-- // the first is granted
		} else {
			waiters += int(l.waiters)
		}
		if waiters >= d.capacity.Waiters {
			return &LimitError{What: "waiters for lock", Name: op.Lock, Limit: d.capacity.Waiters}
		}
		d.waits[op.Lock]++
	}
	return nil
}
