package sqlfence

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/leasekeeper/lkactor/actors/lease"
	"github.com/leasekeeper/lkactor/lockactor/fence"
)

// Fence guards data in one database. All methods may be called from any
// goroutine, and from many processes on the same database. Make one with [New].
type Fence struct {
	db      *sql.DB
	dialect Dialect
	say     *statements
	tx      sql.TxOptions
	check   bool // that work has not ended the transaction
}

// Option changes how a [Fence] works.
type Option func(*Fence)

// WithTxOptions chooses the isolation level, the database's default if not given.
// Every level is as safe; the stricter ones give way more often
// (fence.ErrConflict). All who write in a scope should choose the same: in
// PostgreSQL, work under a stricter level may otherwise read what was there before
// somebody under read committed who was accepted earlier.
func WithTxOptions(o sql.TxOptions) Option { return func(f *Fence) { f.tx = o } }

// WithTransactionCheck has [Fence.Guard] make sure, before it commits, that the
// transaction is still the one in which the token was checked, and give
// [ErrEnded] if it is not. It finds work that says COMMIT or ROLLBACK by itself, a
// statement that commits on its own, and work that has gone on after an error
// at which the database had ended the transaction. What such work has committed
// cannot be taken back; so this is for finding faults, in tests above all.
//
// It costs two requests for each Guard. SQLite, which is asked nothing over a wire,
// always does it. Work must not touch the savepoint lkactor_guard.
func WithTransactionCheck() Option { return func(f *Fence) { f.check = true } }

// New gives a fence in db, which must be a database of that dialect and stays
// the caller's. It panics if the dialect is none of those of this package.
func New(db *sql.DB, dialect Dialect, options ...Option) *Fence {
	if dialect < PostgreSQL || dialect > MySQL {
		panic("sqlfence: " + dialect.String())
	}
	f := &Fence{db: db, dialect: dialect, say: &dialects[dialect], check: dialect == SQLite}
	for _, o := range options {
		o(f)
	}
	return f
}

// CreateSchema creates the table of tokens unless it is there. It may be called
// by many at once.
func (f *Fence) CreateSchema(ctx context.Context) error { return f.create(ctx, f.say.fence) }

// create runs the statements in one transaction, and again if it gave way to
// somebody who creates the same: the second time there is nothing left to do.
func (f *Fence) create(ctx context.Context, schema []string) error {
	const attempts = 5
	var err error
	for range attempts {
		if err = f.createOnce(ctx, schema); !errors.Is(err, fence.ErrConflict) {
			return err
		}
	}
	return err
}

func (f *Fence) createOnce(ctx context.Context, schema []string) error {
	tx, err := f.db.BeginTx(ctx, nil)
	if err != nil {
		return f.failed(ctx, "create the schema", err)
	}
	for _, statement := range schema {
		if _, err := tx.ExecContext(ctx, statement); err != nil {
			return f.abandon(ctx, tx, "create the schema", err)
		}
	}
	return f.committed(ctx, "create the schema", tx.Commit())
}

// Guard runs work inside a transaction that has checked token first, and commits
// both together. If token is lower than one accepted in scope before, work is not
// run and the error is a *fence.StaleError. If work gives an error or panics,
// nothing of it is committed, nor is the token.
//
// From the check to the end of the transaction the row of scope is locked, so
// nobody else can be accepted in the scope meanwhile; they wait. Keep work
// short: do what takes long before. What work reads in tx is what all those before
// it in the scope have committed, at any isolation level as long as it is the same
// for all. What it does elsewhere than in tx is not undone.
//
// work must give back the error of every statement of tx that fails, must not
// end tx itself, neither by its methods nor by a statement, must not run statements
// that end a transaction by themselves, as CREATE TABLE does in MySQL, and must not
// call Guard for the same scope, which would wait for itself. It may use tx from
// several goroutines; they must be done when it returns. [WithTransactionCheck]
// finds out whether work keeps to this.
//
// Errors of the database match:
//
//   - fence.ErrConflict: a serialisation failure, a deadlock or a lock that was
//     not to be had in time. Nothing is committed; call Guard again.
//   - [ErrLost]: the connection was lost before the commit. Nothing is committed.
//   - fence.ErrAmbiguous: the answer to the commit was lost. All of it is
//     committed or nothing; look.
//   - [ErrEnded]: work has ended the transaction itself.
//
// In each case the driver's own error is in the chain.
func (f *Fence) Guard(ctx context.Context, scope string, token lease.Token, work func(tx *sql.Tx) error) error {
	if err := fence.CheckOwner(scope, token); err != nil {
		return err
	}
	known, err := f.attempt(ctx, scope, token, work)
	if known || err != nil {
		return err
	}
	// The first time in this scope. Its row is made outside of the transaction:
	// a transaction that has looked for a row in vain can no longer make it
	// without the danger of a deadlock (MySQL) or of a snapshot that is too old
	// to see the row of somebody who was faster (PostgreSQL).
	if _, err := f.db.ExecContext(ctx, f.say.introduce, []byte(scope)); err != nil {
		return f.failed(ctx, "introduce the scope", err)
	}
	known, err = f.attempt(ctx, scope, token, work)
	if !known && err == nil {
		return fmt.Errorf("sqlfence: the row of scope %q is gone as soon as it is made", scope)
	}
	return err
}

