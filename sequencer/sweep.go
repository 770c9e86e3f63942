package sequencer

// Sweep has the sequencer take the seats of idle locks and clients. It orders one
// after it has worked, and another as long as one has found seats in use; an
// engine that does nothing is not woken.
type Sweep struct{}

// sweepStep is how many seats are looked at in one turn, so that a sweep does not
// hold up operations for long.
const sweepStep = 256

// sweep goes on with a sweep, one step at a time.
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
	switch {
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
