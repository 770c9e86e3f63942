package lease

// Change is what an [Effect] says happened.
type Change uint8

// The changes. A lock actor produces all but Aborted, which the sequencer adds
// when a victim has lost everything (D5).
const (
	// ChangeQueued: a request joined the queue (Q1).
	ChangeQueued Change = iota + 1
	// ChangeGranted: a request became a lease. At is the instant it starts (T3),
	// FromQueue tells whether it had waited.
	ChangeGranted
	// ChangeRenewed: Until moved (L2). At is the instant of the renew.
	ChangeRenewed
	// ChangeLapsed: a lease ran out; At is its own expires_at (T3).
	ChangeLapsed
	// ChangeReleased: a lease was given up at At (L4), or taken by an abort (D5).
	ChangeReleased
	// ChangeWithdrawn: a request left the queue without a grant (L5, D5).
	ChangeWithdrawn
	// ChangeAborted: the client is unregistered (D5). No lock.
	ChangeAborted
	// ChangeHeld and ChangeAwaited are no changes: they introduce a holder and a
	// waiter to the deadlock graph when it is first told of their lock. They are
	// always Contended.
	ChangeHeld
	ChangeAwaited
	// ChangeRegistered is told to a client only: it has its Age now (C2).
	ChangeRegistered
	// ChangeCalm ends a lock's part in the deadlock graph: nobody waits for it,
	// and it has few holders. No client.
	ChangeCalm
)

// Effect is one thing that happened to one lease or request. Everything that a
// lock actor does to others is said in effects: the client's own view, the
// sequencer's directory, the deadlock graph and a watcher's story are folds of
// them, taken in the order of operations.
type Effect struct {
	Change    Change
	Mode      Mode
	FromQueue bool // ChangeGranted: the request had waited
	Contended bool // the deadlock graph mirrors this lock and must be told
	Abort     bool // ChangeReleased, ChangeWithdrawn: taken from a victim (D5)
	Evict     bool // ChangeReleased, ChangeWithdrawn: taken by an operator (E4)

	Lock   *Lock
	Client *Client

	Token Token   // of the lease; zero for requests
	At    Instant // when it happened, never when it was noticed (T3)
	Until Instant // expires_at of the lease after the change
	Age   Age     // of the client when it asked for the lock
}
