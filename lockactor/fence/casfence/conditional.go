package casfence

import (
	"context"
	"errors"
)

var (
	// ErrNotFound is matched by the error of a Get where there is no object.
	ErrNotFound = errors.New("casfence: no such object")
	// ErrMismatch is matched by the error of a Put whose condition did not hold.
	ErrMismatch = errors.New("casfence: the object has changed")
)

// Conditional is a store of objects with compare-and-set. Its methods may be
// called from any goroutine.
//
// A Get must see every Put that had been answered before it was called. A
// version must never come back: not with other content, and not after the object
// was gone. S3's ETag is such a version here although it is made from the
// content, since no two manifests are equal.
type Conditional interface {
	// Get gives the object's content and version, which is not empty.
	Get(ctx context.Context, name string) (data []byte, version string, err error)

	// Put makes data the content of the object if its version is still the one
	// given, "" for an object that does not exist. Comparing and writing are one
	// step. ErrMismatch says that the object has another version: that of another
	// put, or that of this one if a client library tried it twice. Any other error
	// may mean that the put was done, or that it still will be.
	Put(ctx context.Context, name string, data []byte, version string) error
}

// Remover is what a [Conditional] may also be; then values that were written over
// are removed. Without it they stay until somebody collects what no manifest
// names; and a few stay with it, such as those of writers that died, or one whose
// put was lost and landed when all was over. To collect, look for objects that are
// older than any write can be under way, and read the manifest after that.
type Remover interface {
	// Remove removes the object; it is no error if there is none.
	Remove(ctx context.Context, name string) error
}
