package filefence

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/leasekeeper/lkactor/actors/lease"
	"github.com/leasekeeper/lkactor/lockactor/fence"
)

// Store is a fence.Store in files, one for each key, whose names are digests,
// beside the scope's token. It is for small values and few writers: each write makes its file durable. Make
// one with [NewStore].
type Store struct{ publisher *Publisher }

var _ fence.Store = Store{}

// NewStore gives a store on root, which is as with [New] and may be shared with a
// publisher.
func NewStore(root string) Store { return Store{New(root)} }

// name is the file of a key.
func (s Store) name(scope, key string) string {
	return filepath.Join(hidden, digest(scope), "values", digest(key))
}

// Write stores value under key unless token is stale (F1). Errors are those of
// [Publisher.File].
func (s Store) Write(ctx context.Context, scope, key, value string, token lease.Token) error {
	if err := fence.CheckName(key); err != nil {
		return err
	}
	return s.publisher.file(ctx, scope, token, s.name(scope, key), func(f *os.File) error {
		_, err := f.WriteString(value)
		return err
	})
}

// Read gives the last accepted value of key in scope (F2).
func (s Store) Read(ctx context.Context, scope, key string) (value string, ok bool, err error) {
	if err := errors.Join(fence.CheckName(scope), fence.CheckName(key), ctx.Err()); err != nil {
		return "", false, err
	}
	if err := s.publisher.exists(); err != nil {
		return "", false, fmt.Errorf("filefence: %w", err)
	}
	data, err := os.ReadFile(filepath.Join(s.publisher.root, s.name(scope, key)))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", false, nil
	case err != nil:
		return "", false, fmt.Errorf("filefence: %w", err)
	}
	return string(data), true, nil
}

// Accepted gives the highest token accepted in scope, zero if none.
func (s Store) Accepted(ctx context.Context, scope string) (lease.Token, error) {
	return s.publisher.Accepted(ctx, scope)
}
