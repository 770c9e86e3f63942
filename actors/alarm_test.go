package actors_test

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/leasekeeper/lkactor/actors"
	"github.com/leasekeeper/lkactor/actors/lease"
)

// A lease that ends while the engine takes nothing, since too much waits for the journal,
// is noticed afterwards; and the engine's timer is set for the next one all the same.
func TestTheTimerOutlivesWhatIsPutOff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log := new(heldLog)
		engine := start(t, newSystem(t), actors.WithClock(actors.SystemClock()), actors.WithJournal(log))
		log.letGo()
		told := make(chan lease.Event, 2)
		for i, ttl := range []time.Duration{time.Second, time.Minute} {
			first, next, lock := fmt.Sprint("c", i), fmt.Sprint("n", i), fmt.Sprint("L", i)
			if _, err := engine.Subscribe(t.Context(), next, "", grants(told)); err != nil {
				t.Fatal(err)
			}
			for _, op := range []lease.Operation{
				{Kind: lease.Acquire, Client: first, Lock: lock, TTL: lease.Duration(ttl)},
				{Kind: lease.Acquire, Client: next, Lock: lock, TTL: lease.MaxTTLNanoseconds},
			} {
				if _, err := engine.Do(t.Context(), op); err != nil {
					t.Fatal(err)
				}
			}
		}
		log.hold()
		ran := make(chan error, 2)
		inspects := func(n int) {
			ops := make([]lease.Operation, n)
			for i := range ops {
				ops[i] = lease.Operation{Kind: lease.Inspect, Lock: "any"}
			}
			go func() { ran <- engine.Run(t.Context(), ops, make([]lease.Result, n)) }()
			synctest.Wait()
		}
		inspects(1 << 15) // as many as may wait for a journal
		inspects(1)       // is put off
		time.Sleep(2 * time.Second)
		log.letGo()
		for range cap(ran) {
			if err := <-ran; err != nil {
				t.Fatal(err)
			}
		}
		for range cap(told) {
			select {
			case <-told:
			case <-time.After(2 * time.Minute):
				t.Fatal("a lease has ended, and nobody is told")
			}
		}
		stop(t, engine)
	})
}
