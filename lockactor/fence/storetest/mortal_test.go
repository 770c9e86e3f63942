package storetest

import (
	"context"
	"errors"
	"sync"

	"github.com/leasekeeper/lkactor/lockactor/fence/casfence"
)

// mortal is a Conditional that fails at a call and at all later ones. The first
// that fails is done all the same if after says so.
type mortal struct {
	casfence.Conditional

	mu    sync.Mutex
	left  int
	after bool
}

var errDead = errors.New("dead")

func (m *mortal) live() (done bool, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.left--
	switch {
	case m.left >= 0:
		return true, nil
	case m.left == -1:
		return m.after, errDead
	}
	return false, errDead
}

func (m *mortal) Get(ctx context.Context, name string) ([]byte, string, error) {
	if _, err := m.live(); err != nil {
		return nil, "", err
	}
	return m.Conditional.Get(ctx, name)
}

func (m *mortal) Put(ctx context.Context, name string, data []byte, version string) error {
	done, dead := m.live()
	if !done {
		return dead
	}
	return errors.Join(m.Conditional.Put(ctx, name, data, version), dead)
}
