// Package bench measures the engine: each workload of package workloads at each
// level, from a hand-written service without architecture up to the engine with
// a goroutine per lock.
//
// Its benchmarks are run by "go test -bench"; the table of ratios, for which the
// levels are run in turns within one process, by "go run ./bench/cmd/table". It
// owns no rule and is imported by nothing.
package bench
