// Package replay runs a whole operation log: operations in, results out.
//
// Three stages work at once, each on a batch of its own, handed on in order:
//
//	decode ──batch──▶ run ──batch──▶ encode
//	   ▲                               │
//	   └─────────── free ──────────────┘
//
// The number of batches is fixed, so a fast stage waits for a slow one and a log
// of any length takes the same memory. What comes out depends on the log alone.
// Whatever ends a replay, the end of the log or an error of any stage, travels
// along the same way behind the last operation before it, so all results up to
// there are written first.
//
// Whether a log is plain or live stands in its first entry (E1), so it is known
// before anything is run; see [InDialect].
//
// The package knows neither files nor actors: operations are run by a [Runner],
// and who that is, is for the command to say.
package replay
