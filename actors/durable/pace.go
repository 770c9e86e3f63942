package durable

import "runtime"

// pace lets others run every few steps of a long piece of work: an engine beside it has
// many short turns, and each would otherwise wait until the scheduler takes the
// processor away, some ten milliseconds.
type pace int

// paceSteps is for how many steps work goes on: some tens of microseconds.
const paceSteps = 128

func (p *pace) step() {
	if *p++; *p == paceSteps {
		*p = 0
		runtime.Gosched()
	}
}
