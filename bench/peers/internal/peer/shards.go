package peer

import (
	"context"
	"hash/maphash"
	"slices"
	"sync"
)

// shardCount is how many parts the hand-written table has, each behind a mutex of
// its own.
const shardCount = 64

// Shards is a table of locks as an embedder would write it for one process: a
// mutex for each part of the names, a queue for each lock that is taken. Locks
// are handed on first come, first served. It has no leases, no tokens and no idea
// of deadlocks.
type Shards struct {
	seed   maphash.Seed
	shards [shardCount]shard
}

type shard struct {
	mu    sync.Mutex
	taken map[string]*queue
	_     [48]byte // so that two shards share no line of the cache
}

// queue is who waits for a lock that is taken, oldest first: a channel each,
// closed when it is its turn.
type queue struct{ waiting []chan struct{} }

var _ System = (*Shards)(nil)

// NewShards gives a table in which nothing is taken.
func NewShards() *Shards {
	s := &Shards{seed: maphash.MakeSeed()}
	for i := range s.shards {
		s.shards[i].taken = make(map[string]*queue)
	}
	return s
}

// Open gives a client, which is no more than the name of its lock.
func (s *Shards) Open(_ context.Context, lock string) (Client, error) {
	return shardsClient{s, lock}, nil
}

// Close does nothing.
func (s *Shards) Close() error { return nil }

type shardsClient struct {
	*Shards
	lock string
}

// shard looks the lock up, as for any name: a table does not know that its client
// always asks for the same one.
func (c shardsClient) shard() *shard {
	return &c.shards[maphash.String(c.seed, c.lock)%shardCount]
}

// Acquire waits for its turn or for the end of the context. Who gives up although
// it has just become its turn passes the lock on.
func (c shardsClient) Acquire(ctx context.Context) error {
	part := c.shard()
	part.mu.Lock()
	q := part.taken[c.lock]
	if q == nil {
		part.taken[c.lock] = new(queue)
		part.mu.Unlock()
		return nil
	}
	turn := make(chan struct{})
	q.waiting = append(q.waiting, turn)
	part.mu.Unlock()
	select {
	case <-turn:
		return nil
	case <-ctx.Done():
		part.giveUp(c.lock, q, turn)
		return ctx.Err()
	}
}

// giveUp takes a turn out of the queue, or passes it on.
func (s *shard) giveUp(lock string, q *queue, turn chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if i := slices.Index(q.waiting, turn); i >= 0 {
		q.waiting = slices.Delete(q.waiting, i, i+1)
	} else {
		s.handOn(lock, q)
	}
}

// Release hands the lock on to whoever has waited longest.
func (c shardsClient) Release(context.Context) error {
	part := c.shard()
	part.mu.Lock()
	defer part.mu.Unlock()
	part.handOn(c.lock, part.taken[c.lock])
	return nil
}

// handOn ends a turn and begins the next one. The caller has the mutex.
func (s *shard) handOn(lock string, q *queue) {
	if len(q.waiting) == 0 {
		delete(s.taken, lock)
		return
	}
	close(q.waiting[0])
	q.waiting = q.waiting[1:]
}
