// Package plain is a lock service as one would write it in a day for speed, with
// no architecture: one goroutine, two maps of structs, a heap of expiries per
// lock and a depth-first search when a request is queued.
//
// It is the yardstick of the benchmarks: what the same rules cost when nothing
// but the rules is paid for. It owns nothing that the engine uses, and never
// imports the engine's cores; it shares only their vocabulary, so that both can
// be given the same operations.
package plain
