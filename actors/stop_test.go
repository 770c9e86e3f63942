package actors_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/leasekeeper/lkactor/actors"
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
