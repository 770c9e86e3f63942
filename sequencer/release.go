package sequencer

import "github.com/leasekeeper/lkactor/actors/lease"

// outcome is what one intake leads to outside of the engine: the answers of the
// calls it has finished, and what subscribers are told of it. Nothing of it is
// known to anybody before its release.
type outcome struct {
	calls []*Call
	news  []news
	then  func(error) // likewise, of an answer of another kind; nil for none
	err   error       // instead of the answers
}

// release lets an outcome out of the engine, on the sequencer's turn. Outcomes are
// released in the order of their intakes, answers before events: who is told of a
// hand-over by a message has had the answer of its acquire by then.
func (a *Actor) release(o *outcome) {
	for _, c := range o.calls {
		if o.err != nil {
			c.Err = o.err
		}
		c.taken = 0
		c.Done(c)
	}
	if o.then != nil {
		o.then(o.err)
	}
	for i := range o.news {
		o.news[i].tell()
	}
	if a.hub != nil {
		a.hub.reuse(o.news)
	}
}

// end tells all subscribers that they are told nothing any more, and why. It may
// be called again.
func (a *Actor) end(err error) {
	if a.hub == nil {
		return
	}
	for _, s := range a.hub.everybody() {
		a.hub.remove(s)
		s.To.Tell(lease.Event{Kind: lease.EventEnded, Client: s.Client, Err: err})
	}
}
