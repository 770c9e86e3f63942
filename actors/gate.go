package actors

import (
	"sync"
	"sync/atomic"
)

// gate counts who is inside and can be shut: from then on nobody comes in, and
// whoever waits for it learns when the last has left.
type gate struct {
	state   atomic.Int64 // how many are inside, plus shut
	drained chan struct{}
	once    sync.Once
}

// shut is added to the state of a closed gate; no count comes near it.
const shut = 1 << 40

func newGate() *gate { return &gate{drained: make(chan struct{})} }

// enter lets the caller in unless the gate is shut.
func (g *gate) enter() bool {
	if g.state.Add(1) < shut {
		return true
	}
	g.leave()
	return false
}

// leave undoes an enter.
func (g *gate) leave() {
	if g.state.Add(-1) == shut {
		g.empty()
	}
}

// close shuts the gate; it must be called once only.
func (g *gate) close() {
	if g.state.Add(shut) == shut {
		g.empty()
	}
}

// empty may come about again, by those who look in on a shut gate.
func (g *gate) empty() { g.once.Do(func() { close(g.drained) }) }
