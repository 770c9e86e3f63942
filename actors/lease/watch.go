package lease

// Watcher is told everything that happens in a service which handles operations
// one at a time, as it happens: for each operation, runs of a repeat included, Begin,
// then what the operation brings about, then End. A repeat itself has its runs between
// its own Begin and End.
//
// The methods are called on the service's own turn. They must not call it, and
// what they are given is good until they return.
type Watcher interface {
	// Begin: the operation is about to be handled, as of now (O11); [Dawn] if the
	// clock has not been set yet. It is the seq-th since the service began, counted
	// from 1.
	Begin(seq uint64, now Instant, op *Operation)
	// Effect: something happened to a lease or request. Leases that have ended come
	// in the order in which they ended, also on locks that nobody touches (T3).
	Effect(e *Effect)
	// Deadlock: the victim is about to be aborted. What it loses comes as effects, the
	// last of them ChangeAborted.
	Deadlock(d *Deadlock)
	// End: the operation in hand is done.
	End(a *Answer)
}

// Answer is how an operation ended.
type Answer struct {
	Result *Result
	// Remembered says that the result is that of an earlier operation with the same
	// request id, and that nothing was done (E3).
	Remembered bool
}