// attempt is one transaction; known is false, and nothing has happened, if the
// scope has no row yet.
func (f *Fence) attempt(ctx context.Context, scope string, token lease.Token, work func(tx *sql.Tx) error) (known bool, err error) {
	options := f.tx
	tx, err := f.db.BeginTx(ctx, &options)
	if err != nil {
		return false, f.failed(ctx, "begin", err)
	}
	defer tx.Rollback() // of no effect after the end of tx; for a panic in work
	accepted, touch, err := f.lock(ctx, tx, scope)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return false, nil
	case err != nil:
		return false, f.abandon(ctx, tx, "lock the scope", err)
	case token < accepted:
		return true, &fence.StaleError{Scope: scope, Refused: token, Accepted: accepted}
	}
	if token > accepted || touch {
		if _, err := tx.ExecContext(ctx, f.say.raise, int64(token), []byte(scope)); err != nil {
			return true, f.abandon(ctx, tx, "record the token", err)
		}
	}
	if err := f.perform(ctx, tx, work); err != nil {
		return true, err
	}
	// A context that has ended by now ends the matter for certain; one that ends
	// during the commit leaves it open.
	if err := ctx.Err(); err != nil {
		return true, err
	}
	err = tx.Commit()
	if errors.Is(err, sql.ErrTxDone) && ctx.Err() == nil {
		return true, ended("commit", err)
	}
	return true, f.committed(ctx, "commit", err)
}

// perform runs work and makes sure, if that is to be done, that it has left the
// transaction as it was.
func (f *Fence) perform(ctx context.Context, tx *sql.Tx, work func(tx *sql.Tx) error) error {
	if f.check {
		if _, err := tx.ExecContext(ctx, setSavepoint); err != nil {
			return f.abandon(ctx, tx, "set the savepoint", err)
		}
	}
	if err := work(tx); err != nil {
		return f.abandon(ctx, tx, "guarded work", err)
	}
	if !f.check {
		return nil
	}
	_, err := tx.ExecContext(ctx, releaseSavepoint)
	switch {
	case err == nil:
		return nil
	case f.dialect.noSavepoint(err):
		_ = tx.Rollback() // of whatever the work has begun instead
		return ended("guarded work", err)
	}
	return f.abandon(ctx, tx, "release the savepoint", err)
}

// lock locks the row of scope for the rest of the transaction and gives its
// token, and whether the row must be written in any case; the error is
// sql.ErrNoRows if there is none.
func (f *Fence) lock(ctx context.Context, tx *sql.Tx, scope string) (accepted lease.Token, touch bool, err error) {
	if f.say.claim != "" {
		if _, err := tx.ExecContext(ctx, f.say.claim); err != nil {
			return 0, false, err
		}
	}
	err = tx.QueryRowContext(ctx, f.say.lock, []byte(scope)).Scan((*int64)(&accepted), &touch)
	return accepted, touch, err
}

// Accepted gives the highest token accepted in scope, zero if none.
func (f *Fence) Accepted(ctx context.Context, scope string) (accepted lease.Token, err error) {
	if err := fence.CheckName(scope); err != nil {
		return 0, err
	}
	err = f.db.QueryRowContext(ctx, f.say.accepted, []byte(scope)).Scan((*int64)(&accepted))
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return 0, nil
	case err != nil:
		return 0, f.failed(ctx, "read the token", err)
	}
	return accepted, nil
}
