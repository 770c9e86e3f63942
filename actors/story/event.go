package story

import "github.com/leasekeeper/lkactor/actors/lease"

// Event is one thing that happened, or one answer that was given. Which fields
// matter depends on Kind; the others are zero. An event is never changed once it
// has been told, and may be kept.
type Event struct {
	Kind Kind

	// Place is the operation in hand: the one that brought this about or, of a lease
	// that ended by itself and what follows from that, noticed it.
	Place
	// Doing is what kind of operation that is; lease.Refused for one that has failed
	// a check of its form.
	Doing lease.Kind
	// At is the instant at which it happened (T3). Noticed is the instant at which
	// the operation in hand is handled: the same or later. Both are [lease.Dawn]
	// while the clock has not been set.
	At, Noticed lease.Instant

	// Lock and Client are whom it concerns; empty where there is none. A failed
	// operation has those that it named.
	Lock   string
	Client string

	Mode  lease.Mode    // of the lease or request
	Token lease.Token   // of the lease; Wrote, Refused: that of the write; Bumped: the counter
	Until lease.Instant // expires_at of the lease after this
	Age   lease.Age     // of the client when it asked for the lock; Deadlock, Aborted: of the victim

	// FromQueue of Granted: the request had waited.
	FromQueue bool
	// Since is when the lease began (Renewed, Lapsed, Released) or the request was
	// queued (Granted from the queue, Withdrawn).
	Since lease.Instant
	// Was of Renewed is the expires_at before. See [Event.Shortened].
	Was lease.Instant
	// Abort and Operator of Released and Withdrawn: taken from the victim of a
	// deadlock (D5), or by an evict (E4), and not given up.
	Abort, Operator bool

	// Position of Queued is the place in the queue, 1 is next in line.
	Position int
	// Behind of Queued is the request right ahead in the queue, nil at its head.
	Behind *Claim
	// Holders of Queued are those who hold the lock, by token, at most [MostHolders]
	// of them; HolderCount is how many there are.
	Holders     []Claim
	HolderCount int

	// Cause of Granted from the queue is the end of the lease or request that made
	// room. Cause of Failed for "not holder" is how what the client had of the lock
	// ended last; nil if it never had anything, as far as that is known.
	Cause *Ending
	// Forgot of Failed for "not holder" is which operation last forgot the lock (E4): what
	// its client had of it before that is not known. Zero if none did.
	Forgot Place
	// Claim of Failed for "client busy", "not holder" and "stale lease" is what the
	// client has of the lock, or else waits for or holds elsewhere, and for "lock in
	// use" a claim on the lock; nil if there is none.
	Claim *Claim

	// Owner of Wrote and Refused is who was granted the token of the write; empty where
	// nobody was, since a store does not ask (F2).
	Owner string

	Key, Value string // Wrote, Refused, Read; no Value of Read: there was none
	// Newer of Refused is the accepted write with the higher token; of Failed for "lock
	// in use" it is one that is stored.
	Newer *Write

	// Deadlock of a Deadlock is the cycle and who is on it.
	Deadlock *Cycle

	// First of Again, and of Failed for "id reused", is where the request id was first
	// used.
	First Place

	// Code of Failed and Refused is why.
	Code lease.Code
	// Form of Failed is what is wrong with the form of the operation; nil if it failed for
	// another reason, or that was not said.
	Form *lease.Form
	// Result is the answer where it says more than the rest of the event: Inspected,
	// Reported, Repeated, Again.
	Result *lease.Result
}

// MostHolders is how many holders of its lock a queued request is told of.
const MostHolders = 8

// Place is where in a log an operation stands.
type Place struct {
	// Operation is its number in the log, from 1; a live log's header is none.
	Operation int64
	// Run is which run of a repeat it is, from 1; zero if it is none.
	Run int64
}

// Shortened tells whether a renewal moved the end of the lease to an earlier
// instant (L2).
func (e *Event) Shortened() bool { return e.Kind == Renewed && e.Until < e.Was }

// Late tells whether the event was noticed after it had happened.
func (e *Event) Late() bool { return e.Noticed > e.At }

// Concerns tells whether the event is about the lock and the client; an empty name
// stands for any. A deadlock concerns whoever is on one of its cycles, and the
// locks that they show; a write the client whose token it is made with, and if it is
// refused as stale the client of the newer one as well.
func (e *Event) Concerns(lock, client string) bool {
	if lock != "" && e.Lock != lock && !e.Deadlock.shows(lock) {
		return false
	}
	return client == "" || e.Client == client || e.Owner == client || e.Deadlock.includes(client) ||
		e.Newer != nil && e.Newer.Owner == client
}

// Claim is what a client has of a lock: a lease, or a place in the queue.
type Claim struct {
	Lock, Client string
	Age          lease.Age // of the client when it asked
	Mode         lease.Mode
	Token        lease.Token   // zero of a request
	Since        lease.Instant // when the lease began or the request was queued
	Until        lease.Instant // expires_at of a lease
	Asked        Place         // the acquire
}

// Holds tells a lease from a request: tokens start at 1 (Q2).
func (c *Claim) Holds() bool { return c.Token != 0 }

// Ending is how a claim ended, and why.
type Ending struct {
	Claim
	Kind            Kind          // Lapsed, Released or Withdrawn
	At              lease.Instant // when it ended
	Abort, Operator bool          // as of the Event
	By              Place         // the operation that ended it, or noticed that it had
}

// Write is an accepted write (F1).
type Write struct {
	Token lease.Token
	Owner string // as of the Event
	At    lease.Instant
	By    Place
}
