// Package durable keeps the history of a live engine in a directory and brings its
// state back: the records and snapshots that package journal keeps are given their
// meaning here (P1, E).
//
// It owns the form of a record (record.go) and of a snapshot (state.go), how a
// state is recovered from them (recover.go), and when a snapshot is made (fold.go). It
// does not own the bytes on disk (sequencer/journal does), nor what an operation
// does to a state: that is the model's, the same cores that the engine runs.
//
// [Open] reads a directory and gives a [Store], which actors.WithJournal takes;
// package actors itself knows only an interface and links none of this. [Look]
// reads a directory beside whoever has it open.
//
// # What is in the journal
//
// The first record has the header of the log: which engine it is of and the wall
// time of its instant 0, both the same for ever. Every other record is one intake
// of the engine, stamped and not yet executed: the text of the operations as
// package oplog writes them. So the journal is an operation log, and the history of
// an engine whose records are all there can be replayed by anybody.
//
// # Recovery
//
// The newest snapshot that is whole, and the operations of the records after it run
// through the model, give the state as it was after the last record; leases that
// have ended since lapse at their own instants when the engine has its clock (E5).
// The state is not rebuilt actor by actor: it is handed over in the sequencer's
// directory, and a lock or client gets its actor when it is next touched.
package durable
