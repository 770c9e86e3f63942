// Package twin is the brute-force oracle of the tests: the lease rules of
// docs/RULES.md for plain logs (O, T, L, Q, F, C, D, R) and for live ones (E1 to
// E4), written straight from their text in the slowest and most literal way there
// is.
//
// It owns no structure worth the name: one list of leases, one list of queued
// requests, one list of what was asked under ids, a wait-for graph drawn anew, edge by
// edge, whenever a rule asks for it. Lapses are found by looking through every
// lease again and again. It goes from JSON text to JSON text.
//
// It never imports another package of this module, so that it cannot share a
// mistake with what it judges; it is never fast, never concurrent, and never
// imported by anything but tests. It knows nothing of restarts (P1, E5).
package twin
