// Package lockactor serves one lock: rules T, L, Q and F.
//
// It owns the lock's holders, its queue, its token counter and its stored
// values, and nothing else: it does not know what else a client holds or awaits
// (the sequencer does), what time it is (every step carries its instant) or who
// watches (it returns effects).
//
// [Lock] is the pure state machine; [Actor] in actor.go puts it behind a
// mailbox and is the only file that knows Proto.Actor. The main path is
// [Lock.Run] in lock.go; claim.go keeps who holds and who waits, view.go shows
// it.
package lockactor
