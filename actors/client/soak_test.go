package client_test

import (
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/leasekeeper/lkactor/actors/client"
	"github.com/leasekeeper/lkactor/actors/lease"
)

var soak = flag.Duration("soak", time.Second, "how long the soak on the real clock lasts")

// The random courses on the real clock, without slow lines: no two believe in leases
// that exclude each other, and neither leases nor goroutines are left.
func TestSoak(t *testing.T) {
	base := goleak.IgnoreCurrent()
	t.Run("courses", func(t *testing.T) { // so that the system is shut down before goroutines are counted
		engine := start(t)
		b := &board{leases: map[string][]*client.Lease{}, tokens: map[string]lease.Token{}, calm: true}
		var courses atomic.Int64
		var group sync.WaitGroup
		end := time.Now().Add(*soak)
		for i := range 8 {
			group.Go(func() {
				rng := rand.New(rand.NewPCG(uint64(i), 9))
				c := open(t, engine, fmt.Sprint("c", i))
				for time.Now().Before(end) && !t.Failed() {
					err := course(t, rng, c, b)
					if errors.Is(err, lease.ClientBusy) || errors.Is(err, client.ErrDeadlock) {
						t.Errorf("%v, although nothing was left of what came before", err)
					}
					courses.Add(1)
				}
				shut(t, c)
			})
		}
		group.Wait()
		for _, lock := range courseLocks {
			empty(t, engine, lock)
		}
		t.Logf("%d courses, %d grants", courses.Load(), b.grants)
		if b.grants == 0 {
			t.Error("nothing was granted")
		}
		if err := engine.Stop(t.Context()); err != nil {
			t.Fatal(err)
		}
	})
	goleak.VerifyNone(t, base)
}
