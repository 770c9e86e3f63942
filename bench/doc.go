// Package bench measures the engine: each workload of package workloads at each
// level, from a hand-written service without architecture up to the engine with
// a goroutine per lock. It owns no rule and is imported by nothing.
//
// # How to run it
//
// One command, from the root of the repository, measures everything in some ten
// minutes and writes the tables and charts under bench/results, as DATE-all:
//
//	go run ./bench/cmd/table -all
//
// Without -all it measures only the workloads that targets exist for, in a
// minute, and the files are called DATE. -ops or -rounds make it a trial, whose files
// are called so and replace no others; -sections measures what one is working on and writes no files; -names
// 10000000 adds a line about ten million names to those about memory. Any of it
// takes longer on a machine that is busy with other things. The same measurements
// as benchmarks, one level at a time:
//
//	go test ./bench -run xxx -bench Workload/uniform-10k
//	go test ./bench -run xxx -bench 'Single|Callers|Ring'
//	go test ./bench -run xxx -bench Memory -benchtime 1x
//
// An engine with a clock is measured by bench/cmd/live: callers at once, how long
// after the end of a lease the next holder goes on, and 100,000 leases that end in
// the same second; one with a journal by bench/cmd/durable.
//
// An engine with a journal is measured beside the bare disk it writes to, with restarts
// and snapshots, in some three minutes:
//
//	go run ./bench/cmd/durable -dir DIR
//
// Other lock services are measured by the module in bench/peers, with
// bench/peers/run, in three minutes.
//
// # What makes it fair
//
// All levels get the same operations, made before anything is timed, and must
// give the same results; the command refuses to print figures where they do not.
// Every operation has a copy of its own of its names, packed in chunks in the
// order of operations. That is how names lie in memory after a log has been
// decoded. Names that several operations share would flatter the simpler levels:
// a map of strings compares addresses before it compares bytes.
//
// The command has the levels take turns within each round, in one process, and
// reports medians of rounds, so that whatever else the machine is busy with falls
// on all of them alike. Ratios are those of one round. Beside the wall clock it
// reports processor time, which does not see other processes, and says how much
// of the machine those have used.
//
// The plain service owes nothing to the engine but the vocabulary. It settles
// lapses when somebody looks, keeps nothing for a second reader of its events,
// and cannot be shared between goroutines: it is what the rules cost when nothing
// but the rules is paid for. Where many callers share it, it is behind a mutex.
package bench
