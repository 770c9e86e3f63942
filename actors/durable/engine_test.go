package durable

import (
	"context"
	"errors"
	"syscall"
	"testing"
	"time"

	"github.com/leasekeeper/lkactor/actors"
	"github.com/leasekeeper/lkactor/actors/client"
	"github.com/leasekeeper/lkactor/actors/lease"
	"github.com/leasekeeper/lkactor/actors/oplog"
	"github.com/leasekeeper/lkactor/sequencer/journal/crashfs"
)

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

// A job whose process has died finds its leases again, under their tokens, and one that
// waits learns that the engine's disk has failed.
func TestClientsOfADurableEngine(t *testing.T) {
	system, fs := newSystem(t), crashfs.New(1)
	s := mustServe(t, system, options(fs), actors.SystemClock())
	open := func(name string) *client.Client {
		c, err := client.Open(t.Context(), s.engine, name)
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	held, err := open("etl-a").Acquire(t.Context(), "exports/daily", client.Terms{TTL: time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	left := fs.Kill(1) // as it is when the process dies now
	waiter := open("etl-b")
	refused := make(chan error)
	go func() {
		_, err := waiter.Acquire(context.Background(), "exports/daily", client.Terms{TTL: time.Hour})
		refused <- err
	}()
	for counts := uint64(0); counts < 2; { // until it waits
		c, err := s.engine.Counts(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		counts = c.Operations
	}
	fs.FailAt(fs.Ops()+1, syscall.EIO)
	if _, err := s.engine.Do(t.Context(), lease.Operation{Kind: lease.Bump, Lock: "other", Token: 1}); !errors.Is(err, syscall.EIO) {
		t.Errorf("%v", err)
	}
	if err := <-refused; !errors.Is(err, actors.ErrJournal) && !errors.Is(err, actors.ErrStopped) {
		t.Errorf("who waits is told: %v", err)
	}
	_ = s.stop() // it tells of the disk again

	s = mustServe(t, system, options(left), actors.SystemClock())
	again, err := open("etl-a").Resume(t.Context(), client.Terms{TTL: time.Hour})
	if err != nil || len(again) != 1 || again[0].Lock() != "exports/daily" || again[0].Token() != held.Token() {
		t.Fatal(again, err)
	}
	if err := again[0].Release(t.Context()); err != nil {
		t.Error(err)
	}
	if err := s.stop(); err != nil {
		t.Fatal(err)
	}
}
