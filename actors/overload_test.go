package actors_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	sdk "go.opentelemetry.io/otel/sdk/metric"

	"github.com/leasekeeper/lkactor/actors"
	"github.com/leasekeeper/lkactor/actors/client"
	"github.com/leasekeeper/lkactor/actors/lease"
)

// stalled gives an engine with room for so many operations that handles none, from
// the first on, until go on is called.
func stalled(t *testing.T, room int, options ...actors.Option) (engine *actors.Engine, goOn func()) {
	var once sync.Once
	held := make(chan struct{})
	engine = start(t, newSystem(t), append(options, actors.WithClock(actors.SystemClock()), actors.WithLimits(actors.Limits{Operations: room}),
		actors.WithWatch(func(*lease.Effect) { <-held }))...)
	return engine, func() { once.Do(func() { close(held) }) }
}

// Callers wait for room as long as their context lasts; what found no room has no
// effect, and what did is answered.
func TestOverload(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		engine, goOn := stalled(t, 3)
		var group sync.WaitGroup
		for i := range 3 {
			group.Go(func() {
				if r, err := engine.Do(t.Context(), live0(lease.Acquire, "a", fmt.Sprint("L", i))); err != nil || r.Outcome != lease.Granted {
					t.Errorf("%+v, %v", r, err)
				}
			})
			synctest.Wait()
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_, err := engine.Do(ctx, live0(lease.Acquire, "b", "M"))
		if !errors.Is(err, actors.ErrOverloaded) || !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("no room: %v", err)
		}
		done := func(client.Answer) { t.Error("answered") }
		if err := engine.Submit(ctx, live0(lease.Acquire, "b", "M"), done); err == nil {
			t.Error("Submit found room")
		}
		group.Go(func() { // this one has patience
			if _, err := engine.Do(t.Context(), live0(lease.Inspect, "", "L0")); err != nil {
				t.Error(err)
			}
		})
		synctest.Wait()
		goOn()
		group.Wait()
		counts, err := engine.Counts(t.Context())
		if err != nil || counts.Operations != 4 {
			t.Errorf("%d operations, %v", counts.Operations, err)
		}
		if err := engine.Stop(t.Context()); err != nil {
			t.Fatal(err)
		}
	})
}

// live0 is an operation for an engine with a clock.
func live0(kind lease.Kind, client, lock string) lease.Operation {
	return lease.Operation{Kind: kind, Client: client, Lock: lock, TTL: lease.Duration(time.Second)}
}

// Actors cannot wait for room: they are told at once, as callers are who do not want
// to wait.
func TestOverloadAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		engine, goOn := stalled(t, 2, actors.WithoutWaiting())
		var group sync.WaitGroup
		for i := range 2 {
			group.Go(func() {
				if _, err := engine.Do(t.Context(), live0(lease.Acquire, "a", fmt.Sprint("L", i))); err != nil {
					t.Error(err)
				}
			})
			synctest.Wait()
		}
		if _, err := engine.Do(t.Context(), live0(lease.Acquire, "b", "M")); !errors.Is(err, actors.ErrOverloaded) {
			t.Errorf("no room: %v", err)
		}
		goOn()
		group.Wait()
		if err := engine.Stop(t.Context()); err != nil {
			t.Fatal(err)
		}
	})
	synctest.Test(t, func(t *testing.T) {
		held := make(chan struct{})
		system := newSystem(t)
		engine := start(t, system, actors.WithClock(actors.SystemClock()), actors.WithLimits(actors.Limits{Operations: 2}),
			actors.WithWatch(func(*lease.Effect) { <-held }))
		j, pid := hire(system, engine)
		for i := range 3 {
			system.Root.Send(pid, request(lease.Acquire, "a", fmt.Sprint("L", i), ""))
			synctest.Wait()
		}
		j.want(t, "reply: "+actors.ErrOverloaded.Error())
		close(held)
		j.want(t, "reply 1: token 1, position 0; reply 2: token 1, position 0")
		if err := engine.Stop(t.Context()); err != nil {
			t.Fatal(err)
		}
		system.Root.Send(pid, request(lease.Acquire, "a", "L", ""))
		synctest.Wait()
		time.Sleep(time.Minute)
	})
}

