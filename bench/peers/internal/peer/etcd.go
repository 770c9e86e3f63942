package peer

import (
	"context"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/client/v3/concurrency"
	"go.uber.org/zap"
)

// Etcd is etcd's own recipe for a mutex. Its clients share a connection, which
// carries any number of requests at once; each has a session of its own, which is
// a lease that is kept alive.
type Etcd struct{ client *clientv3.Client }

var _ System = (*Etcd)(nil)

// NewEtcd connects to the server.
func NewEtcd(address string) (*Etcd, error) {
	c, err := clientv3.New(clientv3.Config{Endpoints: []string{address}, Logger: zap.NewNop()})
	if err != nil {
		return nil, err
	}
	return &Etcd{c}, nil
}

// Open begins a session.
func (e *Etcd) Open(ctx context.Context, lock string) (Client, error) {
	s, err := concurrency.NewSession(e.client, concurrency.WithTTL(int(ttl.Seconds())), concurrency.WithContext(ctx))
	if err != nil {
		return nil, err
	}
	return &etcdClient{s, concurrency.NewMutex(s, "/locks/"+lock)}, nil
}

// Close ends the connection.
func (e *Etcd) Close() error { return e.client.Close() }

type etcdClient struct {
	session *concurrency.Session
	mutex   *concurrency.Mutex
}

func (c *etcdClient) Acquire(ctx context.Context) error { return c.mutex.Lock(ctx) }
func (c *etcdClient) Release(ctx context.Context) error { return c.mutex.Unlock(ctx) }
func (c *etcdClient) Close() error                      { return c.session.Close() }
