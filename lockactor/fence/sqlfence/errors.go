package sqlfence

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/leasekeeper/lkactor/lockactor/fence"
)

// ErrLost is matched when the connection to the database was lost before the
// commit was asked for. Nothing is committed.
var ErrLost = errors.New("connection lost before the commit")

// ErrEnded is matched when the guarded work has ended the transaction, or has let
// it be ended and gone on. fence.ErrAmbiguous matches too: what the work wrote may
// be committed, and it was not fenced to the end. The work must be mended; to try
// it again helps nobody. See [WithTransactionCheck].
var ErrEnded = errors.New("the guarded work ended its transaction")

// failed says what err, met before any commit, means: nothing is committed.
func (f *Fence) failed(ctx context.Context, what string, err error) error {
	if err = because(ctx, err); f.dialect.judge(err) == gaveWay {
		return fmt.Errorf("sqlfence: %s: %w: %w", what, fence.ErrConflict, err)
	}
	return fmt.Errorf("sqlfence: %s: %w", what, err)
}

// because adds the error of a ctx that has ended: some drivers say only that
// somebody cancelled the statement.
func because(ctx context.Context, err error) error {
	if cause := ctx.Err(); cause != nil && !errors.Is(err, cause) {
		return fmt.Errorf("%w: %w", cause, err)
	}
	return err
}

// abandon undoes tx because of err and says what err means. That the connection
// is gone shows in the undoing: err may be about something else, such as the end
// of a file that the guarded work read.
func (f *Fence) abandon(ctx context.Context, tx *sql.Tx, what string, err error) error {
	undone := tx.Rollback()
	switch {
	case undone == nil:
	case ctx.Err() != nil: // then it has been undone, or the driver has closed the connection
	case errors.Is(undone, sql.ErrTxDone): // somebody has called Commit or Rollback, and it was not us
		return ended(what, err)
	case f.dialect == SQLite: // has no connection to lose
	default:
		return fmt.Errorf("sqlfence: %s: %w: %w", what, ErrLost, err)
	}
	return f.failed(ctx, what, err)
}

// ended says that the transaction was over before it should be, and that this
// showed in err.
func ended(what string, err error) error {
	return fmt.Errorf("sqlfence: %s: %w: %w: %w", what, ErrEnded, fence.ErrAmbiguous, err)
}

// committed says what err, the answer to a commit or to a statement that is its
// own commit, means; nil if it is nil. Whatever came instead of the server's own
// no, the commit may have been done.
func (f *Fence) committed(ctx context.Context, what string, err error) error {
	switch {
	case err == nil:
		return nil
	case f.dialect.judge(err) == unclear:
		return fmt.Errorf("sqlfence: %s: %w: %w", what, fence.ErrAmbiguous, because(ctx, err))
	}
	return f.failed(ctx, what, err)
}
