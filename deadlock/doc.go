// Package deadlock is the wait-for graph of the engine: it tells whether a
// request that has just been queued closed a cycle, and who is to be aborted
// (D1 to D6).
//
// It owns a mirror of the contended locks: who holds them and who waits for
// them, in queue order. The mirror is a fold of the effects that the lock
// actors emit about such locks ([Graph.Apply]), so the graph never asks anybody
// anything. It never decides who gets a lock, aborts nobody itself, knows no
// time, and is not told of locks that nobody waits for: no cycle passes there.
//
// # Shape
//
// The graph of D1 has an edge from every waiter to every holder and to everyone
// queued ahead of it, which is quadratic in the length of a queue. The mirror
// keeps the same reachability with one edge per entry:
//
//	queue of L:  w3 ──▶ w2 ──▶ w1 ──▶ (L) ──▶ h1
//	                            head    ├───▶ h2
//	                                    └───▶ h3
//
// A waiter points at the waiter ahead of it, the head at the node of the lock,
// and the lock at its holders. So every client has at most one edge out, every
// lock node at most one edge in, and a head that leaves its queue hands a single
// edge on instead of one per holder.
//
// # Reading order
//
// graph.go has the nodes, fold.go what each effect does to them, search.go the
// search for a cycle, resolution.go the members of the cycles and how they
// dwindle while victims go. holding.go, pair.go, arena.go and candidate.go are
// storage; cycle.go, explain.go and list.go are for people; inquiry.go and actor.go are how
// others reach the graph. The scripts in testdata show it at work.
package deadlock
