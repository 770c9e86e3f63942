package fence

import (
	"context"

	"github.com/leasekeeper/lkactor/actors/lease"
)

// Store is a fenced store of values under keys, in scopes.
//
// A scope is the resource that one lock protects, and carries the lock's name
// (P3). Tokens order the owners of one scope; those of two scopes are never
// compared. A store keeps, for each scope, the highest token it has accepted,
// for as long as it keeps the data (P1).
//
// Names are taken as they are, byte for byte (O10): no folding, no trimming. See
// [CheckName] for what is a name. A value is any string, the empty one too.
//
// All methods may be called from any goroutine, and from many processes that
// opened a store on the same data. Their errors are those of errors.go, that of
// ctx, or what the medium had to say. After any error but [ErrAmbiguous] and the
// error of a ctx that ended on the way no value was written; a store may have
// recorded the token all the same, which only ever refuses more.
type Store interface {
	// Write stores value under key if token is no lower than any that was
	// accepted in scope before, and then records the token; otherwise it changes
	// nothing and gives a *[StaleError] (F1). Comparing and writing are one step
	// (P2). A write that comes twice is accepted twice (P4).
	//
	// If ctx ends while Write runs, the write may have been done or not, but
	// never by half.
	Write(ctx context.Context, scope, key, value string, token lease.Token) error

	// Read gives the last accepted value of key in scope; ok is false if there is
	// none (F2).
	Read(ctx context.Context, scope, key string) (value string, ok bool, err error)

	// Accepted gives the highest token accepted in scope, zero if none. A higher
	// one may be accepted the moment after, so it is of use to people and tests;
	// to check it before a write protects nothing.
	Accepted(ctx context.Context, scope string) (lease.Token, error)
}
