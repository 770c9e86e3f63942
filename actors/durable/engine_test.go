package durable

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math"
	"math/rand/v2"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"github.com/leasekeeper/lkactor/actors"
	"github.com/leasekeeper/lkactor/actors/lease"
	"github.com/leasekeeper/lkactor/actors/model"
	"github.com/leasekeeper/lkactor/actors/oplog"
	"github.com/leasekeeper/lkactor/sequencer/journal"
	"github.com/leasekeeper/lkactor/sequencer/journal/crashfs"
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

// A hand-over that somebody has been told of stays one, though the power fails at
// once and the clock of the machine is an hour behind when it is back (E2, E5).
func TestE2_AHandOverThatWasTold(t *testing.T) {
	system, fs := newSystem(t), crashfs.New(1)
	clock := &hand{wall: zero}
	s := mustServe(t, system, options(fs), clock)
	s.ask(t, lease.Operation{Kind: lease.Acquire, Client: "a", Lock: "L", TTL: 10e6})
	s.ask(t, lease.Operation{Kind: lease.Acquire, Client: "b", Lock: "L", TTL: 3600e9})
	events := make(told, 10)
	if _, err := s.engine.Subscribe(t.Context(), "b", "", events); err != nil {
		t.Fatal(err)
	}
	<-events
	clock.advance(10 * time.Millisecond)
	granted := <-events
	if granted.Kind != lease.EventGranted || granted.Token != 2 || granted.At != 10e6 {
		t.Fatalf("%+v", granted)
	}
	after := fs.PowerLoss(1)
	if err := s.stop(); err != nil {
		t.Fatal(err)
	}

	again := mustServe(t, system, options(after), &hand{wall: zero.Add(-time.Hour)})
	view := again.ask(t, lease.Operation{Kind: lease.Inspect, Lock: "L"})
	if got := string(oplog.AppendResult(nil, &view.Result)); got != `{"holders":[["b","exclusive",2,3600010000000]],"queue":[]}` || view.Now < 10e6 {
		t.Errorf("at %d: %s", view.Now, got)
	}
	if a := again.ask(t, lease.Operation{Kind: lease.Acquire, Client: "c", Lock: "L", TTL: 10e6}); a.Outcome != lease.Queued {
		t.Errorf("%+v", a)
	}
	if again.engine.ID() != s.engine.ID() || !again.engine.Zero().Equal(zero) {
		t.Error("another engine, or another zero")
	}
	if err := again.stop(); err != nil {
		t.Fatal(err)
	}
}

// What an engine knows it knows after a restart: leases with their ends, queues in
// order, ages, half of a ring, counters of idle locks, values, request ids; whether it
// starts from records, from a snapshot after which there are none, or from one and
// a single record after it.
func TestP1_ARestartChangesNothing(t *testing.T) {
	for snapshotAfter, name := range map[int]string{-1: "records", 9: "a snapshot", 8: "a snapshot and a record", 0: "a snapshot and records"} {
		t.Run(name, func(t *testing.T) { restartChangesNothing(t, snapshotAfter) })
	}
}

