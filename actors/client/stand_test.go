package client_test

import (
	"context"
	"io"
	"log/slog"
	"runtime"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/asynkron/protoactor-go/actor"
	"github.com/google/uuid"

	"github.com/leasekeeper/lkactor/actors"
	"github.com/leasekeeper/lkactor/actors/client"
	"github.com/leasekeeper/lkactor/actors/lease"
)

func newSystem(t testing.TB) *actor.ActorSystem {
	t.Helper()
	system := actor.NewActorSystem(actor.WithLoggerFactory(func(*actor.ActorSystem) *slog.Logger {
		return slog.New(slog.NewTextHandler(io.Discard, nil))
	}))
	t.Cleanup(system.Shutdown)
	return system
}

func start(t testing.TB, options ...actors.Option) *actors.Engine {
	t.Helper()
	return startIn(t, newSystem(t), options...)
}

func startIn(t testing.TB, system *actor.ActorSystem, options ...actors.Option) *actors.Engine {
	t.Helper()
	engine, err := actors.Start(system, append([]actors.Option{actors.WithClock(actors.SystemClock())}, options...)...)
	if err != nil {
		t.Fatal(err)
	}
	return engine
}

func open(t testing.TB, s client.Service, name string, options ...client.Option) *client.Client {
	t.Helper()
	c, err := client.Open(t.Context(), s, name, options...)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// bubble runs a test on an engine in a time of its own, and sees to it that nothing
// goes on after Stop: the bubble would not end.
func bubble(t *testing.T, test func(t *testing.T, wire *line)) {
	synctest.Test(t, func(t *testing.T) {
		engine := start(t)
		test(t, &line{engine: engine})
		if err := engine.Stop(t.Context()); err != nil {
			t.Fatal(err)
		}
	})
}

// line is a service behind a line that a test can listen to and cut.
type line struct {
	engine *actors.Engine

	mu      sync.Mutex
	ops     []lease.Operation // all that were submitted
	at      []time.Time       // and when
	deaf    bool              // nothing more gets through to the engine, nor is answered
	silent  bool              // operations get through, answers do not
	lossy   func(lease.Operation) loss
	held    []func()                   // answers kept back while silent
	refuses func(lease.Operation) bool // there is no room, and nobody may wait for it
	blind   bool                       // it does not look whether contexts have ended
	slow    func(lease.Operation)      // called before an operation is taken
	full    bool                       // there is no room for operations
	room    chan struct{}
}

// loss is what becomes of an operation on a lossy line.
type loss int

const (
	arrives loss = iota
	lost         // before the engine gets it
	unheard      // the engine handles it, and the answer is lost
)

var _ client.Service = (*line)(nil)

func (l *line) Submit(ctx context.Context, op lease.Operation, done func(client.Answer)) error {
	if err := l.enter(ctx); err != nil {
		return err
	}
	l.mu.Lock()
	slow, refuses := l.slow, l.refuses
	if l.blind {
		ctx = context.WithoutCancel(ctx)
	}
	l.mu.Unlock()
	if refuses != nil && refuses(op) {
		return client.ErrOverloaded
	}
	if slow != nil {
		slow(op)
	}
	l.mu.Lock()
	l.ops = append(l.ops, op)
	l.at = append(l.at, time.Now())
	deaf, fate := l.deaf, arrives
	if l.lossy != nil {
		fate = l.lossy(op)
	}
	l.mu.Unlock()
	if deaf {
		return nil
	}
	if fate == lost {
		go done(client.Answer{Err: client.ErrUnanswered})
		return nil
	}
	return l.engine.Submit(ctx, op, func(a client.Answer) {
		if fate == unheard {
			a = client.Answer{Err: client.ErrUnanswered}
		}
		l.mu.Lock()
		if l.silent {
			l.held = append(l.held, func() { done(a) })
			l.mu.Unlock()
			return
		}
		l.mu.Unlock()
		done(a)
	})
}

// enter waits for room.
func (l *line) enter(ctx context.Context) error {
	for {
		err := ctx.Err()
		l.mu.Lock()
		room := l.room
		if err != nil && !l.blind {
			l.mu.Unlock()
			return err
		}
		if !l.full {
			l.mu.Unlock()
			return nil
		}
		l.mu.Unlock()
		select {
		case <-room:
		case <-ctx.Done():
		}
	}
}

func (l *line) Watch(ctx context.Context, name string, instance uuid.UUID, told func(lease.Event)) (func(), error) {
	return l.engine.Watch(ctx, name, instance, func(e lease.Event) {
		l.mu.Lock()
		if l.silent || l.deaf {
			l.held = append(l.held, func() { told(e) })
			l.mu.Unlock()
			return
		}
		l.mu.Unlock()
		told(e)
	})
}

// set changes the line; what was kept back comes through when it speaks again.
func (l *line) set(change func(*line)) {
	l.mu.Lock()
	before := l.full
	change(l)
	if l.full && !before {
		l.room = make(chan struct{})
	} else if before && !l.full {
		close(l.room)
	}
	var held []func()
	if !l.silent && !l.deaf {
		held, l.held = l.held, nil
	}
	l.mu.Unlock()
	for _, f := range held {
		f()
	}
}

// sent gives the operations of the kind that were submitted so far, and when.
func (l *line) sent(kind lease.Kind) (ops []lease.Operation, at []time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for i, op := range l.ops {
		if op.Kind == kind {
			ops, at = append(ops, op), append(at, l.at[i])
		}
	}
	return ops, at
}

// view inspects a lock, past the line.
func view(t testing.TB, engine *actors.Engine, lock string) *lease.LockView {
	t.Helper()
	a, err := engine.Ask(context.Background(), lease.Operation{Kind: lease.Inspect, Lock: lock})
	if err != nil {
		t.Fatal(err)
	}
	return a.Detail.Lock
}

// empty fails unless nobody holds or awaits the lock.
func empty(t testing.TB, engine *actors.Engine, lock string) {
	t.Helper()
	if v := view(t, engine, lock); len(v.Holders)+len(v.Queue) > 0 {
		t.Errorf("%s is left with %v, %v", lock, v.Holders, v.Queue)
	}
}

func shut(t testing.TB, clients ...*client.Client) {
	t.Helper()
	for _, c := range clients {
		if err := c.Close(context.Background()); err != nil {
			t.Error(err)
		}
	}
}

// closed tells whether the channel is.
func closed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// count waits until idle actors have gone and dead objects are collected. Only in a
// bubble.
func count(t testing.TB, system *actor.ActorSystem) census {
	t.Helper()
	time.Sleep(time.Minute)
	synctest.Wait()
	var m runtime.MemStats
	runtime.GC()
	runtime.GC()
	runtime.ReadMemStats(&m)
	c := census{goroutines: runtime.NumGoroutine(), objects: int(m.HeapObjects)}
	for _, bucket := range system.ProcessRegistry.LocalPIDs.LocalPIDs {
		c.actors += bucket.Count()
	}
	return c
}
