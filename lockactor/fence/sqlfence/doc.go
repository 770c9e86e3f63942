// Package sqlfence fences data in a SQL database: PostgreSQL, SQLite, MySQL and
// MariaDB, over database/sql. It links no driver; the caller's program does.
//
// It owns one table, lkactor_fence, with the highest accepted token of each
// scope, and a second one, lkactor_value, for those who want no table of their
// own. There are three forms, each the right one for something:
//
//	[Fence.Guard]     the caller's own statements and the check, one transaction
//	[Fence.WriteRow]  one row that carries its own fence column, one statement
//	[Store]           values under keys, as fence.Store has them
//
// Guard takes the lock on the scope's row before anything else and keeps it to
// the end of the transaction. Between the check and the commit no other owner
// can therefore be accepted, at any isolation level, and whoever comes with a
// higher token waits until this commit is done or undone.
//
// It never retries what is the caller's: a serialisation failure, a lost
// connection and an ambiguous commit are each reported as what they are. It
// never creates a table unasked, and never puts a name, a value or a token into
// the text of a statement.
package sqlfence
