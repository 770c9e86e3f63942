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
	news := o.news
	if o.err == nil {
		for !a.letGo(o) {
		}
	} else { // the engine has failed, and there may be more to be answered than this
		a.letGoApart(*o)
		o.calls, o.then, o.news = nil, nil, nil
	}
	if a.hub != nil {
		a.hub.reuse(news)
	}
}

// letGo does that, up to the first listener that panics or ends its goroutine; it answers
// whether there was none. Such a listener has not done what the engine counts on, so the
// engine ends; but everybody else is answered first, from then on with the error.
func (a *Actor) letGo(o *outcome) (done bool) {
	defer func() {
		if done {
			return
		}
		cause := recover()
		a.fail(lease.Fault("listener", "", nil, ending(cause)))
		o.err = a.failed
		for cause == nil && !a.letGo(o) { // nothing but deferred calls is run any more
		}
	}()
	for len(o.calls) > 0 {
		c := o.calls[0]
		o.calls = o.calls[1:]
		if o.err != nil {
			c.Err = o.err
		}
		c.taken = 0
		c.Done(c)
	}
	if then := o.then; then != nil {
		o.then = nil
		then(o.err)
	}
	for len(o.news) > 0 {
		n := &o.news[0]
		o.news = o.news[1:]
		n.tell()
	}
	return true
}

// letGoApart does so where there may be several such listeners, and more to be let go
// afterwards. o is a copy, so that only this path costs an allocation.
func (a *Actor) letGoApart(o outcome) {
	apart(func() {
		for !a.letGo(&o) {
		}
	})
}

// end tells all subscribers that they are told nothing any more, and why. It may
// be called again.
func (a *Actor) end(err error) {
	if a.hub == nil {
		return
	}
	for _, s := range a.hub.everybody() {
		a.hub.remove(s)
		apart(func() { s.tellEnd(err) })
	}
}

// tellEnd is the last that the subscriber is told; should it panic, there is nothing
// left to be spoilt by that.
func (s *Subscription) tellEnd(err error) {
	defer func() { _ = recover() }()
	s.To.Tell(lease.Event{Kind: lease.EventEnded, Client: s.Client, Err: err})
}

// ending is what a turn has ended of that has not come to its end: the cause of the
// panic, or runtime.Goexit, of which recover knows nothing. A test that fails in a
// callback calls it.
func ending(cause any) any {
	if cause == nil {
		return "a callback has ended its goroutine (runtime.Goexit)"
	}
	return cause
}
