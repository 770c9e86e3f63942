package durable

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"github.com/leasekeeper/lkactor/actors"
	"github.com/leasekeeper/lkactor/actors/lease"
	"github.com/leasekeeper/lkactor/actors/model"
	"github.com/leasekeeper/lkactor/sequencer/journal"
)

// hand is a clock that a test moves by hand.
type hand struct {
	mu     sync.Mutex
	wall   time.Time
	passed time.Duration
	timers []*alarm
}

type alarm struct {
	clock *hand
	at    time.Duration
	f     func()
	set   bool
}

func (c *hand) Wall() time.Time { c.mu.Lock(); defer c.mu.Unlock(); return c.wall }

func (c *hand) Elapsed() time.Duration { c.mu.Lock(); defer c.mu.Unlock(); return c.passed }

func (c *hand) AfterFunc(d time.Duration, f func()) actors.Timer {
	a := &alarm{clock: c, f: f}
	c.mu.Lock()
	c.timers = append(c.timers, a)
	c.mu.Unlock()
	a.Reset(d)
	return a
}

func (a *alarm) Reset(d time.Duration) bool {
	a.clock.mu.Lock()
	defer a.clock.mu.Unlock()
	a.at, a.set = a.clock.passed+d, true
	return true
}

func (a *alarm) Stop() bool {
	a.clock.mu.Lock()
	defer a.clock.mu.Unlock()
	a.set = false
	return true
}

// advance lets time pass and rings what is due.
func (c *hand) advance(d time.Duration) {
	c.mu.Lock()
	c.passed, c.wall = c.passed+d, c.wall.Add(d)
	var due []func()
	for _, a := range c.timers {
		if a.set && a.at <= c.passed {
			a.set = false
			due = append(due, a.f)
		}
	}
	c.mu.Unlock()
	for _, f := range due {
		f()
	}
}

func newSystem(t testing.TB) *actor.ActorSystem {
	system := quietSystem()
	t.Cleanup(system.Shutdown)
	return system
}

// quietSystem gives an actor system that keeps its log to itself.
func quietSystem() *actor.ActorSystem {
	quiet := slog.New(slog.NewTextHandler(io.Discard, nil))
	return actor.NewActorSystem(actor.WithLoggerFactory(func(*actor.ActorSystem) *slog.Logger { return quiet }))
}

// service is an engine on a store on a file system in memory.
type service struct {
	store  *Store
	engine *actors.Engine
}

func serve(system *actor.ActorSystem, o Options, clock actors.Clock, more ...actors.Option) (*service, error) {
	s, err := Open(dir, o)
	if err != nil {
		return nil, err
	}
	e, err := actors.Start(system, append(more, actors.WithJournal(s), actors.WithClock(clock))...)
	return &service{s, e}, err
}

func mustServe(t testing.TB, system *actor.ActorSystem, o Options, clock actors.Clock, more ...actors.Option) *service {
	t.Helper()
	s, err := serve(system, o, clock, more...)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// stop ends the engine and the store as a program does that is asked to end.
func (s *service) stop() error {
	return errors.Join(s.engine.Stop(context.Background()), s.store.Close())
}

func (s *service) ask(t testing.TB, op lease.Operation) actors.Answer {
	t.Helper()
	a, err := s.engine.Ask(t.Context(), op)
	if err != nil {
		t.Fatalf("%v %s %s: %v", op.Kind, op.Client, op.Lock, err)
	}
	return a
}

// told collects events.
type told chan lease.Event

func (c told) Tell(e lease.Event) { c <- e }

// history runs all records of a directory through a fresh model and gives the results
// by number, from 1, and the state at the end.
func history(t testing.TB, fs journal.FS) (ops []lease.Operation, results []lease.Result, m *model.Model) {
	t.Helper()
	v, err := journal.Look(fs, dir)
	if err != nil {
		t.Fatal(err)
	}
	m = model.Make(lease.Live, nil)
	ops, results = make([]lease.Operation, 1), make([]lease.Result, 1)
	err = replay(t.Context(), v, 1, math.MaxUint64, 0, func(p *portion) error {
		answers := make([]lease.Result, len(p.ops))
		m.Run(p.ops, answers)
		ops, results = append(ops, p.ops...), append(results, answers...)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return ops, results, m
}

// work does random operations, one after the other, and gives the number of the last
// one acknowledged.
func (s *service) work(t testing.TB, n int) (acked uint64, err error) {
	rng := rand.New(rand.NewPCG(5, uint64(n)))
	for range n {
		op := lease.Operation{Client: fmt.Sprint("c", rng.IntN(4)), Lock: fmt.Sprint("L", rng.IntN(3)), TTL: 3600e9}
		op.Kind = []lease.Kind{lease.Acquire, lease.Acquire, lease.Release, lease.Renew, lease.Inspect}[rng.IntN(5)]
		a, err := s.engine.Ask(t.Context(), op)
		if err != nil {
			return acked, err
		}
		acked = a.Seq
	}
	return acked, nil
}
