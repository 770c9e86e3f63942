// Package fence is what stands in front of the data: a store that takes a write
// only from an owner that nobody has overtaken.
//
// It owns the contract, [Store], with its errors, and the store in memory,
// [Memory]. The stores for real data are beside it, each in a package of its own
// so that a program links only what it uses:
//
//	fence/sqlfence    PostgreSQL, SQLite, MySQL and MariaDB over database/sql
//	fence/filefence   files and directories on a POSIX file system
//	fence/casfence    object stores and anything else with compare-and-set
//	fence/fencetest   the kit that tells whether a store keeps the contract
//	fence/cell        the rule itself, F1, as a pure value
//
// A store never asks who holds a lease (F2) and never reads a clock to decide:
// a job that was paused for an hour between looking at its lease and writing is
// refused by its token alone. What a store compares, it compares and writes in
// one step (P2).
//
// docs/FENCING.md says which form to use when, and what fencing does not give.
package fence
