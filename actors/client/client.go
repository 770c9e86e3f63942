package client

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"

	"github.com/google/uuid"

	"github.com/leasekeeper/lkactor/actors/lease"
)

// Client is one client of a lock service (C). All methods may be called from any
// goroutine; but a client waits for one lock at a time, and a second acquire that
// would wait, too, is refused with [lease.ClientBusy] (C1). Make one with [Open].
type Client struct {
	service  Service
	name     string
	instance uuid.UUID
	ids      bool

	clock Clock
	epoch time.Time     // what the client's own instants count from
	began time.Duration // likewise, on the clock
	stop  func()        // watching

	shut atomic.Bool     // Close was called
	life context.Context // ends when Close is called
	end  context.CancelCauseFunc
	rest context.Context // ends when Close returns: for tidying up
	over context.CancelCauseFunc

	mu     sync.Mutex
	waits  map[string]*wait  // by lock; those that are given up stay until nothing is left of them
	held   map[string]*Lease // by lock; those that are over stay until the service has confirmed it
	victim string            // the lock whose request was aborted, until the Deadlock is told
}

// Option changes how a Client works.
type Option func(*Client)

// WithRequestIDs gives every acquire, renew and release a request id (E3), and has
// one whose answer did not come ([ErrUnanswered]) sent again under the same id until
// it is answered. Of use where a Service may lose answers, on its way over a network;
// an engine in the same process never does, and would only have more to remember.
//
// The service remembers a request for 24 hours, or until its client has made 1,024 later
// ones, also when the client has long been closed: an engine has room for so many in all
// (actors.Limits.Requests), and refuses what it could not remember.
func WithRequestIDs() Option { return func(c *Client) { c.ids = true } }

// Open gives the Client of the name. The error matches [ErrClientInUse] while
// another Client of that name is open. Leases and requests that the name has from
// before are not touched; see [Client.Resume].
func Open(ctx context.Context, s Service, name string, options ...Option) (*Client, error) {
	c := &Client{
		service:  s,
		name:     name,
		instance: uuid.New(),
		waits:    make(map[string]*wait),
		held:     make(map[string]*Lease),
	}
	for _, o := range options {
		if o != nil {
			o(c)
		}
	}
	c.startClock()
	c.rest, c.over = context.WithCancelCause(context.Background())
	c.life, c.end = context.WithCancelCause(c.rest)
	stop, err := s.Watch(ctx, name, c.instance, c.told)
	if err != nil {
		c.over(ErrClosed)
		return nil, &Error{Op: "open", Client: name, Err: err}
	}
	c.stop = stop
	return c, nil
}

// Name is the client's name.
func (c *Client) Name() string { return c.name }

// Instance tells this Client from any other of the same name.
func (c *Client) Instance() uuid.UUID { return c.instance }

// Close gives up every wait, releases every lease and ends the client's
// registration (E4): the next Client of the name is a new one, and the youngest.
// When it returns nothing is renewed any more. If ctx ends first, what the service
// has not confirmed ends by itself, at its expiry. Calling it again does nothing.
func (c *Client) Close(ctx context.Context) error {
	if c.shut.Swap(true) {
		return nil
	}
	c.end(ErrClosed)
	defer c.stop()
	defer c.over(ErrClosed)
	leases, waits := c.all()
	for _, l := range leases {
		l.halt(ErrClosed)
	}
	for _, w := range waits {
		select {
		case <-w.done:
		case <-ctx.Done():
			return c.fail("close", "", ended(ctx))
		}
	}
	leases, _ = c.all() // those that were granted meanwhile, too
	for _, l := range leases {
		l.halt(ErrClosed)
	}
	// That a lease had been lost is nothing to complain of here; that the service
	// cannot be reached is told by what comes next.
	_ = releaseAll(ctx, leases, insisting)
	return c.unregister(ctx)
}

// unregister ends the registration. That the service does not, since the name
// still has something of which this Client does not know, is no error.
func (c *Client) unregister(ctx context.Context) error {
	answer, err := c.ask(ctx, lease.Operation{Kind: lease.Close, Client: c.name})
	if err == nil {
		err = answer.Err
	}
	return c.fail("close", "", err)
}

func (c *Client) all() ([]*Lease, []*wait) {
	c.mu.Lock()
	defer c.mu.Unlock()
	leases, waits := make([]*Lease, 0, len(c.held)), make([]*wait, 0, len(c.waits))
	for _, l := range c.held {
		leases = append(leases, l)
	}
	for _, w := range c.waits {
		waits = append(waits, w)
	}
	return leases, waits
}

// chance spreads what would otherwise happen to all at once.
func chance() float64 { return rand.Float64() }

// fail is the error of what was tried; nil for none.
func (c *Client) fail(op, lock string, err error) error {
	if err == nil {
		return nil
	}
	return &Error{Op: op, Client: c.name, Lock: lock, Err: err}
}

// ended is the error of an ended context: what it ended with, and why if somebody
// has said so.
func ended(ctx context.Context) error {
	err, cause := ctx.Err(), context.Cause(ctx)
	if cause == err {
		return err
	}
	return fmt.Errorf("%w: %w", err, cause)
}

// closed is the error of everything after Close, nil before it.
func (c *Client) closed() error {
	if c.life.Err() != nil {
		return ErrClosed
	}
	return nil
}