// Stops at the same time end each with its own context, and what was accepted is
// answered.
func TestStopsTogether(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		engine, goOn := stalled(t, 10)
		var group sync.WaitGroup
		group.Go(func() {
			if _, err := engine.Do(t.Context(), live0(lease.Acquire, "a", "L")); err != nil {
				t.Errorf("accepted before the stop: %v", err)
			}
		})
		synctest.Wait()
		group.Go(func() {
			if err := engine.Stop(t.Context()); err != nil {
				t.Error(err)
			}
		})
		group.Go(func() {
			if err := engine.Stop(t.Context()); err != nil {
				t.Error(err)
			}
		})
		synctest.Wait()
		if _, err := engine.Do(t.Context(), live0(lease.Acquire, "b", "L")); !errors.Is(err, actors.ErrStopped) {
			t.Errorf("after the stop: %v", err)
		}
		goOn()
		group.Wait()
	})
	synctest.Test(t, func(t *testing.T) {
		engine, goOn := stalled(t, 10)
		var group sync.WaitGroup
		for i := range 3 {
			group.Go(func() {
				_, err := engine.Do(t.Context(), live0(lease.Acquire, "a", fmt.Sprint("L", i)))
				if err != nil && !errors.Is(err, actors.ErrStopped) {
					t.Error(err)
				}
			})
		}
		synctest.Wait()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		begin := time.Now()
		if err := engine.Stop(ctx); !errors.Is(err, context.DeadlineExceeded) || time.Since(begin) != time.Second {
			t.Errorf("Stop: %v after %v", err, time.Since(begin))
		}
		goOn()
		if err := engine.Stop(t.Context()); err != nil {
			t.Error(err)
		}
		group.Wait()
	})
}

// A request that an ending engine no longer handles is answered all the same.
func TestRequestsAtTheEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		held := make(chan struct{})
		system := newSystem(t)
		engine := start(t, system, actors.WithClock(actors.SystemClock()), actors.WithWatch(func(*lease.Effect) { <-held }))
		j, pid := hire(system, engine)
		for i := range 5 {
			system.Root.Send(pid, request(lease.Acquire, "a", fmt.Sprint("L", i), ""))
		}
		synctest.Wait()
		ended, cancel := context.WithCancel(t.Context())
		cancel()
		if err := engine.Stop(ended); err == nil {
			t.Error("stopped while it was busy")
		}
		close(held)
		if err := engine.Stop(t.Context()); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		j.mu.Lock()
		if len(j.lines) != 5 {
			t.Errorf("5 requests, answers: %q", j.lines)
		}
		for i, line := range j.lines {
			if i > 0 && line != "reply: "+actors.ErrStopped.Error() {
				t.Errorf("answer %d: %s", i, line)
			}
		}
		j.mu.Unlock()
		time.Sleep(time.Minute)
	})
}

// Who runs an engine can see that it has no room: how often in its metrics, and in its log
// in one line a second at most.
func TestOverloadIsSeen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		reader := sdk.NewManualReader()
		meter := sdk.NewMeterProvider(sdk.WithReader(reader)).Meter("test")
		system, held := newSystem(t), make(chan struct{})
		engine := start(t, system, actors.WithClock(actors.SystemClock()), actors.WithLimits(actors.Limits{Operations: 2}),
			actors.WithWatch(func(*lease.Effect) { <-held }), actors.WithoutWaiting(),
			actors.WithMeter(meter), actors.WithLogger(slog.New(slog.NewTextHandler(&log, nil))))
		var group sync.WaitGroup
		for i := range 2 {
			group.Go(func() {
				if _, err := engine.Do(t.Context(), live0(lease.Acquire, "a", fmt.Sprint("L", i))); err != nil {
					t.Error(err)
				}
			})
			synctest.Wait()
		}
		for range 5 {
			if _, err := engine.Do(t.Context(), live0(lease.Inspect, "", "L")); !errors.Is(err, actors.ErrOverloaded) {
				t.Error(err)
			}
			if err := engine.Run(t.Context(), make([]lease.Operation, 2), make([]lease.Result, 2)); !errors.Is(err, actors.ErrOverloaded) {
				t.Error(err)
			}
			system.Root.Send(engine.PID(), request(lease.Inspect, "", "L", ""))
		}
		close(held)
		group.Wait()
		time.Sleep(time.Second) // and not longer: a timer of the engine's own comes now, and takes no room
		if err := engine.Run(t.Context(), make([]lease.Operation, 3), make([]lease.Result, 3)); err != nil {
			t.Error(err) // more than there ever is room for, by themselves
		}
		if got := collect(t, reader); !slices.Contains(got, "operations.refused 20") {
			t.Errorf("metrics: %q", got)
		}
		if err := engine.Stop(t.Context()); err != nil {
			t.Fatal(err)
		}
		if strings.Count(log.String(), "msg=overloaded") != 1 || !strings.Contains(log.String(), "refused=20 total=20 room=2") {
			t.Errorf("log: %s", log.String())
		}
		time.Sleep(time.Minute) // for what Proto.Actor has going on about dead letters
	})
}
