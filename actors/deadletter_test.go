package actors_test

import (
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"github.com/leasekeeper/lkactor/actors"
	"github.com/leasekeeper/lkactor/actors/lease"
)

// An engine that stops, whenever that is, sends nothing to actors that are no more.
func TestStopLeavesNoDeadLetters(t *testing.T) {
	var dead atomic.Int64
	system := newSystem(t)
	system.EventStream.Subscribe(func(m any) {
		if letter, ok := m.(*actor.DeadLetterEvent); ok {
			t.Logf("%T to %v", letter.Message, letter.PID)
			dead.Add(1)
		}
	})
	for round := range 150 {
		log := new(heldLog)
		options := []actors.Option{actors.WithClock(actors.SystemClock()), actors.WithDispatch(dispatches[round%3]), actors.WithIdle(time.Millisecond)}
		if round%2 == 0 {
			options = append(options, actors.WithJournal(log))
			log.free = true
		}
		engine := start(t, system, options...)
		for i := range 20 {
			if _, err := engine.Do(t.Context(), live0(lease.Acquire, "a", fmt.Sprint("L", i))); err != nil {
				t.Fatal(err)
			}
			if _, err := engine.Do(t.Context(), live0(lease.Release, "a", fmt.Sprint("L", i))); err != nil {
				t.Fatal(err)
			}
		}
		time.Sleep(time.Duration(round%30) * 100 * time.Microsecond)
		if err := engine.Stop(t.Context()); err != nil {
			t.Fatal(err)
		}
		if n := dead.Swap(0); n > 0 {
			t.Errorf("round %d: %d dead letters", round, n)
		}
	}
}
