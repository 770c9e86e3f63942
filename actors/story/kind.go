package story

// Kind is what an [Event] tells of.
type Kind uint8

// The kinds. The first group happens to leases and requests, as effects; the
// second is answers that come without any.
const (
	// Granted: a request became a lease, at once or out of the queue (T3, Q1, Q3).
	Granted Kind = iota + 1
	// Queued: a request joined the queue (Q1).
	Queued
	// Renewed: the end of a lease moved, later or sooner (L2).
	Renewed
	// Lapsed: a lease ran out at its own instant (T2, T3).
	Lapsed
	// Released: a lease was given up (L4), or taken by an operator (E4) or by an
	// abort (D5).
	Released
	// Withdrawn: a request left the queue without a lease, likewise (L5, E4, D5).
	Withdrawn
	// Deadlock: a client is about to be aborted, and why (D3, D4). What it loses
	// follows.
	Deadlock
	// Aborted: the victim has lost everything and is unregistered (D5).
	Aborted

	// Wrote: a write was accepted (F1).
	Wrote
	// Refused: a write was refused as stale (F1).
	Refused
	// Read: a read was answered (F2).
	Read
	// Inspected: an inspect was answered.
	Inspected
	// Reported: a status was answered.
	Reported
	// Failed: an operation was refused for any other reason (O).
	Failed
	// Repeated: a repeat has come to its end (R). Its runs come before it.
	Repeated
	// Again: an operation got the remembered result of its request id (E3).
	Again
	// Ticked, Bumped, Forgotten, Closed: a tick or a verb of an operator (E2, E4).
	Ticked
	Bumped
	Forgotten
	Closed
)

var kindNames = [...]string{
	Granted: "granted", Queued: "queued", Renewed: "renewed", Lapsed: "lapsed", Released: "released",
	Withdrawn: "withdrawn", Deadlock: "deadlock", Aborted: "aborted", Wrote: "wrote", Refused: "refused",
	Read: "read", Inspected: "inspected", Reported: "reported", Failed: "failed", Repeated: "repeated",
	Again: "again", Ticked: "ticked", Bumped: "bumped", Forgotten: "forgotten", Closed: "closed",
}

// String gives the kind in one lower-case word.
func (k Kind) String() string { return kindNames[k] }
