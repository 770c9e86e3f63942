package fencetest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync/atomic"

	"github.com/leasekeeper/lkactor/lockactor/fence"
)

// maxSteps bounds how many steps a write of one value may take in a store.
const maxSteps = 1000

// A write that is killed on its way, wherever that is, leaves the old or the
// new: never a value without its token, and never a scope that nobody can write
// to any more. What a killed write has left must agree with itself ever after.
func killedAnywhere(tr *trial) {
	interrupted := tr.strike("interrupted", func(step int) (fence.Store, context.Context, func() bool) {
		ctx, cancel := context.WithCancel(tr.ctx)
		wire := &tripwire{Context: ctx, cancel: cancel, looks: int64(step)}
		return tr.open(), wire, wire.tripped.Load
	})
	if interrupted == 0 {
		tr.failf("the store never looked at the context of a write")
	}
	if tr.mortal == nil {
		return
	}
	killed := tr.strike("killed", func(step int) (fence.Store, context.Context, func() bool) {
		return tr.mortal(step), tr.ctx, func() bool { return false }
	})
	if killed == 0 {
		tr.failf("the store that should have died at its first step did not")
	}
}

// strike has a write die at step 0, 1, 2 … until one comes through unharmed, and
// gives how many died.
func (tr *trial) strike(how string, victim func(step int) (fence.Store, context.Context, func() bool)) int {
	for step := range maxSteps {
		failed := len(tr.failures)
		scope := tr.scope(fmt.Sprint(how, " at step ", step))
		before := tr.store()
		tr.accepted(before, scope, "k", "old", 71)
		s, ctx, tripped := victim(step)
		err := s.Write(ctx, scope, "k", "new", 72)
		if errors.Is(err, fence.ErrStale) {
			tr.failf("%q: %v, but its token is the highest", scope, err)
		}
		tr.left(before, scope, err)
		if c, ok := s.(io.Closer); ok && !same(s, before) {
			c.Close() // of something dead; it may say what it likes
		}
		tr.close()
		if err == nil && !tripped() || len(tr.failures) > failed {
			return step
		}
	}
	tr.failf("no write came through in %d steps", maxSteps)
	return maxSteps
}

// left looks at what a write of "new" with token 72 over "old" with token 71 has
// left after it ended with err. It looks through a store that was open all along
// and through one that is opened now.
func (tr *trial) left(before fence.Store, scope string, err error) {
	after := tr.store()
	value, ok, readErr := after.Read(tr.ctx, scope, "k")
	mark, markErr := after.Accepted(tr.ctx, scope)
	switch {
	case readErr != nil || markErr != nil || !ok:
		tr.failf("%q: after a write that ended with %v: %q %v %v, %v", scope, err, value, ok, readErr, markErr)
		return
	case value != "old" && value != "new" || mark != 71 && mark != 72:
		tr.failf("%q: a mix: value %q, token %d", scope, value, mark)
	case value == "new" && mark == 71:
		tr.failf("%q: the new value is there and its token is not: 71 could write over it", scope)
	case err == nil && value != "new":
		tr.failf("%q: the write was reported done and is not", scope)
	case err != nil && value == "new" && !mayBeDone(err):
		tr.failf("%q: the write was reported not done, with %v, and is", scope, err)
	}
	// A token that has been recorded without its value is lawful (it refuses
	// more, never less), as long as the store then means it. What is ambiguous may
	// still be under way, until somebody overtakes it.
	settled := !errors.Is(err, fence.ErrAmbiguous)
	if mark == 72 {
		tr.refused(before, scope, "k", "late", 71, 72)
		tr.refused(after, scope, "k", "late", 71, 72)
	}
	if settled && mark == 72 {
		tr.reads(before, scope, "k", value)
	}
	if settled && mark == 71 {
		tr.accepted(after, scope, "k", "still mine", 71)
	}
	tr.accepted(before, scope, "k", "heir", 73)
	tr.accepted(after, scope, "j", "heir", 73)
	tr.reads(after, scope, "k", "heir")
	tr.mark(before, scope, 73)
}

// mayBeDone tells whether a write that ended with err may have been done all the
// same: only where the store says that it does not know, or that the context has
// ended.
func mayBeDone(err error) bool {
	return errors.Is(err, fence.ErrAmbiguous) || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
}

// tripwire is a context that ends when it has been looked at so many times.
type tripwire struct {
	context.Context
	cancel  context.CancelFunc
	looks   int64
	count   atomic.Int64
	tripped atomic.Bool
}

func (w *tripwire) look() {
	if w.count.Add(1) > w.looks {
		w.tripped.Store(true)
		w.cancel()
	}
}

// Done counts as a look.
func (w *tripwire) Done() <-chan struct{} { w.look(); return w.Context.Done() }

// Err counts as a look.
func (w *tripwire) Err() error { w.look(); return w.Context.Err() }
