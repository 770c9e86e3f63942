package client_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/leasekeeper/lkactor/actors/client"
	"github.com/leasekeeper/lkactor/actors/lease"
)

// Clients that take the same locks in all orders run into deadlocks and get through
// all the same, at the latest in order.
func TestTransactions(t *testing.T) {
	for _, inOrder := range []bool{true, false} {
		t.Run(fmt.Sprint("in order: ", inOrder), func(t *testing.T) {
			bubble(t, func(t *testing.T, wire *line) {
				locks := []string{"A", "B", "C", "D"}
				var mu sync.Mutex
				holders := map[string]string{}
				attempts, finished := 0, 0
				var group sync.WaitGroup
				for n := range 8 {
					group.Go(func() {
						name := fmt.Sprint("w", n)
						c := open(t, wire, name)
						rng := rand.New(rand.NewPCG(uint64(n), 5))
						for range 10 {
							order := rng.Perm(len(locks))[:3]
							err := c.Transact(t.Context(), client.Terms{TTL: 5 * time.Second}, client.Retry{InOrder: inOrder}, func(tx *client.Transaction) error {
								mu.Lock()
								attempts++
								mu.Unlock()
								for _, i := range order {
									if _, err := tx.Acquire(locks[i]); err != nil {
										return err
									}
									time.Sleep(time.Duration(rng.IntN(20)) * time.Millisecond)
								}
								mu.Lock()
								for _, i := range order {
									if other := holders[locks[i]]; other != "" {
										t.Errorf("%s and %s hold %s", name, other, locks[i])
									}
									holders[locks[i]] = name
								}
								mu.Unlock()
								time.Sleep(20 * time.Millisecond)
								mu.Lock()
								for _, i := range order {
									holders[locks[i]] = ""
								}
								finished++
								mu.Unlock()
								return tx.Context().Err()
							})
							if err != nil {
								t.Errorf("%s: %v", name, err)
							}
						}
						shut(t, c)
					})
				}
				group.Wait()
				if finished != 80 || attempts == finished {
					t.Errorf("%d attempts, %d finished", attempts, finished)
				}
				t.Logf("%d attempts at 80 transactions", attempts)
				for _, lock := range locks {
					empty(t, wire.engine, lock)
				}
			})
		})
	}
}

// After an abort all locks that were asked for are taken in ascending order before the
// work begins, in the stronger mode of those asked for, and only once; and all the
// time they are kept alive.
func TestTransactionInOrder(t *testing.T) {
	for _, inOrder := range []bool{true, false} {
		bubble(t, func(t *testing.T, wire *line) {
			c := open(t, wire, "a")
			attempt := 0
			err := c.Transact(t.Context(), ten, client.Retry{InOrder: inOrder}, func(tx *client.Transaction) error {
				attempt++
				if inOrder && attempt == 2 {
					if ops, _ := wire.sent(lease.Acquire); len(ops) != 6 {
						t.Errorf("%d acquires before the second attempt begins", len(ops))
					}
				}
				for _, want := range []client.Want{{Lock: "C"}, {Lock: "A", Mode: lease.Shared}, {Lock: "B", Mode: lease.Shared}} {
					l, err := tx.AcquireMode(want.Lock, want.Mode)
					if err != nil {
						t.Fatal(err)
					}
					if l.Mode() == lease.Exclusive && want.Lock == "B" {
						t.Error("B was never asked for in that mode")
					}
				}
				if attempt == 1 {
					if _, err := tx.Acquire("A"); !errors.Is(err, lease.ClientBusy) {
						t.Error(err)
					}
					return &client.DeadlockError{}
				}
				time.Sleep(time.Hour)
				return tx.Context().Err()
			})
			if err != nil || attempt != 2 {
				t.Errorf("%d attempts: %v", attempt, err)
			}
			var again []client.Want
			ops, _ := wire.sent(lease.Acquire)
			for _, op := range ops[3:] {
				again = append(again, client.Want{Lock: op.Lock, Mode: op.Mode})
			}
			want := []client.Want{{Lock: "A"}, {Lock: "B", Mode: lease.Shared}, {Lock: "C"}}
			if !inOrder {
				want = []client.Want{{Lock: "C"}, {Lock: "A", Mode: lease.Shared}, {Lock: "B", Mode: lease.Shared}}
			}
			if !slices.Equal(again, want) {
				t.Errorf("in order %v: asked for %v", inOrder, again)
			}
			shut(t, c)
		})
	}
}

// A transaction that is aborted for good tells why, gives its locks back, and comes
// to an end with its context.
func TestTransactionGivesUp(t *testing.T) {
	bubble(t, func(t *testing.T, wire *line) {
		c := open(t, wire, "a")
		aborted := &client.DeadlockError{Lock: "x"}
		runs := 0
		work := func(tx *client.Transaction) error {
			runs++
			for range 2 { // the second time it is the same lease
				if l, err := tx.Acquire("L"); err != nil || l.Token() != lease.Token(runs) {
					t.Fatal(l, err)
				}
			}
			return aborted
		}
		if err := c.Transact(t.Context(), ten, client.Retry{Attempts: 3}, work); !errors.Is(err, client.ErrDeadlock) || runs != 3 {
			t.Errorf("%d runs: %v", runs, err)
		}
		empty(t, wire.engine, "L")
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		if err := c.Transact(ctx, ten, client.Retry{}, work); !errors.Is(err, context.DeadlineExceeded) || !errors.Is(err, client.ErrDeadlock) {
			t.Error(err)
		}
		if runs < 60 || runs > 160 { // half to all of a second between the later ones
			t.Errorf("%d runs in a minute", runs)
		}
		boom := errors.New("boom")
		begun := runs
		err := c.Transact(t.Context(), ten, client.Retry{}, func(tx *client.Transaction) error {
			runs++
			l, err := tx.AcquireMode("L", lease.Shared)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := tx.Acquire("L"); !errors.Is(err, lease.ClientBusy) {
				t.Errorf("from shared to exclusive: %v", err)
			}
			if _, err := wire.engine.Ask(t.Context(), lease.Operation{Kind: lease.Evict, Client: "a", Lock: "L"}); err != nil {
				t.Fatal(err)
			}
			<-l.Lost()
			<-tx.Context().Done()
			return boom
		})
		if !errors.Is(err, boom) || !errors.Is(err, client.ErrLost) || runs != begun+1 {
			t.Errorf("%d runs: %v", runs-begun, err)
		}
		shut(t, c)
	})
}

// A retry that makes no sense is refused before any work is done.
func TestBadRetries(t *testing.T) {
	bubble(t, func(t *testing.T, wire *line) {
		c := open(t, wire, "w")
		for _, r := range []client.Retry{{Attempts: -1}, {First: -1}, {Most: -1}} {
			err := c.Transact(t.Context(), client.Terms{TTL: time.Second}, r, func(*client.Transaction) error {
				t.Errorf("%+v: work was done", r)
				return nil
			})
			if !errors.Is(err, client.ErrTerms) {
				t.Errorf("%+v: %v", r, err)
			}
		}
	})
}
