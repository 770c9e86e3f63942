// Package sequencer keeps the one order of operations: it stamps each with its
// number and instant, and sees to it that the outcome is that of running them one
// after the other (O), whatever runs at once.
//
// It owns the clock (O4, O11), the registration of clients (C2), the half of C1
// that asks whether a client waits elsewhere, and the directory: what is believed
// of every lock and client, so far as routing needs it. It does not own leases,
// queues or values (lock actors do), nor the wait-for graph (the deadlock actor
// does).
//
// [Sequencer] is the pure core. It gathers operations into batches: one [Lane]
// per lock, which locks may run in any order; then it hands the effects on in the
// order of operations. What makes a batch end early, the cut rules, is in
// route.go, and belief.go has what they go by. It reaches the actors through
// [Ports]; [Actor] in actor.go is the only file that knows Proto.Actor.
//
// An engine with a clock is more than its order, and the rest is the shell's: what an
// intake goes through is in live.go (stamped), capacity.go (if it is not too much),
// record.go (logged) and release.go (told); hub.go has who is told of what happens,
// tidy.go what is forgotten.
//
// The main path: [Sequencer.Take] in order.go, route.go, batch.go, gather.go;
// resolve.go for deadlocks.
package sequencer
