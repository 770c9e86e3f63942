package casfence

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	mrand "math/rand/v2"
	"time"

	"github.com/leasekeeper/lkactor/actors/lease"
	"github.com/leasekeeper/lkactor/lockactor/fence"
)

const (
	// maxAttempts is how often a write tries to replace the manifest, and a read
	// to get a value that is not removed just then, before it gives way.
	maxAttempts = 200
	// maxBlind is how often in a row a write with a put open fails to see the
	// manifest before it is given up as ambiguous.
	maxBlind = 8
	// maxPause is the longest pause between two attempts; they begin at an
	// eighth of a millisecond.
	maxPause = 16 * time.Millisecond
)

// Store is a fence.Store in a [Conditional]. Make one with [New].
type Store struct {
	medium Conditional
	prefix string
}

var _ fence.Store = (*Store)(nil)

// New gives a store in medium; the names of all its objects begin with prefix.
func New(medium Conditional, prefix string) *Store {
	return &Store{medium: medium, prefix: prefix}
}

// attempt is a write on its way.
type attempt struct {
	scope, key string
	token      lease.Token
	id         string // names the write and its value object

	stored bool      // the value object is there
	before *manifest // on which the last put was conditional, nil if none may still be done
	doubt  bool      // a put on that condition may still be done, whatever a look says
	err    error     // the answer to the last put
	blind  int       // looks in a row at which nothing was to be seen
}

// Write stores value under key unless token is stale (F1). It gives way
// (fence.ErrConflict) when too many others write in the scope at once.
//
// When the answer to a put is lost, Write looks: every manifest names the latest
// writes that led to it. It says done or not done where that tells, puts again
// where nothing has happened yet, and says fence.ErrAmbiguous only where the
// medium does not answer any more or more than 64 others have written since.
func (s *Store) Write(ctx context.Context, scope, key, value string, token lease.Token) error {
	if err := errors.Join(fence.CheckOwner(scope, token), fence.CheckName(key)); err != nil {
		return err
	}
	var nonce [16]byte
	rand.Read(nonce[:]) // never fails
	a := &attempt{scope: scope, key: key, token: token, id: hex.EncodeToString(nonce[:])}
	for n := range maxAttempts {
		if err := pause(ctx, n); err != nil {
			return a.unfinished(err)
		}
		finished, err := s.try(ctx, a, value)
		if finished {
			s.tidy(ctx, a, err)
			return err
		}
	}
	// One look more tells whether the last put may still be done.
	if _, _, finished, err := s.look(ctx, a); finished {
		s.tidy(ctx, a, err)
		return err
	}
	if a.before != nil {
		return a.unfinished(errors.New("no attempt came through"))
	}
	s.tidy(ctx, a, fence.ErrConflict)
	return a.unfinished(fence.ErrConflict)
}

// unfinished gives the error of a write that is given up because of err: where a
// put is still open nobody knows.
func (a *attempt) unfinished(err error) error {
	if a.before != nil {
		return fmt.Errorf("casfence: scope %q: %w: %w: %w", a.scope, fence.ErrAmbiguous, err, a.err)
	}
	return fmt.Errorf("casfence: scope %q: %w", a.scope, err)
}

// try looks at the manifest once and puts the next one if that is to be done.
func (s *Store) try(ctx context.Context, a *attempt, value string) (finished bool, err error) {
	m, version, finished, err := s.look(ctx, a)
	if finished || m == nil {
		return finished, err
	}
	if err := s.storeValue(ctx, a, value); err != nil {
		return true, err
	}
	err = s.medium.Put(ctx, s.manifestName(a.scope), m.with(a.scope, a.key, a.id, a.token).encode(), version)
	// A mismatch is no plain no, either: a client that puts again by itself when
	// an answer is lost meets its own first put. But the next look tells; after any
	// other error it does not, the put may be on its way.
	a.doubt = a.before != nil && a.doubt || !errors.Is(err, ErrMismatch)
	a.before, a.err = m, err
	return err == nil, nil
}

// look gets the manifest and finds out what it says of the write: that it is
// finished, and how, or that it may be put on top of m. Without either m is nil:
// nothing was to be seen, and with a put open it is worth another look.
func (s *Store) look(ctx context.Context, a *attempt) (m *manifest, version string, finished bool, err error) {
	m, version, err = s.manifest(ctx, a.scope)
	switch {
	case err == nil:
		a.blind = 0
	case a.before == nil:
		return nil, "", true, err
	default:
		a.blind++
		return nil, "", a.blind >= maxBlind, a.unfinished(err)
	}
	if a.before != nil {
		switch m.fate(a.id, a.before) {
		case done:
			return nil, "", true, nil
		case forgotten:
			return nil, "", true, a.unfinished(errors.New("too many writes ago"))
		case void:
			a.before = nil
		case open:
			if !a.doubt {
				a.before = nil
			}
		}
	}
	if a.token < m.Token {
		return nil, "", true, &fence.StaleError{Scope: a.scope, Refused: a.token, Accepted: m.Token}
	}
	return m, version, false, nil
}

