package sqlfence

import (
	"context"
	"database/sql"
	"errors"

	"github.com/leasekeeper/lkactor/actors/lease"
	"github.com/leasekeeper/lkactor/lockactor/fence"
)

// Store keeps values under keys in a table of its own, for those who have no
// better one: a fence.Store in a SQL database. Make one with [NewStore].
type Store struct{ *Fence }

var _ fence.Store = Store{}

// NewStore gives a store in db; see [New].
func NewStore(db *sql.DB, dialect Dialect, options ...Option) Store {
	return Store{New(db, dialect, options...)}
}

// CreateSchema creates the tables of tokens and values unless they are there. It
// may be called by many at once.
func (s Store) CreateSchema(ctx context.Context) error {
	if err := s.create(ctx, s.say.fence); err != nil {
		return err
	}
	return s.create(ctx, s.say.value)
}

// Write stores value under key unless token is stale (F1). Errors are those of
// [Fence.Guard].
func (s Store) Write(ctx context.Context, scope, key, value string, token lease.Token) error {
	if err := fence.CheckName(key); err != nil {
		return err
	}
	return s.Guard(ctx, scope, token, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, s.say.put, []byte(scope), []byte(key), []byte(value))
		return err
	})
}

// Read gives the last accepted value of key in scope (F2).
func (s Store) Read(ctx context.Context, scope, key string) (value string, ok bool, err error) {
	if err := errors.Join(fence.CheckName(scope), fence.CheckName(key)); err != nil {
		return "", false, err
	}
	var bytes []byte
	err = s.db.QueryRowContext(ctx, s.say.get, []byte(scope), []byte(key)).Scan(&bytes)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return "", false, nil
	case err != nil:
		return "", false, s.failed(ctx, "read", err)
	}
	return string(bytes), true, nil
}
