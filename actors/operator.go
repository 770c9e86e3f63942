package actors

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/asynkron/protoactor-go/actor"

	"github.com/leasekeeper/lkactor/actors/lease"
	"github.com/leasekeeper/lkactor/sequencer"
)

// LockInfo is one lock in a list for operators.
type LockInfo = sequencer.LockInfo

// ClientInfo is one client in a list for operators.
type ClientInfo = sequencer.ClientInfo

// Locks lists the locks that the engine has a record of, by name. A list is made a
// part at a time, so that it holds up nobody; what changes meanwhile may be in it or
// not.
func (e *Engine) Locks(ctx context.Context) ([]LockInfo, error) {
	list, err := inPages(ctx, e, (*sequencer.Sequencer).ListLocks)
	slices.SortFunc(list, func(a, b LockInfo) int { return strings.Compare(a.Name, b.Name) })
	return list, err
}

// Clients lists the clients that the engine has a record of, by name, as Locks does.
// Those with Waiting are the waits there are. A client that was closed and is remembered
// only for its request ids (E3) is none.
func (e *Engine) Clients(ctx context.Context) ([]ClientInfo, error) {
	list, err := inPages(ctx, e, (*sequencer.Sequencer).ListClients)
	slices.SortFunc(list, func(a, b ClientInfo) int { return strings.Compare(a.Name, b.Name) })
	return list, err
}

func inPages[T any](ctx context.Context, e *Engine, page func(*sequencer.Sequencer, []T, uint32, int) ([]T, uint32)) (list []T, err error) {
	for last := uint32(0); ; {
		err := e.survey(ctx, func(order *sequencer.Sequencer) error {
			list, last = page(order, list, last, listPage)
			return nil
		})
		if err != nil {
			return nil, err // it may still be written to
		}
		if last == 0 {
			return list, nil
		}
	}
}

// Contention is a lock that somebody waits for: with rule D1 an edge from everybody
// in the queue to all holders and to all ahead of it.
type Contention struct {
	Lock string
	lease.LockView
}

// WaitGraph gives the wait-for graph (D1), lock by lock, by name, each as it is when
// the engine comes to it.
func (e *Engine) WaitGraph(ctx context.Context) ([]Contention, error) {
	locks, err := e.Locks(ctx)
	if err != nil {
		return nil, err
	}
	var graph []Contention
	for _, l := range locks {
		if l.Waiters == 0 {
			continue
		}
		err := e.survey(ctx, func(order *sequencer.Sequencer) error {
			view, err := order.ViewLock(l.Name)
			if err == nil && len(view.Queue) > 0 {
				graph = append(graph, Contention{Lock: l.Name, LockView: *view})
			}
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	return graph, nil
}

// SubscriberInfo is one actor that is attached to a client (see [Attach]).
type SubscriberInfo struct {
	Client   string
	PID      *actor.PID
	Instance string // who acts for the client; empty for one that does not
	// Since is when it was sent the notice that it has not confirmed yet; zero if it
	// has confirmed all.
	Since lease.Instant
	// Waiting is how many events it is to be told then. Behind says that there were too
	// many, and it will be told how the client stands instead.
	Waiting int
	Behind  bool
}

// Subscribers lists the attached actors, by client: who is slow can be seen here.
func (e *Engine) Subscribers(ctx context.Context) ([]SubscriberInfo, error) {
	var list []SubscriberInfo
	if err := e.survey(ctx, func(*sequencer.Sequencer) error {
		list = e.desk.list()
		return nil
	}); err != nil {
		return nil, err
	}
	return list, nil
}

// survey has read look at the order on the engine's turn, and waits until what it has
// seen may be told. If ctx ends first read may still be looking.
func (e *Engine) survey(ctx context.Context, read func(*sequencer.Sequencer) error) error {
	if !e.gate.visit() {
		return e.refusal()
	}
	defer e.gate.part()
	answer := make(chan error, 1)
	e.queue.PostUserMessage(&sequencer.Survey{Read: read, Done: func(err error) { answer <- err }})
	select {
	case err := <-answer:
		return e.explain(err)
	case <-e.stopped:
		return ErrStopped
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Evict takes from a client its lease of a lock, or its place in the queue (E4). The
// client's subscribers are told. It gives an error that matches lease.NotHolder if
// there is neither.
func (e *Engine) Evict(ctx context.Context, client, lock string) error {
	return e.operate(ctx, lease.Operation{Kind: lease.Evict, Client: client, Lock: lock})
}

// Forget drops the record of an idle lock (E4); the error matches lease.LockInUse if
// it is not idle or something is stored under it.
func (e *Engine) Forget(ctx context.Context, lock string) error {
	return e.operate(ctx, lease.Operation{Kind: lease.Forget, Lock: lock})
}

// CloseClient ends the registration of a client (E4); the error matches
// lease.ClientBusy if it holds or awaits anything.
func (e *Engine) CloseClient(ctx context.Context, client string) error {
	return e.operate(ctx, lease.Operation{Kind: lease.Close, Client: client})
}

// operate does an operation whose refusal is an error.
func (e *Engine) operate(ctx context.Context, op lease.Operation) error {
	result, err := e.Do(ctx, op)
	if err == nil && result.Outcome == lease.Failed {
		err = result.Code
	}
	return err
}

// Abandon takes from a client what it waits for and all it holds, as of when the
// engine comes to it, and tells how many leases and requests that were.
func (e *Engine) Abandon(ctx context.Context, client string) (int, error) {
	if !e.gate.visit() {
		return 0, e.refusal()
	}
	defer e.gate.part()
	type outcome struct {
		n   int
		err error
	}
	answer := make(chan outcome, 1)
	e.queue.PostUserMessage(&sequencer.Abandon{Client: client, Leases: true, Done: func(given []lease.Result, err error) {
		n := 0
		for _, r := range given {
			if r.Outcome != lease.Failed {
				n++
			}
		}
		answer <- outcome{n, err}
	}})
	select {
	case o := <-answer:
		if errors.Is(o.err, lease.InvalidArguments) {
			return 0, o.err
		}
		return o.n, e.explain(o.err)
	case <-e.stopped:
		return 0, ErrStopped
	case <-ctx.Done():
		return 0, ctx.Err()
	}
}
