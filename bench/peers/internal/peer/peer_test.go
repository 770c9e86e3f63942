package peer_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"testing/synctest"

	"github.com/leasekeeper/lkactor/bench/peers/internal/peer"
)

// TestShardsAreFair lets several wait, one of whom gives up: the others get the
// lock in the order in which they came.
func TestShardsAreFair(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		table := peer.NewShards()
		client := func() peer.Client {
			c, err := table.Open(t.Context(), "L")
			if err != nil {
				t.Fatal(err)
			}
			return c
		}
		holder := client()
		if err := holder.Acquire(t.Context()); err != nil {
			t.Fatal(err)
		}
		var order []int
		impatient, giveUp := context.WithCancel(t.Context())
		for i := range 5 {
			go func() {
				c := client()
				if i == 2 {
					if err := c.Acquire(impatient); !errors.Is(err, context.Canceled) {
						t.Errorf("who gives up gets %v", err)
					}
					return
				}
				if err := c.Acquire(t.Context()); err != nil {
					t.Error(err)
				}
				order = append(order, i)
				c.Release(t.Context())
			}()
			synctest.Wait() // each queues before the next one comes
		}
		giveUp()
		synctest.Wait()
		holder.Release(t.Context())
		synctest.Wait()
		if !slices.Equal(order, []int{0, 1, 3, 4}) {
			t.Errorf("the order is %v", order)
		}
	})
}

// An engine with a journal does the same cycle, and has a lock that was not given back
// when it is started again.
func TestTheJournalOutlivesTheEngine(t *testing.T) {
	dir := t.TempDir()
	for round := range 2 {
		e, err := peer.NewDurable(dir)
		if err != nil {
			t.Fatal(err)
		}
		c, err := e.Open(t.Context(), "L")
		if err != nil {
			t.Fatal(err)
		}
		if round == 1 { // the client has what it had, and an acquire would be busy
			if err := c.Release(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		if err := c.Acquire(t.Context()); err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(c.Close(), e.Close()); err != nil {
			t.Fatal(err)
		}
	}
}
