// Package casfence fences data in whatever can put an object only if it is still
// the one that was read: S3 with If-Match, Google Cloud Storage with generations,
// etcd with revisions. Such a thing is plugged in as a [Conditional] of two
// methods.
//
// It owns the layout. A scope has one object, its manifest, that carries the
// token and says for every key which object has the value:
//
//	manifest/<scope>      {token: 72, keys: {k1: f3…, k2: 9a…}, …}
//	value/<scope>/f3…     the value of k1
//	value/<scope>/9a…     the value of k2
//
// A write puts its value first, where nobody looks yet, and then replaces the
// manifest on condition that it is still the one whose token was compared. That
// is the one step of P2. A condition on the object of each key instead would
// break F1: the owner with token 72 writes k1, and 71, overtaken, can still write
// k2, on which no condition has changed.
//
// The price is one manifest for all writers of a scope, written anew each time.
// It never asks who holds a lease, and never says that a write was done, or was
// not, when it cannot know: see [Store.Write].
package casfence
