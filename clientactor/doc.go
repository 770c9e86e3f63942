// Package clientactor keeps one client as the client sees itself: rule C.
//
// It owns the client's age, its leases and the lock it waits for, and answers
// status. It decides nothing: whether an acquire is busy is known to the
// sequencer and the lock; what it knows it has been told in effects, in the
// order of operations.
//
// [Session] is the pure state machine; [Actor] in actor.go puts it behind a
// mailbox and is the only file that knows Proto.Actor.
package clientactor