// storeValue puts the value object, once. Nobody else writes under that name, so
// a mismatch should mean that an earlier put of ours is there; it is looked for,
// since a manifest must never name a value that is not.
func (s *Store) storeValue(ctx context.Context, a *attempt, value string) error {
	const puts = 5
	name := s.valueName(a.scope, a.id)
	var err error
	for range puts {
		if a.stored {
			return nil
		}
		err = s.medium.Put(ctx, name, []byte(value), "")
		if errors.Is(err, ErrMismatch) {
			if _, _, got := s.medium.Get(ctx, name); !errors.Is(got, ErrNotFound) {
				err = got
			}
		}
		a.stored = err == nil
	}
	switch {
	case a.stored:
		return nil
	case errors.Is(err, ErrMismatch): // and there is nothing all the same
		err = fmt.Errorf("%w: %w", fence.ErrConflict, err)
	}
	return fmt.Errorf("casfence: put the value of %q in scope %q: %w", a.key, a.scope, err)
}

// tidy removes what a write that ended with err has left over: the value it
// wrote over, or its own if it was certainly not done. If that fails it is only
// left lying.
func (s *Store) tidy(ctx context.Context, a *attempt, err error) {
	remover, ok := s.medium.(Remover)
	if !ok {
		return
	}
	switch {
	case a.stored && a.before == nil: // refused, or gave way
		_ = remover.Remove(ctx, s.valueName(a.scope, a.id))
	case err == nil && a.before != nil && a.before.Keys[a.key] != "":
		_ = remover.Remove(ctx, s.valueName(a.scope, a.before.Keys[a.key]))
	}
}

// Read gives the last accepted value of key in scope (F2).
func (s *Store) Read(ctx context.Context, scope, key string) (value string, ok bool, err error) {
	if err := errors.Join(fence.CheckName(scope), fence.CheckName(key)); err != nil {
		return "", false, err
	}
	missing := ""
	for n := range maxAttempts {
		if err := pause(ctx, n); err != nil {
			return "", false, err
		}
		m, _, err := s.manifest(ctx, scope)
		if err != nil {
			return "", false, err
		}
		id, known := m.Keys[key]
		if !known {
			return "", false, nil
		}
		data, _, err := s.medium.Get(ctx, s.valueName(scope, id))
		switch {
		case err == nil:
			return string(data), true, nil
		case !errors.Is(err, ErrNotFound):
			return "", false, fmt.Errorf("casfence: get the value of %q in scope %q: %w", key, scope, err)
		case id == missing:
			return "", false, fmt.Errorf("casfence: the value of %q in scope %q is gone: %w", key, scope, err)
		}
		missing = id // written over and removed in between; the manifest names another by now
	}
	return "", false, fmt.Errorf("casfence: read of %q in scope %q: %w", key, scope, fence.ErrConflict)
}

// Accepted gives the highest token accepted in scope, zero if none.
func (s *Store) Accepted(ctx context.Context, scope string) (lease.Token, error) {
	if err := fence.CheckName(scope); err != nil {
		return 0, err
	}
	m, _, err := s.manifest(ctx, scope)
	if err != nil {
		return 0, err
	}
	return m.Token, nil
}

// manifest gets the manifest of scope and its version, an empty one and "" if
// there is none.
func (s *Store) manifest(ctx context.Context, scope string) (*manifest, string, error) {
	if err := ctx.Err(); err != nil {
		return nil, "", err
	}
	data, version, err := s.medium.Get(ctx, s.manifestName(scope))
	switch {
	case errors.Is(err, ErrNotFound):
		return new(manifest), "", nil
	case err != nil:
		return nil, "", fmt.Errorf("casfence: get the manifest of scope %q: %w", scope, err)
	}
	m, err := decode(data, scope)
	return m, version, err
}

// pause waits before attempt n, not at all before the first two, then for a
// random time up to a limit that doubles; it gives the error of ctx if that ends.
func pause(ctx context.Context, n int) error {
	if n < 2 {
		return ctx.Err()
	}
	limit := min(time.Millisecond/8<<min(n, 16), maxPause)
	timer := time.NewTimer(mrand.N(limit))
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
