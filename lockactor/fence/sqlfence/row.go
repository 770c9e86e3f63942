package sqlfence

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/leasekeeper/lkactor/actors/lease"
	"github.com/leasekeeper/lkactor/lockactor/fence"
)

// RowWrite is a write to one row that carries its own fence column. The row is
// the scope: the lock protects it and nothing else. Where one lock protects
// several rows a column in each is not enough, since an owner that was overtaken
// on one could still write another (F1); that is what [Fence.Guard] is for.
type RowWrite struct {
	Scope string // the lock's name, for the error
	Token lease.Token

	// Update changes the row, sets its fence column to Token, and does so only
	// where the column is no higher, such as
	//
	//	UPDATE export SET body = $1, fence = $2 WHERE id = $3 AND fence <= $2
	//
	// An INSERT … ON CONFLICT … DO UPDATE … WHERE does as well. MySQL's INSERT … ON
	// DUPLICATE KEY UPDATE does not: it has no WHERE, and counts a row that it left
	// as it was. The column must be an integer of 64 bits and not NULL.
	Update string
	Args   []any

	// Fence gives the row's fence column. It is asked only after Update has
	// changed nothing, to tell why.
	Fence     string
	FenceArgs []any
}

// errNullFence is why a row is never written: nothing compares with NULL.
var errNullFence = errors.New("its fence column is NULL; it must be 0 before the first write")

// WriteRow runs w.Update as a statement of its own: the database compares and
// writes in one step (P2). If that changes nothing because the row's fence is
// higher, the error is a *fence.StaleError; it is sql.ErrNoRows if there is no
// such row, and matches fence.ErrConflict if the row had changed again by the
// time it was asked for its fence. What else can go wrong is as with
// [Fence.Guard]; a lost connection is always ambiguous here, the statement being
// its own commit. One that is still on its way when that is reported may land after
// other writes under the same token; a higher one shuts it out.
//
// MySQL must be told to count rows found, not rows changed (clientFoundRows=true
// in the DSN of the usual driver), or writing the same again looks like a write
// refused.
func (f *Fence) WriteRow(ctx context.Context, w RowWrite) error {
	if err := fence.CheckOwner(w.Scope, w.Token); err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	result, err := f.db.ExecContext(ctx, w.Update, w.Args...)
	if err != nil {
		return f.committed(ctx, "write the row", err)
	}
	changed, err := result.RowsAffected()
	if err != nil {
		return f.committed(ctx, "count the rows written", err)
	}
	if changed > 0 {
		return nil
	}
	var column sql.NullInt64
	err = f.db.QueryRowContext(ctx, w.Fence, w.FenceArgs...).Scan(&column)
	accepted := lease.Token(column.Int64)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return fmt.Errorf("sqlfence: scope %q has no row: %w", w.Scope, err)
	case err != nil:
		return f.failed(ctx, "read the row's fence", err)
	case !column.Valid:
		return fmt.Errorf("sqlfence: the row of scope %q: %w", w.Scope, errNullFence)
	case accepted > w.Token:
		return &fence.StaleError{Scope: w.Scope, Refused: w.Token, Accepted: accepted}
	}
	return fmt.Errorf("sqlfence: scope %q: the row was not written, and its fence is %d now: %w",
		w.Scope, accepted, fence.ErrConflict)
}
