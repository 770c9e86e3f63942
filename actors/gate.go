package actors

import (
	"context"
	"fmt"
	"math"
	"sync"
	"sync/atomic"

	"github.com/leasekeeper/lkactor/actors/client"
)

// ErrOverloaded is matched by the error of operations that an engine did not take,
// since as many as it keeps waited to be handled already. They have no effect.
var ErrOverloaded = client.ErrOverloaded

// gate counts the operations inside and lets in no more than it has room for. Visitors,
// who are none, come in as well and take no room: timers for a moment, and questions about
// the engine itself. It can be shut: from then on nobody comes in, and whoever waits for it
// learns when the last has left.
type gate struct {
	state     atomic.Int64 // how many operations are inside, plus visitor for each of those, plus shut
	room      int64
	impatient bool // nobody waits for room
	drained   chan struct{}
	once      sync.Once

	// Those who wait for room, the first at the front. waiting is their number, so
	// that leaving costs nothing while there are none.
	waiting atomic.Int64
	mu      sync.Mutex
	line    []chan struct{}
}

const (
	visitor = 1 << 32 // no number of operations comes near it
	shut    = 1 << 60 // is added to the state of a closed gate
)

func newGate(room int, impatient bool) *gate {
	if room == 0 { // no limit
		room = math.MaxInt64 >> 1
	}
	return &gate{room: int64(room), impatient: impatient, drained: make(chan struct{})}
}

// visit lets a visitor in unless the gate is shut.
func (g *gate) visit() bool {
	if g.state.Add(visitor) < shut {
		return true
	}
	g.part()
	return false
}

// part undoes a visit.
func (g *gate) part() {
	if g.state.Add(-visitor) == shut {
		g.empty()
	}
}

// tryEnter lets n in if there is room for them now; more than there ever is room for
// only by themselves.
func (g *gate) tryEnter(n int) error {
	if g.waiting.Load() > 0 {
		return ErrOverloaded // whoever waits goes first
	}
	return g.squeeze(n)
}

// squeeze lets n in if there is room, whoever waits.
func (g *gate) squeeze(n int) error {
	for {
		state := g.state.Load()
		inside := state & (visitor - 1)
		switch {
		case state >= shut:
			return ErrStopped
		case inside+int64(n) > g.room && inside != 0:
			return ErrOverloaded
		}
		if g.state.CompareAndSwap(state, state+int64(n)) {
			return nil
		}
	}
}

// admit lets n in, as soon as there is room and as long as ctx lasts.
func (g *gate) admit(ctx context.Context, n int) error {
	err := g.tryEnter(n)
	if err == nil || err == ErrStopped || g.impatient {
		return err
	}
	call := g.join()
	g.callFirst() // whoever left before somebody was in the line has called nobody
	defer g.giveWay(call)
	for {
		select {
		case <-call:
			if err := g.squeeze(n); err != ErrOverloaded {
				return err
			}
		case <-ctx.Done():
			return fmt.Errorf("%w: %w", ErrOverloaded, ctx.Err())
		}
	}
}

// join goes to the end of the line. Who is first in it may be called from then on, by
// several at once: a call is kept, and none of them waits for it to be heard.
func (g *gate) join() chan struct{} {
	call := make(chan struct{}, 1)
	g.mu.Lock()
	defer g.mu.Unlock()
	g.line = append(g.line, call)
	g.waiting.Add(1)
	return call
}

// giveWay leaves the line and calls whoever is first now.
func (g *gate) giveWay(call chan struct{}) {
	g.mu.Lock()
	for i, c := range g.line {
		if c == call {
			g.line = append(g.line[:i], g.line[i+1:]...)
			break
		}
	}
	g.waiting.Add(-1)
	g.mu.Unlock()
	g.callFirst()
}

// callFirst has the first in the line look whether there is room.
func (g *gate) callFirst() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if len(g.line) > 0 {
		select {
		case g.line[0] <- struct{}{}:
		default: // it has been called already
		}
	}
}

// leave says that n that were let in are done.
func (g *gate) leave(n int) {
	if g.state.Add(int64(-n)) == shut {
		g.empty()
	}
	if g.waiting.Load() > 0 {
		g.callFirst()
	}
}

// close shuts the gate; it must be called once only. Nobody waits for room any more.
func (g *gate) close() {
	if g.state.Add(shut) == shut {
		g.empty()
	}
	g.callFirst() // who calls the next when it leaves the line
}

// empty may come about again, by those who look in on a shut gate.
func (g *gate) empty() { g.once.Do(func() { close(g.drained) }) }
