package sequencer

// Sweep has the sequencer take the seats of idle locks and clients. It orders one
// after it has worked, and another as long as one has found seats in use; an
// engine that does nothing is not woken.
type Sweep struct{}

// sweepStep is how many seats are looked at in one turn, so that a sweep does not
// hold up operations for long.
const sweepStep = 256

// sweep goes on with a sweep, one step at a time. A sweep of very many seats takes as much of
// the sequencer as a storm of lapses does, and whoever comes between its steps would have
// half of it; so where somebody has, the next step waits a little.
func (a *Actor) sweep() {
	if a.failed != nil {
		return
	}
	if a.left == 0 {
		a.left, a.used = a.order.Seats(), false
	}
	step := min(a.left, sweepStep)
	used, err := a.order.Sweep(step)
	if err != nil {
		a.fail(err)
		return
	}
	a.left, a.used = a.left-step, a.used || used
	seq, _ := a.order.Stamp()
	others := seq != a.swept
	a.swept = seq
	switch {
	case a.left > 0 && others:
		a.GiveWay()
	case a.left > 0:
		a.ctx.Send(a.ctx.Self(), &Sweep{})
	case a.used:
		a.Later()
	default:
		a.locks.disband()
		a.clients.disband()
		a.sweeping = false
	}
}
