package fencetest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"reflect"
	"runtime"
	"slices"
	"time"

	"github.com/leasekeeper/lkactor/actors/lease"
	"github.com/leasekeeper/lkactor/lockactor/fence"
)

// trial is one property being tried: it collects what is wrong instead of ending
// at once, so that one run tells as much as it can.
type trial struct {
	*kit
	ctx      context.Context
	name     string
	failures []string
	opened   []fence.Store
	stuck    bool // a write has given way for as long as anybody would wait
}

// maxFailures is how many failures are told of one property.
const maxFailures = 10

func (tr *trial) failf(format string, args ...any) {
	if len(tr.failures) < maxFailures {
		tr.failures = append(tr.failures, fmt.Sprintf(format, args...))
	}
}

// store opens the store once more, as another process would.
func (tr *trial) store() fence.Store {
	s := tr.open()
	tr.opened = append(tr.opened, s)
	return s
}

// reopen closes every store of the trial and opens a new one.
func (tr *trial) reopen() fence.Store {
	tr.close()
	return tr.store()
}

func (tr *trial) close() {
	for i, s := range tr.opened {
		// A Memory-like store that is handed out again and again is closed once.
		known := slices.ContainsFunc(tr.opened[:i], func(o fence.Store) bool { return same(o, s) })
		if c, ok := s.(io.Closer); ok && !known {
			if err := c.Close(); err != nil {
				tr.failf("close: %v", err)
			}
		}
	}
	tr.opened = nil
}

// same tells whether two stores are one. Those whose types cannot be compared are
// values, each of its own.
func same(a, b fence.Store) bool {
	return reflect.TypeOf(a).Comparable() && reflect.TypeOf(b).Comparable() && a == b
}

// scope gives a scope that nobody has written to.
func (tr *trial) scope(name string) string {
	return fmt.Sprintf("fencetest/%s/%s/%s", tr.run, tr.name, name)
}

// persist writes, and writes again while the store gives way to others.
func persist(ctx context.Context, s fence.Store, scope, key, value string, token lease.Token) error {
	var err error
	for attempt := range maxAttempts {
		if err = s.Write(ctx, scope, key, value, token); !errors.Is(err, fence.ErrConflict) {
			return err
		}
		if runtime.Gosched(); attempt > 10 {
			time.Sleep(time.Duration(attempt) * 50 * time.Microsecond)
		}
	}
	return err
}

// write is [persist] for the properties; once a store has been found to make no
// progress it is not waited for again.
func (tr *trial) write(s fence.Store, scope, key, value string, token lease.Token) error {
	if tr.stuck {
		return s.Write(tr.ctx, scope, key, value, token)
	}
	err := persist(tr.ctx, s, scope, key, value, token)
	tr.stuck = errors.Is(err, fence.ErrConflict)
	return err
}

// accepted wants the write to be accepted.
func (tr *trial) accepted(s fence.Store, scope, key, value string, token lease.Token) {
	if err := tr.write(s, scope, key, value, token); err != nil {
		tr.failf("write of %q under %q with token %d in scope %q: %v, want it accepted", value, key, token, scope, err)
	}
}

// refused wants the write to be refused in the way of F1, told which token was
// accepted.
func (tr *trial) refused(s fence.Store, scope, key, value string, token, accepted lease.Token) {
	err := tr.write(s, scope, key, value, token)
	if !errors.Is(err, fence.ErrStale) {
		tr.failf("write of %q under %q with token %d in scope %q after token %d: %v, want it refused as stale",
			value, key, token, scope, accepted, err)
		return
	}
	var stale *fence.StaleError
	if !errors.As(err, &stale) {
		tr.failf("the refusal %q (%T) is no *fence.StaleError", err, err)
		return
	}
	if want := (fence.StaleError{Scope: scope, Refused: token, Accepted: accepted}); *stale != want {
		tr.failf("the refusal says %+v, want %+v", *stale, want)
	}
}

// reads wants value under key.
func (tr *trial) reads(s fence.Store, scope, key, value string) {
	got, ok, err := s.Read(tr.ctx, scope, key)
	if err != nil || !ok || got != value {
		tr.failf("read of %q in scope %q: %s %v %v, want %s", key, scope, brief(got), ok, err, brief(value))
	}
}

// lacks wants nothing under key.
func (tr *trial) lacks(s fence.Store, scope, key string) {
	if got, ok, err := s.Read(tr.ctx, scope, key); err != nil || ok {
		tr.failf("read of %q in scope %q: %s %v %v, want nothing there", key, scope, brief(got), ok, err)
	}
}

// mark wants token to be the highest accepted.
func (tr *trial) mark(s fence.Store, scope string, token lease.Token) {
	if got, err := s.Accepted(tr.ctx, scope); err != nil || got != token {
		tr.failf("highest accepted token of scope %q: %d %v, want %d", scope, got, err, token)
	}
}

// brief quotes a value, or the beginning of a long one.
func brief(value string) string {
	const most = 60
	if len(value) <= most {
		return fmt.Sprintf("%q", value)
	}
	return fmt.Sprintf("%q… (%d bytes)", value[:most], len(value))
}
