package fence

import (
	"context"
	"strings"
	"sync"

	"github.com/leasekeeper/lkactor/actors/lease"
	"github.com/leasekeeper/lkactor/lockactor/fence/cell"
)

// Memory is a [Store] in memory, for tests and for data that may go when the
// process does. It is the engine's own write and read without the engine: both
// keep a scope in a [cell.Cell]. The zero value is empty and ready.
type Memory struct {
	mu     sync.Mutex
	scopes map[string]*cell.Cell
}

var _ Store = (*Memory)(nil)

// Write stores value under key unless the token is stale (F1).
func (m *Memory) Write(ctx context.Context, scope, key, value string, token lease.Token) error {
	if err := CheckOwner(scope, token); err != nil {
		return err
	}
	if err := CheckName(key); err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	c := m.scopes[scope]
	if c == nil {
		c = new(cell.Cell)
		if m.scopes == nil {
			m.scopes = make(map[string]*cell.Cell)
		}
		m.scopes[strings.Clone(scope)] = c
	}
	if c.Write(key, value, token) != lease.OK {
		accepted, _ := c.Contents()
		return &StaleError{Scope: strings.Clone(scope), Refused: token, Accepted: accepted}
	}
	return nil
}

// Read gives the last accepted value under key (F2).
func (m *Memory) Read(ctx context.Context, scope, key string) (value string, ok bool, err error) {
	if err := CheckName(scope); err != nil {
		return "", false, err
	}
	if err := CheckName(key); err != nil {
		return "", false, err
	}
	if err := ctx.Err(); err != nil {
		return "", false, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if c := m.scopes[scope]; c != nil {
		value, ok = c.Read(key)
	}
	return value, ok, nil
}

// Accepted gives the highest token accepted in scope, zero if none.
func (m *Memory) Accepted(ctx context.Context, scope string) (lease.Token, error) {
	if err := CheckName(scope); err != nil {
		return 0, err
	}
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if c := m.scopes[scope]; c != nil {
		accepted, _ := c.Contents()
		return accepted, nil
	}
	return 0, nil
}
