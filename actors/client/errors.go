package client

import (
	"errors"
	"fmt"
	"strings"

	"github.com/leasekeeper/lkactor/actors/lease"
)

// What an error of this package may match, beside the codes of package lease and
// the errors of contexts.
var (
	// ErrWouldBlock: the lock is not free, and [Client.TryAcquire] does not wait.
	ErrWouldBlock = errors.New("lock is taken")
	// ErrWaitLimit: the lock was not granted within Terms.Wait, or its queue was longer than
	// Terms.Places.
	ErrWaitLimit = errors.New("not granted within the wait limit")
	// ErrDeadlock: the client was aborted; it holds nothing any more. What was
	// waiting gets a *[DeadlockError], a lease a *[LostError].
	ErrDeadlock = errors.New("deadlock")
	// ErrLost: the lease has ended without its holder's doing. The error is a
	// *[LostError], too.
	ErrLost = errors.New("lease lost")
	// ErrReleased: the lease was released by its holder.
	ErrReleased = errors.New("lease released")
	// ErrClosing is the cause with which a lease's context ends shortly before its
	// expiry.
	ErrClosing = errors.New("lease about to end")
	// ErrClosed: the Client is closed.
	ErrClosed = errors.New("client closed")
	// ErrClientInUse: another Client of the same name is open.
	ErrClientInUse = errors.New("client name in use by another instance")
	// ErrUnanswered: the service may have handled the operation or not. See
	// [WithRequestIDs].
	ErrUnanswered = errors.New("no answer from the lock service")
	// ErrOverloaded: the service had no room for the operation, which has no effect.
	ErrOverloaded = errors.New("lkactor: engine overloaded")
	// ErrTerms: what was asked for makes no sense; the error says where.
	ErrTerms = errors.New("bad terms")
)

// Error is the error of all that a [Client] and its leases do: what was tried, by
// whom and on which lock, and in Err why it failed.
type Error struct {
	Op     string // "acquire", "renew", …
	Client string
	Lock   string // empty where no single lock is concerned
	Err    error
}

// Error says it in one line.
func (e *Error) Error() string {
	if e.Lock == "" {
		return fmt.Sprintf("lkactor: %s by client %q: %v", e.Op, e.Client, e.Err)
	}
	return fmt.Sprintf("lkactor: %s %q by client %q: %v", e.Op, e.Lock, e.Client, e.Err)
}

// Unwrap gives the reason.
func (e *Error) Unwrap() error { return e.Err }

// Reason is why a lease or a request ended without its holder's doing.
type Reason uint8

// The reasons.
const (
	// Expired: its time is up by its holder's own clock, and no renewal has come.
	Expired Reason = iota + 1
	// Lapsed: the service has retired it at its expiry (T2).
	Lapsed
	// Aborted: the client was the victim of a deadlock and lost everything (D5).
	Aborted
	// Evicted: an operator took it (E4).
	Evicted
	// Revoked: somebody else has released it in the client's name.
	Revoked
	// Disowned: the service says that the client does not hold the lock, or holds
	// it under another token.
	Disowned
)

var reasonNames = [...]string{
	Expired: "expired", Lapsed: "lapsed", Aborted: "client aborted", Evicted: "evicted",
	Revoked: "released by somebody else", Disowned: "not held",
}

// String says the reason in a few words.
func (r Reason) String() string { return reasonNames[r] }

// reasonOf gives the reason of an event.
func reasonOf(r lease.Reason) Reason {
	switch r {
	case lease.Lapse:
		return Lapsed
	case lease.Abortion:
		return Aborted
	case lease.Eviction:
		return Evicted
	default:
		return Revoked
	}
}

// LostError says which lease was lost and why. It matches [ErrLost]; with the
// reason [Aborted], [ErrDeadlock], too.
type LostError struct {
	Lock   string
	Token  lease.Token // zero for a request that never became a lease
	Reason Reason
}

// Error says it in one line.
func (e *LostError) Error() string {
	if e.Token == 0 {
		return fmt.Sprintf("request for %q lost: %v", e.Lock, e.Reason)
	}
	return fmt.Sprintf("lease of %q with token %d lost: %v", e.Lock, e.Token, e.Reason)
}

// Is matches the sentinels.
func (e *LostError) Is(target error) bool {
	return target == ErrLost || target == ErrDeadlock && e.Reason == Aborted
}

// DeadlockError says why a client was aborted (D). It matches [ErrDeadlock].
type DeadlockError struct {
	Lock string // that it waited for
	// Why has a shortest cycle through the client; nil if the service did not tell.
	Why *lease.Explanation
}

// Error says it in one line, with the cycle.
func (e *DeadlockError) Error() string {
	text := fmt.Sprintf("deadlock: aborted while waiting for %q", e.Lock)
	if e.Why == nil {
		return text
	}
	edges := make([]string, len(e.Why.Cycle))
	for i, w := range e.Why.Cycle {
		how := fmt.Sprintf("queued ahead, %v, age %d", w.Mode, w.Age)
		if w.Token != 0 {
			how = fmt.Sprintf("holding it, %v, token %d, age %d", w.Mode, w.Token, w.Age)
		}
		edges[i] = fmt.Sprintf("%q waits for %q on %q (%s)", w.Waiter, w.Lock, w.Blocker, how)
	}
	return text + ": " + strings.Join(edges, ", ")
}

// Is matches the sentinel.
func (e *DeadlockError) Is(target error) bool { return target == ErrDeadlock }
