// Package ring makes deadlocks on database servers, of sessions that each hold a
// lock and wait for the next one's, and measures how long the server takes to
// break them. It owns how a ring is made and closed; what a lock is differs from
// server to server.
package ring

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

// Server is a kind of lock on a server that notices deadlocks.
type Server interface {
	// Open connects a session.
	Open(ctx context.Context) (Session, error)
	// Waiting is how many sessions wait for a lock at the moment.
	Waiting(ctx context.Context) (int, error)
	// Settle is how long to leave waiting sessions alone before the ring is
	// closed, so that none of them is about to look for a deadlock on its own.
	Settle() time.Duration
	Close() error
}

// Session is one session. It is for one goroutine.
type Session interface {
	// Take waits for lock number i; the error matches [ErrDeadlock] if the server
	// has chosen this session to break a deadlock.
	Take(ctx context.Context, i int) error
	// GiveUp gives back all that the session holds.
	GiveUp(ctx context.Context) error
	Close() error
}

// ErrDeadlock is the error of a session that must give up.
var ErrDeadlock = errors.New("deadlock")

// ErrEarly is matched if the server aborts a session although nobody waits in a
// ring yet.
var ErrEarly = errors.New("a session is aborted before there is a deadlock")

// limit is how long one ring may take from beginning to end.
const limit = 30 * time.Second

// Break makes a ring of that many sessions and gives how long it took from the
// request that closed it until the first session was told to give up.
func Break(ctx context.Context, server Server, sessions int) (time.Duration, error) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	r := &attempt{server: server, sessions: make([]Session, sessions)}
	defer r.close()
	for i := range r.sessions {
		s, err := server.Open(ctx)
		if err != nil {
			return 0, err
		}
		r.sessions[i] = s
		if err := s.Take(ctx, i); err != nil {
			return 0, err
		}
	}
	return r.run(ctx)
}

// attempt is one ring.
type attempt struct {
	server   Server
	sessions []Session

	mu       sync.Mutex
	closed   time.Time // when the closing request was made; zero before
	broken   time.Time // when the first session was aborted
	early    bool      // that was before the ring was closed
	failures []error
}

func (r *attempt) run(ctx context.Context) (time.Duration, error) {
	n := len(r.sessions)
	var group sync.WaitGroup
	for i := 1; i < n; i++ {
		group.Go(func() { r.take(ctx, i) })
		// One after the other, so that every chain grows at the same end and the
		// last of them is the one that has waited for the shortest time.
		if err := r.await(ctx, i); err != nil {
			r.failures = append(r.failures, err)
			break
		}
	}
	select {
	case <-time.After(r.server.Settle()):
	case <-ctx.Done():
	}
	r.mu.Lock()
	r.closed = time.Now()
	r.mu.Unlock()
	r.take(ctx, 0)
	group.Wait()
	switch {
	case len(r.failures) > 0:
		return 0, errors.Join(r.failures...)
	case r.early:
		return 0, ErrEarly
	case r.broken.IsZero():
		return 0, errors.New("no session was aborted")
	}
	return r.broken.Sub(r.closed), nil
}

// take has session i wait for its neighbour's lock, and then give everything back
// whatever has come of it, so that the ring dissolves.
func (r *attempt) take(ctx context.Context, i int) {
	err := r.sessions[i].Take(ctx, (i+1)%len(r.sessions))
	now := time.Now()
	r.mu.Lock()
	switch {
	case err == nil:
	case !errors.Is(err, ErrDeadlock):
		r.failures = append(r.failures, fmt.Errorf("session %d: %w", i, err))
	case r.broken.IsZero():
		r.broken = now
		r.early = r.closed.IsZero()
	}
	r.mu.Unlock()
	if err := r.sessions[i].GiveUp(ctx); err != nil {
		r.mu.Lock()
		r.failures = append(r.failures, err)
		r.mu.Unlock()
	}
}

// await waits until that many sessions wait, or one has been aborted already.
func (r *attempt) await(ctx context.Context, sessions int) error {
	for {
		n, err := r.server.Waiting(ctx)
		if err != nil {
			return err
		}
		r.mu.Lock()
		early := r.early
		r.mu.Unlock()
		if n >= sessions || early {
			return nil
		}
		time.Sleep(time.Millisecond)
	}
}

func (r *attempt) close() {
	for _, s := range r.sessions {
		if s != nil {
			s.Close()
		}
	}
}
