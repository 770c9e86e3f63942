package lease

// Step is an operation on its way to the lock it names: stamped, resolved to
// identities and free of anything the lock need not know.
type Step struct {
	Kind  Kind
	Mode  Mode
	Abort bool // Release: part of an abort round (D5)
	Holds bool // Acquire: the client may hold some other lock

	Client *Client
	Age    Age     // Acquire: the client's age
	Now    Instant // the instant at which the operation is handled (O11)
	Seq    uint64  // the number of the operation
	TTL    Duration
	Token  Token // Write, Bump
	Expect Token // Renew, Release: the token the lease must have, zero for any
	Key    string
	Value  string

	// Result is where the lock puts its answer. Each step has its own, so lanes
	// that run at once never write the same memory.
	Result *Result
	// Effects is the range of the step's own effects in the lane's list.
	From, To int32

	// Next is the lane's following step, nil at its end.
	Next *Step
}

// Lane is the part of one batch that concerns one lock: its steps in the order
// of operations, and the lock's answer. It is the one message that a lock actor
// receives per batch, and the same value comes back filled in.
//
// A lane is owned by whoever holds it last in that exchange; nobody else may
// touch it meanwhile.
type Lane struct {
	Lock *Lock
	// Rest is what a lock actor that has just been made starts from.
	Rest *Residue
	// Claims is likewise, where somebody holds or awaits the lock; nil otherwise.
	// Whoever has taken it over sets it to nil.
	Claims *Claims

	// First and Last are the chain of steps; never nil.
	First, Last *Step

	// Leave has the lock go once the steps are done: what must be remembered of it
	// is then in Rest and, where somebody holds or awaits it, in Claims.
	Leave bool

	// Effects are those of all steps, each step's own range in Step.From, To.
	Effects []Effect

	// What the lock says of itself when the lane is done.
	Holders int     // live leases
	Waiters int     // queued requests
	Due     Instant // when its next lease ends, or Never

	// Mirrored says that the deadlock graph knows the lock: somebody who awaits
	// it, or did lately, holds something else.
	Mirrored bool

	// Current is the step in hand while the lane runs; it names the operation
	// if the lock fails.
	Current *Step
	// Failure is why the lock could not finish the lane, nil if it did. What
	// became of the lock is then unknown.
	Failure error
	// Pass is called on the lock's goroutine before its actor takes the lane: it
	// sends another lane of the batch on its way. nil if that is not this one's to do.
	Pass func()
	// Done is called by the lock actor at the end, whatever the end was; nil if
	// nobody waits for it elsewhere.
	Done func()
}
