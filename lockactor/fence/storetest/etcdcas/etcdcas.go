// Package etcdcas plugs etcd into casfence.
//
// It owns nothing: it translates. An object is a key of etcd's, its version the
// revision at which it was last written, which etcd never uses twice. The value
// of a key and the manifest of a scope must each fit one request of etcd's, by
// default 1.5 MiB.
package etcdcas

import (
	"context"
	"strconv"

	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/leasekeeper/lkactor/lockactor/fence/casfence"
)

// Conditional is a casfence.Conditional and casfence.Remover on etcd.
type Conditional struct{ kv clientv3.KV }

var (
	_ casfence.Conditional = Conditional{}
	_ casfence.Remover     = Conditional{}
)

// New gives the objects in kv; a client is one, and so is a namespace of it.
func New(kv clientv3.KV) Conditional { return Conditional{kv} }

// Get gives the value and revision of a key.
func (c Conditional) Get(ctx context.Context, name string) (data []byte, version string, err error) {
	answer, err := c.kv.Get(ctx, name) // linearizable, etcd's default
	if err != nil {
		return nil, "", err
	}
	if len(answer.Kvs) == 0 {
		return nil, "", casfence.ErrNotFound
	}
	return answer.Kvs[0].Value, strconv.FormatInt(answer.Kvs[0].ModRevision, 10), nil
}

// Put writes a key if its revision is still version. A key that does not exist
// has revision 0.
func (c Conditional) Put(ctx context.Context, name string, data []byte, version string) error {
	var revision int64
	if version != "" {
		var err error
		if revision, err = strconv.ParseInt(version, 10, 64); err != nil {
			return err
		}
	}
	answer, err := c.kv.Txn(ctx).
		If(clientv3.Compare(clientv3.ModRevision(name), "=", revision)).
		Then(clientv3.OpPut(name, string(data))).
		Commit()
	if err != nil {
		return err
	}
	if !answer.Succeeded {
		return casfence.ErrMismatch
	}
	return nil
}

// Remove removes a key.
func (c Conditional) Remove(ctx context.Context, name string) error {
	_, err := c.kv.Delete(ctx, name)
	return err
}
