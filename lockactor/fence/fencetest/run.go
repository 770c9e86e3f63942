package fencetest

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"testing"
	"time"

	"github.com/leasekeeper/lkactor/lockactor/fence"
)

const (
	// defaultPatience is how long one property may take; a store that hangs fails
	// instead of hanging the test. It is no measure of speed.
	defaultPatience = 2 * time.Minute

	// maxAttempts is how often a write that gave way (fence.ErrConflict) is tried
	// again before the store is said to make no progress.
	maxAttempts = 200
)

// Option adds to what [Run] does.
type Option func(*kit)

// WithDeath lets the kit kill the store at every step of a write. mortal opens a
// store on the same data as open, through a medium that fails at step number
// step, counted from 0, and at all later ones: what a process killed there would
// have left is what it must leave. The kit asks for step 0, 1, 2 … until a write
// comes through.
//
// Without it a write is interrupted, by its context only, at every point at
// which the store looks at it.
func WithDeath(mortal func(step int) fence.Store) Option {
	return func(k *kit) { k.mortal = mortal }
}

// WithPatience says how long one property may take, for a store that is far away.
// The longest of them makes some fifteen hundred calls, and those in one scope may
// have to wait for each other. It is two minutes if not given.
func WithPatience(d time.Duration) Option {
	return func(k *kit) { k.patience = d }
}

// Run tests the store. Every call of open must give a store on the same data, as
// another process would open it; a store that is an io.Closer is closed after
// use. The kit takes fresh scopes each time, so the data may be old.
func Run(t *testing.T, open func() fence.Store, options ...Option) {
	t.Helper()
	k := newKit(open, options)
	for _, p := range properties {
		t.Run(p.name, func(t *testing.T) {
			for _, failure := range k.judge(p) {
				t.Error(failure)
			}
		})
	}
}

// kit is what the properties of one Run share.
type kit struct {
	open   func() fence.Store
	mortal func(step int) fence.Store
	run    string // tells the scopes of this run from those of earlier ones

	patience time.Duration // with each property
}

func newKit(open func() fence.Store, options []Option) *kit {
	var nonce [6]byte
	rand.Read(nonce[:]) // never fails
	k := &kit{open: open, run: hex.EncodeToString(nonce[:]), patience: defaultPatience}
	for _, o := range options {
		o(k)
	}
	return k
}

// property is one thing that a store must do, and how to see that it does.
type property struct {
	name  string // with the rule it comes from
	check func(*trial)
}

// judge tries one property and gives what is wrong, nothing if all is well.
func (k *kit) judge(p property) []string {
	ctx, cancel := context.WithTimeout(context.Background(), k.patience)
	defer cancel()
	tr := &trial{kit: k, ctx: ctx, name: p.name}
	defer tr.close()
	p.check(tr)
	return tr.failures
}
