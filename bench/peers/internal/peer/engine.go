package peer

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"github.com/leasekeeper/lkactor/actors"
	"github.com/leasekeeper/lkactor/actors/durable"
	"github.com/leasekeeper/lkactor/actors/lease"
)

// Engine is the engine in this process, asked by [actors.Engine.Do] only. Do
// answers at once: that a request is queued is an answer. To have a client wait
// for its turn, whoever releases a lock that somebody waits for inspects who
// holds it now, and wakes that one; so a cycle takes three operations under
// contention instead of two.
type Engine struct {
	system *actor.ActorSystem
	engine *actors.Engine
	store  *durable.Store // nil without a journal
	start  time.Time
	ttl    lease.Duration // in the unit of the engine

	mu     sync.Mutex
	places map[string]*place
}

// place is what the clients of one lock share.
type place struct {
	lock    string
	asking  atomic.Int64 // clients inside Acquire
	clients sync.Map     // by name: *engineClient
}

var _ System = (*Engine)(nil)

// NewDurable starts an engine that keeps its journal in dir, with these options: every
// operation is on disk before its answer.
func NewDurable(dir string, options ...actors.Option) (*Engine, error) {
	store, err := durable.Open(dir, durable.Options{})
	if err != nil {
		return nil, err
	}
	e, err := NewEngine(append(options, actors.WithJournal(store))...)
	if err != nil {
		return nil, errors.Join(err, store.Close())
	}
	e.store, e.ttl = store, lease.Duration(ttl)
	return e, nil
}

// NewEngine starts an engine with these options.
func NewEngine(options ...actors.Option) (*Engine, error) {
	quiet := func(*actor.ActorSystem) *slog.Logger { return slog.New(slog.DiscardHandler) }
	system := actor.NewActorSystem(actor.WithLoggerFactory(quiet))
	e, err := actors.Start(system, options...)
	if err != nil {
		return nil, err
	}
	return &Engine{
		system: system, engine: e, start: time.Now(), ttl: lease.Duration(ttl / time.Second), places: make(map[string]*place),
	}, nil
}

// Open makes a client with a name of its own.
func (e *Engine) Open(_ context.Context, lock string) (Client, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	p := e.places[lock]
	if p == nil {
		p = &place{lock: lock}
		e.places[lock] = p
	}
	c := &engineClient{Engine: e, place: p, wake: make(chan struct{}, 1)}
	n := 0
	p.clients.Range(func(any, any) bool { n++; return true })
	c.name = lock + "-client-" + strconv.Itoa(n)
	p.clients.Store(c.name, c)
	return c, nil
}

// Close stops the engine.
func (e *Engine) Close() error {
	err := e.engine.Stop(context.Background())
	e.system.Shutdown()
	if e.store != nil {
		err = errors.Join(err, e.store.Close())
	}
	return err
}

// now is the instant that operations carry: seconds since the start. An engine with a
// journal has a clock of its own.
func (e *Engine) now() lease.Instant { return lease.Instant(time.Since(e.start) / time.Second) }

type engineClient struct {
	*Engine
	place *place
	name  string
	last  lease.Token // of the lease it has had last

	mu   sync.Mutex
	seen lease.Token   // the newest of its leases that somebody has told it of
	wake chan struct{} // that there may be a newer one
}

func (c *engineClient) Close() error { return nil }

func (c *engineClient) Acquire(ctx context.Context) error {
	// Counted before the request is made: whoever releases afterwards and has let
	// us in sees that somebody is there to be told.
	c.place.asking.Add(1)
	defer c.place.asking.Add(-1)
	result, err := c.engine.Do(ctx, lease.Operation{
		Kind: lease.Acquire, At: c.now(), Client: c.name, Lock: c.place.lock, TTL: c.ttl,
	})
	if err != nil {
		return err
	}
	switch result.Outcome {
	case lease.Granted:
		c.last = result.Token
		return nil
	case lease.Queued:
		return c.await(ctx)
	default:
		return fmt.Errorf("acquire: outcome %d, %v", result.Outcome, result.Code)
	}
}

// await waits to be told of a lease that is newer than the last. Of an older one
// it can be told, too, by somebody who is late to look.
func (c *engineClient) await(ctx context.Context) error {
	for {
		select {
		case <-c.wake:
		case <-ctx.Done():
			return ctx.Err()
		}
		c.mu.Lock()
		seen := c.seen
		c.mu.Unlock()
		if seen > c.last {
			c.last = seen
			return nil
		}
	}
}

func (c *engineClient) Release(ctx context.Context) error {
	result, err := c.engine.Do(ctx, lease.Operation{
		Kind: lease.Release, At: c.now(), Client: c.name, Lock: c.place.lock,
	})
	if err != nil {
		return err
	}
	if result.Outcome != lease.Released {
		return fmt.Errorf("release: outcome %d, %v", result.Outcome, result.Code)
	}
	if c.place.asking.Load() > 0 {
		return c.tellNext(ctx)
	}
	return nil
}

// tellNext looks who holds the lock now and tells that one.
func (c *engineClient) tellNext(ctx context.Context) error {
	result, err := c.engine.Do(ctx, lease.Operation{Kind: lease.Inspect, At: c.now(), Lock: c.place.lock})
	if err != nil {
		return err
	}
	for _, h := range result.Detail.Lock.Holders {
		if next, ok := c.place.clients.Load(h.Client); ok {
			next.(*engineClient).tell(h.Token)
		}
	}
	return nil
}

// tell tells the client of its lease.
func (c *engineClient) tell(token lease.Token) {
	c.mu.Lock()
	c.seen = max(c.seen, token)
	c.mu.Unlock()
	select {
	case c.wake <- struct{}{}:
	default: // it is about to look already
	}
}