func restartChangesNothing(t *testing.T, snapshotAfter int) {
	system, fs := newSystem(t), crashfs.New(1)
	clock := &hand{wall: zero}
	s := mustServe(t, system, options(fs), clock)
	for i, op := range []lease.Operation{
		{Kind: lease.Acquire, Client: "a", Lock: "L1", TTL: 3600e9},
		{Kind: lease.Acquire, Client: "b", Lock: "L2", TTL: 3600e9},
		{Kind: lease.Acquire, Client: "b", Lock: "L1", TTL: 3600e9}, // half of a ring
		{Kind: lease.Acquire, Client: "c", Lock: "L1", TTL: 3600e9},
		{Kind: lease.Acquire, Client: "d", Lock: "idle", TTL: 1e9},
		{Kind: lease.Release, Client: "d", Lock: "idle"},
		{Kind: lease.Write, Lock: "idle", Key: "k", Value: "v", Token: 7},
		{Kind: lease.Acquire, Client: "e", Lock: "short", TTL: 1e9, ID: "once"},
		{Kind: lease.Acquire, Client: "f", Lock: "short", TTL: 1e9},
		{Kind: lease.Acquire, Client: "g", Lock: "short", TTL: 7200e9},
	} {
		s.ask(t, op)
		if i == snapshotAfter {
			durable := s.store.journal.Durable()
			if err := errors.Join(s.store.Snapshot(t.Context()), s.store.journal.ReleaseBefore(durable+1)); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := s.stop(); err != nil {
		t.Fatal(err)
	}
	// The machine was off for an hour less a second, and leases of the lock "short" have
	// ended meanwhile, each at its own instant.
	again := mustServe(t, system, options(fs), &hand{wall: zero.Add(time.Hour - time.Second)})
	for _, c := range []struct {
		op   lease.Operation
		want string
	}{
		{lease.Operation{Kind: lease.Inspect, Lock: "L1"}, `{"holders":[["a","exclusive",1,3600000000000]],"queue":[["b","exclusive"],["c","exclusive"]]}`},
		{lease.Operation{Kind: lease.Inspect, Lock: "short"}, `{"holders":[["g","exclusive",3,7202000000000]],"queue":[]}`},
		{lease.Operation{Kind: lease.Acquire, Client: "e", Lock: "short", TTL: 1e9, ID: "once"}, `["granted",1,1000000000]`},
		{lease.Operation{Kind: lease.Write, Lock: "idle", Key: "k", Value: "w", Token: 6}, `"error: stale token"`},
		{lease.Operation{Kind: lease.Read, Lock: "idle", Key: "k"}, `"v"`},
		{lease.Operation{Kind: lease.Acquire, Client: "d", Lock: "idle", TTL: 1e9}, `["granted",2,3600000000000]`},
		{lease.Operation{Kind: lease.Acquire, Client: "a", Lock: "L2", TTL: 1e9}, `["granted",2,3600000000000,["b"]]`},
		{lease.Operation{Kind: lease.Status, Client: "b"}, `{"age":null,"holds":[],"waiting":null}`},
		{lease.Operation{Kind: lease.Status, Client: "c"}, `{"age":3,"holds":[],"waiting":"L1"}`},
		{lease.Operation{Kind: lease.Status, Client: "g"}, `{"age":7,"holds":[["short","exclusive",3,7202000000000]],"waiting":null}`},
		{lease.Operation{Kind: lease.Acquire, Client: "b", Lock: "new", TTL: 1e9}, `["granted",1,3600000000000]`},
		{lease.Operation{Kind: lease.Status, Client: "b"}, `{"age":8,"holds":[["new","exclusive",1,3600000000000]],"waiting":null}`},
	} {
		a := again.ask(t, c.op)
		if got := string(oplog.AppendResult(nil, &a.Result)); got != c.want {
			t.Errorf("%v %s %s: %s, want %s", c.op.Kind, c.op.Client, c.op.Lock, got, c.want)
		}
	}
	if err := again.stop(); err != nil {
		t.Fatal(err)
	}
}

// What happens on its own after a restart is told to whoever subscribes then.
func TestE5_LeasesThatEndAfterARestart(t *testing.T) {
	system, fs := newSystem(t), crashfs.New(1)
	s := mustServe(t, system, options(fs), &hand{wall: zero})
	s.ask(t, lease.Operation{Kind: lease.Acquire, Client: "a", Lock: "L", TTL: 60e9})
	s.ask(t, lease.Operation{Kind: lease.Acquire, Client: "b", Lock: "L", TTL: 60e9})
	if err := s.stop(); err != nil {
		t.Fatal(err)
	}
	clock := &hand{wall: zero.Add(30 * time.Second)}
	again := mustServe(t, system, options(fs), clock)
	events := make(told, 10)
	if _, err := again.engine.Subscribe(t.Context(), "b", "", events); err != nil {
		t.Fatal(err)
	}
	if e := <-events; e.Kind != lease.EventCurrent || e.State.Waiting != "L" || e.State.Age != 2 {
		t.Errorf("%+v", e)
	}
	clock.advance(30 * time.Second)
	if e := <-events; e.Kind != lease.EventGranted || e.At != 60e9 || e.Until != 120e9 || e.Token != 2 {
		t.Errorf("%+v", e)
	}
	if err := again.stop(); err != nil {
		t.Fatal(err)
	}
}

// An operation whose record cannot be written is not acknowledged, and the engine
// stops accepting; a restart has everything that was acknowledged.
func TestP1_DiskTrouble(t *testing.T) {
	system := newSystem(t)
	for _, trouble := range []error{syscall.ENOSPC, syscall.EIO} {
		failures := 0
		for at := 1; ; at++ {
			fs := crashfs.New(uint64(at))
			fs.FailAt(at, trouble)
			s, err := serve(system, options(fs), &hand{wall: zero})
			var acked uint64
			if err == nil {
				acked, err = s.work(t, 120)
				if err == nil {
					if err = s.stop(); err == nil {
						break
					}
				} else if !errors.Is(err, actors.ErrJournal) {
					t.Fatalf("operation %d: %v", at, err)
				} else if _, again := s.engine.Ask(t.Context(), lease.Operation{Kind: lease.Tick}); !errors.Is(again, actors.ErrJournal) {
					t.Fatalf("operation %d: goes on after the failure: %v", at, again)
				} else if s.engine.Err() == nil || s.stop() == nil {
					t.Fatalf("operation %d: neither Err nor Close tell", at)
				}
			}
			failures++
			if !errors.Is(err, trouble) {
				t.Fatalf("operation %d: %v does not tell of %v", at, err, trouble)
			}
			r, err := Open(dir, options(fs.Kill(uint64(at))))
			if err != nil {
				t.Fatalf("operation %d: no restart: %v", at, err)
			}
			if seq, _ := r.order.Stamp(); seq < acked {
				t.Fatalf("operation %d: %d acknowledged, %d there", at, acked, seq)
			}
			if err := r.Close(); err != nil {
				t.Fatal(err)
			}
		}
		if failures < 100 {
			t.Errorf("%v: only %d operations on the file system", trouble, failures)
		}
	}
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

// Replies wait for the disk, and running does not: what comes in during a sync is run
// and becomes durable with the next.
func TestRepliesWaitForTheDisk(t *testing.T) {
	system, fs := newSystem(t), crashfs.New(1)
	o := options(fs)
	o.Journal.SegmentBytes = 1 << 20 // a new segment takes syncs of its own
	s := mustServe(t, system, o, &hand{wall: zero})
	gate := make(chan struct{})
	syncs := 0
	fs.Before(func(op crashfs.Op) {
		if op.Verb == "sync" {
			syncs++
			<-gate
		}
	})
	const callers = 100
	answered := make(chan error, callers)
	for i := range callers {
		go func() {
			_, err := s.engine.Do(context.Background(), lease.Operation{Kind: lease.Acquire, Client: fmt.Sprint(i), Lock: fmt.Sprint(i), TTL: 1e9})
			answered <- err
		}()
	}
	for { // all are run while the first record is on its way
		counts, err := s.engine.Counts(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if counts.Operations == callers {
			break
		}
		time.Sleep(time.Millisecond)
	}
	if len(answered) != 0 {
		t.Fatalf("%d answers before anything was durable", len(answered))
	}
	close(gate)
	for range callers {
		if err := <-answered; err != nil {
			t.Fatal(err)
		}
	}
	fs.Before(nil)
	if syncs > 3 { // one for what came first, one for the rest; one more if that was cut

		t.Errorf("%d syncs for %d operations that came together", syncs, callers)
	}
	if err := s.stop(); err != nil {
		t.Fatal(err)
	}
	_, _, m := history(t, fs)
	r := mustOpen(t, options(fs))
	if !bytes.Equal(recoveredBytesOf(t, r), stateBytesOf(t, r, m)) {
		t.Error("another state")
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
}

func recoveredBytesOf(t testing.TB, s *Store) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := writeState(&b, s.header, s.order); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func stateBytesOf(t testing.TB, s *Store, m *model.Model) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := writeState(&b, s.header, m.Freeze()); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// Running is ahead of the disk by no more than a bound, however much there is to do and
// however long the disk takes; what has to wait is done when there is room.
func TestRunAheadIsBounded(t *testing.T) {
	system, fs := newSystem(t), crashfs.New(1)
	o := options(fs)
	o.Journal.SegmentBytes = 32 << 20
	s := mustServe(t, system, o, &hand{wall: zero}, actors.WithDispatch(actors.Inline))
	gate, stuck := make(chan struct{}), make(chan struct{}, 1)
	fs.Before(func(op crashfs.Op) {
		if op.Verb == "sync" {
			select {
			case stuck <- struct{}{}:
			default:
			}
			<-gate
		}
	})
	const callers, each, bound = 24, 4096, 1 << 15
	answered := make(chan error, callers)
	for range callers {
		go func() {
			ops := make([]lease.Operation, each)
			for i := range ops {
				ops[i] = lease.Operation{Kind: lease.Acquire, Client: "c", Lock: "L", TTL: 1e9}
			}
			answered <- s.engine.Run(context.Background(), ops, make([]lease.Result, each))
		}()
	}
	<-stuck
	ran, calm := uint64(0), 0
	for calm < 50 || ran < bound/2 { // until nothing more is run
		counts, err := s.engine.Counts(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if calm++; counts.Operations != ran {
			ran, calm = counts.Operations, 0
		}
		time.Sleep(time.Millisecond)
	}
	if ran > bound+2*each {
		t.Errorf("%d operations were run ahead of the disk, the bound is %d", ran, bound)
	}
	if len(answered) > 0 {
		t.Error("there was an answer before anything was durable")
	}
	close(gate)
	for range callers {
		if err := <-answered; err != nil {
			t.Fatal(err)
		}
	}
	fs.Before(nil)
	if err := s.stop(); err != nil {
		t.Fatal(err)
	}
	ops, _, _ := history(t, fs)
	if len(ops)-1 != callers*each {
		t.Errorf("%d operations in the journal", len(ops)-1)
	}
}

// A stop that does not wait any longer answers those who wait for a disk that hangs. What
// they asked for may have happened all the same: the next start shows.
func TestStopWhileTheDiskHangs(t *testing.T) {
	system, fs := newSystem(t), crashfs.New(1)
	s := mustServe(t, system, options(fs), &hand{wall: zero})
	gate, stuck := make(chan struct{}), make(chan struct{}, 100)
	fs.Before(func(op crashfs.Op) {
		if op.Verb == "sync" {
			stuck <- struct{}{}
			<-gate
		}
	})
	answers := make(chan error, 2)
	go func() {
		_, err := s.engine.Do(context.Background(), lease.Operation{Kind: lease.Acquire, Client: "a", Lock: "L", TTL: 3600e9})
		answers <- err
	}()
	<-stuck
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if err := s.engine.Stop(ended); !errors.Is(err, context.Canceled) {
		t.Errorf("stop: %v", err)
	}
	if err := <-answers; !errors.Is(err, actors.ErrStopped) {
		t.Errorf("who waited got %v", err)
	}
	close(gate)
	fs.Before(nil)
	if err := s.stop(); err != nil { // which waits now
		t.Fatal(err)
	}
	again := mustServe(t, system, options(fs), &hand{wall: zero})
	if a := again.ask(t, lease.Operation{Kind: lease.Inspect, Lock: "L"}); len(a.Detail.Lock.Holders) != 1 {
		t.Errorf("%+v", a)
	}
	if err := again.stop(); err != nil {
		t.Fatal(err)
	}
}

// An engine takes a store once, and needs nothing but it: the clock is the machine's.
func TestAStoreIsTakenOnce(t *testing.T) {
	s := mustOpen(t, options(crashfs.New(1)))
	for _, want := range []error{nil, ErrTaken} {
		e, err := actors.Start(newSystem(t), actors.WithJournal(s))
		if !errors.Is(err, want) {
			t.Fatalf("%v, want %v", err, want)
		}
		if e == nil {
			continue
		}
		if wall := time.Since(e.Zero()); wall < 0 || wall > time.Hour {
			t.Errorf("zero is %v", e.Zero())
		}
		if err := e.Stop(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}
