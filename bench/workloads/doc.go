// Package workloads makes the operations that the benchmarks run: the same ones
// for the same workload on every machine, ready-made so that making them is no
// part of what is timed.
//
// A [Workload] is a name, a mix and a generator. [Workload.Cut] gives a [Trace]:
// the operations that bring a fresh service into the steady state, and then as
// many of the stream as wanted. A longer cut begins with a shorter one. A trace
// can be run against any number of fresh services and gets the same results from
// each.
//
// Nothing here decides what a result ought to be. Where clients react to answers
// (transactions, chains of lapses) the generator asks a plain service that it
// runs along.
package workloads
