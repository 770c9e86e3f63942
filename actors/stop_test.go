package actors_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/leasekeeper/lkactor/actors"
	"github.com/leasekeeper/lkactor/actors/client"
	"github.com/leasekeeper/lkactor/actors/lease"
	"github.com/leasekeeper/lkactor/sequencer"
)

// What comes between an engine's last operation and its end finds actors that are
// gone already, and must not wait for them: neither a sweep that is due nor requests
// by other actors.
func TestStopAmidMessages(t *testing.T) {
	const rounds = 20
	system := newSystem(t)
	for round := range rounds {
		engine := start(t, system, actors.WithDispatch(actors.OwnGoroutine), actors.WithIdle(actors.MinIdle))
		for i := range 200 {
			name := fmt.Sprint(i)
			for _, kind := range []lease.Kind{lease.Acquire, lease.Release} {
				if _, err := engine.Do(t.Context(), lease.Operation{Kind: kind, Client: name, Lock: name, TTL: 60}); err != nil {
					t.Fatal(err)
				}
			}
		}
		done := make(chan struct{})
		var flood sync.WaitGroup
		flood.Go(func() {
			for n := 0; ; n++ {
				select {
				case <-done:
					return
				default:
					system.Root.Send(engine.PID(), &sequencer.Sweep{})
					system.Root.Send(engine.PID(), &sequencer.Request{Op: lease.Operation{
						Kind: lease.Acquire, Client: "late", Lock: fmt.Sprint(n % 200), TTL: 60}})
					time.Sleep(10 * time.Microsecond)
				}
			}
		})
		time.Sleep(time.Duration(round) * 50 * time.Microsecond)
		ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
		if err := engine.Stop(ctx); err != nil {
			t.Fatalf("round %d: %v", round, err)
		}
		cancel()
		close(done)
		flood.Wait()
	}
}

// A callback that blocks keeps nobody beyond a context of their own: not Stop, and not a
// caller. Who has none, or is told later, is answered when the callback goes on, once and
// as stopped: nothing is begun any more, nor the rest of what was in hand.
func TestStopAmidACallbackThatBlocks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		engine, goOn := stalled(t, 10, actors.WithBatchLimits(func() int { return 1 }))
		var answers [4]atomic.Int32
		var errs [4]error
		patient := func(i int) {
			go func() {
				ops := []lease.Operation{
					live0(lease.Acquire, fmt.Sprint("c", i), fmt.Sprint("L", i)),
					live0(lease.Release, fmt.Sprint("c", i), fmt.Sprint("L", i)),
				}
				errs[i] = engine.Run(context.Background(), ops, make([]lease.Result, len(ops)))
				answers[i].Add(1)
			}()
			synctest.Wait()
		}
		patient(0) // serves the engine, and is the one that is stuck
		patient(1)
		for i := 2; i < 4; i++ {
			err := engine.Submit(t.Context(), live0(lease.Acquire, fmt.Sprint("c", i), fmt.Sprint("L", i)), func(a client.Answer) {
				errs[i] = a.Err
				answers[i].Add(1)
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		within := func(what string, d time.Duration, do func(context.Context) error) {
			t.Helper()
			ctx, cancel := context.WithTimeout(t.Context(), d)
			defer cancel()
			begin := time.Now()
			if err := do(ctx); !errors.Is(err, context.DeadlineExceeded) || time.Since(begin) != d {
				t.Errorf("%s: %v after %v, want %v", what, err, time.Since(begin), d)
			}
		}
		ask := func(ctx context.Context) error {
			_, err := engine.Do(ctx, live0(lease.Inspect, "", "L0"))
			return err
		}
		within("a caller", time.Second, ask)
		within("Stop", time.Minute, engine.Stop)
		within("Stop again", time.Second, engine.Stop)
		if err := ask(t.Context()); !errors.Is(err, actors.ErrStopped) {
			t.Errorf("who comes later: %v", err)
		}
		for i := range answers {
			if n := answers[i].Load(); n != 0 {
				t.Errorf("call %d: %d answers while the callback blocks", i, n)
			}
		}
		goOn()
		if err := engine.Stop(t.Context()); err != nil {
			t.Error(err)
		}
		synctest.Wait()
		for i := range answers {
			if n := answers[i].Load(); n != 1 || !errors.Is(errs[i], actors.ErrStopped) {
				t.Errorf("call %d: %d answers, the last %v", i, n, errs[i])
			}
		}
	})
}
