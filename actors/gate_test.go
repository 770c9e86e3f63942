package actors

import (
	"context"
	"errors"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
)

// Whatever comes and goes: there is never more inside than there is room for, one
// that is larger than the room is alone, nobody is forgotten, and whoever goes away
// leaves no trace.
func TestGateKeepsItsRoom(t *testing.T) {
	const room = 10
	g := newGate(room, false)
	var inside atomic.Int64
	var admitted, gone atomic.Int64
	var group sync.WaitGroup
	for caller := range 64 {
		group.Go(func() {
			rng := rand.New(rand.NewPCG(uint64(caller), 5))
			for range 300 {
				n := 1 + rng.IntN(4)
				if rng.IntN(50) == 0 {
					n = 2 * room
				}
				ctx, cancel := context.WithCancel(t.Context())
				switch rng.IntN(8) {
				case 0:
					cancel()
				case 1:
					go cancel()
				}
				if err := g.admit(ctx, n); err != nil {
					if !errors.Is(err, ErrOverloaded) || !errors.Is(err, context.Canceled) {
						t.Error(err)
					}
					gone.Add(1)
				} else {
					admitted.Add(1)
					if now := inside.Add(int64(n)); now > room && now != int64(n) {
						t.Errorf("%d are inside", now)
					}
					runtime.Gosched()
					inside.Add(int64(-n))
					g.leave(n)
				}
				cancel()
			}
		})
	}
	group.Wait()
	if g.state.Load() != 0 || g.waiting.Load() != 0 || len(g.line) != 0 {
		t.Errorf("%d inside, %d waiting, %d in line", g.state.Load(), g.waiting.Load(), len(g.line))
	}
	if admitted.Load() == 0 || gone.Load() == 0 {
		t.Errorf("%d were admitted, %d went away", admitted.Load(), gone.Load())
	}
}

// Who comes first is let in first, whatever room the next would need.
func TestGateIsFair(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGate(4, false)
		if err := g.admit(t.Context(), 4); err != nil {
			t.Fatal(err)
		}
		var order []int
		for _, n := range []int{4, 1, 9, 2} {
			go func() {
				if err := g.admit(t.Context(), n); err != nil {
					t.Error(err)
				}
				order = append(order, n)
			}()
			synctest.Wait()
		}
		if err := g.tryEnter(0); err != ErrOverloaded {
			t.Errorf("somebody who does not wait goes before those who do: %v", err)
		}
		for _, n := range []int{4, 4, 1, 9, 2} {
			g.leave(n)
			synctest.Wait()
		}
		if len(order) != 4 || order[0] != 4 || order[1] != 1 || order[2] != 9 || order[3] != 2 {
			t.Errorf("let in: %v", order)
		}
	})
}

// A gate that is shut turns away all who wait for it.
func TestShutGate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGate(1, false)
		if err := g.tryEnter(1); err != nil {
			t.Fatal(err)
		}
		for range 5 {
			go func() {
				if err := g.admit(t.Context(), 1); err != ErrStopped {
					t.Error(err)
				}
			}()
		}
		synctest.Wait()
		g.close()
		synctest.Wait()
		select {
		case <-g.drained:
			t.Error("drained with one inside")
		default:
		}
		g.leave(1)
		<-g.drained
	})
}

// Visitors take no room from operations, however many of these come at once; but a gate that
// is shut is not drained before they have gone, and lets no other in.
func TestVisitorsTakeNoRoom(t *testing.T) {
	g := newGate(2, true)
	for range 2 {
		if !g.visit() {
			t.Fatal("shut")
		}
	}
	if err := g.tryEnter(3); err != nil {
		t.Errorf("more than there is room for, by themselves: %v", err)
	}
	g.leave(3)
	if err := g.tryEnter(2); err != nil {
		t.Errorf("as many as there is room for: %v", err)
	}
	if err := g.tryEnter(1); err != ErrOverloaded {
		t.Errorf("one too many: %v", err)
	}
	g.part()
	g.close()
	g.leave(2)
	select {
	case <-g.drained:
		t.Error("drained with a visitor inside")
	default:
	}
	if g.visit() {
		t.Error("a visit to a gate that is shut")
	}
	g.part()
	<-g.drained
}

// Somebody who leaves calls who has just got in line, before that one looks by itself
// whether there is room: it finds the call there and goes in.
func TestGateCallsWhoJustCame(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGate(1, false)
		if err := g.admit(t.Context(), 1); err != nil {
			t.Fatal(err)
		}
		call := g.join()
		g.leave(1)
		g.callFirst() // would block here, and for good, if a second call had to be heard
		<-call
		if err := g.squeeze(1); err != nil {
			t.Error(err)
		}
		g.giveWay(call)
		if err := g.tryEnter(1); !errors.Is(err, ErrOverloaded) {
			t.Error(err)
		}
		g.leave(1)
	})
}
