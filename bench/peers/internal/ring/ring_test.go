package ring_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/leasekeeper/lkactor/bench/peers/internal/ring"
)

// fake is a server in this process. A session that begins to wait is aborted if
// that closes a ring, or if most sessions wait already.
type fake struct {
	most int

	mu      sync.Mutex
	changed sync.Cond
	holder  map[int]*session
	waiting int
	aborted int
}

func newFake(most int) *fake {
	f := &fake{most: most, holder: make(map[int]*session)}
	f.changed.L = &f.mu
	return f
}

type session struct {
	*fake
	wants int // -1: nothing
}

func (f *fake) Open(context.Context) (ring.Session, error) { return &session{f, -1}, nil }
func (f *fake) Settle() time.Duration                      { return 0 }
func (f *fake) Close() error                               { return nil }

func (f *fake) Waiting(context.Context) (int, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.waiting, nil
}

func (s *session) Close() error { return nil }

func (s *session) Take(_ context.Context, i int) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.wants = i
	defer func() { s.wants = -1 }()
	if s.holder[i] != nil && (s.waiting >= s.most || s.onRing()) {
		s.aborted++
		return ring.ErrDeadlock
	}
	s.waiting++
	for s.holder[i] != nil {
		s.changed.Wait()
	}
	s.waiting--
	s.holder[i] = s
	return nil
}

// onRing follows who waits for whom, from this session on.
func (s *session) onRing() bool {
	for next := s.holder[s.wants]; next != nil && next.wants >= 0; next = s.holder[next.wants] {
		if next == s {
			return true
		}
	}
	return false
}

func (s *session) GiveUp(context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i, h := range s.holder {
		if h == s {
			delete(s.holder, i)
		}
	}
	s.changed.Broadcast()
	return nil
}

// TestBreak makes rings again and again on one server: each costs one session,
// and nobody holds or waits afterwards.
func TestBreak(t *testing.T) {
	server := newFake(1_000)
	for i, sessions := range []int{2, 3, 8, 2} {
		took, err := ring.Break(t.Context(), server, sessions)
		if err != nil || took <= 0 {
			t.Fatalf("ring of %d: %v, %v", sessions, took, err)
		}
		if server.aborted != i+1 || server.waiting != 0 || len(server.holder) != 0 {
			t.Fatalf("ring of %d leaves %d aborted, %d waiting, %d held", sessions, server.aborted, server.waiting, len(server.holder))
		}
	}
}

// TestBreakTooEarly wants no figure from a server that aborts sessions although
// there is no ring.
func TestBreakTooEarly(t *testing.T) {
	if _, err := ring.Break(t.Context(), newFake(3), 8); !errors.Is(err, ring.ErrEarly) {
		t.Errorf("the error is %v", err)
	}
}
