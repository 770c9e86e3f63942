package peer

import (
	"context"
	"crypto/rand"
	"fmt"
	"time"

	"github.com/bsm/redislock"
	"github.com/redis/go-redis/v9"
	"github.com/redis/rueidis"
)

// Redislock is the library of that name on a pool of connections, one for each
// client. Who does not get the lock asks again.
type Redislock struct {
	client *redis.Client
	locks  *redislock.Client
}

var _ System = (*Redislock)(nil)

// NewRedislock connects to the server, for that many clients at most.
func NewRedislock(address string, clients int) *Redislock {
	c := redis.NewClient(&redis.Options{Addr: address, PoolSize: clients})
	return &Redislock{c, redislock.New(c)}
}

// Open makes a client.
func (r *Redislock) Open(_ context.Context, lock string) (Client, error) {
	return &redislockClient{locks: r.locks, key: "lock:" + lock}, nil
}

// Close ends the connections.
func (r *Redislock) Close() error { return r.client.Close() }

type redislockClient struct {
	locks *redislock.Client
	key   string
	held  *redislock.Lock
}

func (c *redislockClient) Acquire(ctx context.Context) (err error) {
	c.held, err = c.locks.Obtain(ctx, c.key, ttl, &redislock.Options{RetryStrategy: redislock.LinearBackoff(retry)})
	return err
}

func (c *redislockClient) Release(ctx context.Context) error { return c.held.Release(ctx) }
func (c *redislockClient) Close() error                      { return nil }

// Rueidis is the usual recipe, written out: a key that is set if it is not there,
// with an expiry, and deleted by a script if it is still one's own. All clients
// share a connection, and the commands of all that are under way travel together.
// Who does not get the lock asks again.
type Rueidis struct{ client rueidis.Client }

var _ System = (*Rueidis)(nil)

// NewRueidis connects to the server.
func NewRueidis(address string) (*Rueidis, error) {
	c, err := rueidis.NewClient(rueidis.ClientOption{
		InitAddress: []string{address}, DisableCache: true, AlwaysPipelining: true,
	})
	if err != nil {
		return nil, err
	}
	return &Rueidis{c}, nil
}

// deleteOwn deletes the key if it has the value, and tells how many it deleted.
var deleteOwn = rueidis.NewLuaScript(
	`if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("DEL", KEYS[1]) end return 0`)

// Open makes a client with a secret of its own.
func (r *Rueidis) Open(_ context.Context, lock string) (Client, error) {
	return &rueidisClient{r.client, []string{"lock:" + lock}, []string{rand.Text()}}, nil
}

// Close ends the connection.
func (r *Rueidis) Close() error {
	r.client.Close()
	return nil
}

type rueidisClient struct {
	client      rueidis.Client
	key, secret []string
}

func (c *rueidisClient) Close() error { return nil }

func (c *rueidisClient) Acquire(ctx context.Context) error {
	for {
		err := c.client.Do(ctx, c.client.B().Set().Key(c.key[0]).Value(c.secret[0]).Nx().Px(ttl).Build()).Error()
		if !rueidis.IsRedisNil(err) {
			return err
		}
		select {
		case <-time.After(retry):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

func (c *rueidisClient) Release(ctx context.Context) error {
	n, err := deleteOwn.Exec(ctx, c.client, c.key, c.secret).AsInt64()
	if err == nil && n != 1 {
		err = fmt.Errorf("release: %d keys deleted", n)
	}
	return err
}
