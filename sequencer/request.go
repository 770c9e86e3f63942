package sequencer

import "github.com/leasekeeper/lkactor/actors/lease"

// Request is an operation sent by one actor to the PID of an engine. The sender
// gets a *Reply; a request without a sender is handled all the same.
type Request struct {
	Op lease.Operation
	// Instance is who asks in the name of the operation's client, if that is an
	// instance of it that subscribes to its events (see Subscription).
	Instance string
}

// Reply answers a *Request.
type Reply struct {
	Result lease.Result
	// Stamp is the place of the operation in the engine's order.
	lease.Stamp
	// Err is set where the engine could not handle the operation at all; that an
	// operation was refused is a result.
	Err error
}

// Look asks for the sequencer's counts. The channel must have room for them.
type Look struct{ Counts chan<- Counts }

func (a *Actor) request(m *Request) {
	if m == nil {
		return
	}
	sender := a.ctx.Sender()
	if err := a.mayAct(m); err != nil {
		a.leave()
		if sender != nil {
			a.ctx.Send(sender, &Reply{Err: err})
		}
		return
	}
	a.take([]*Call{{
		Ops:     []lease.Operation{m.Op},
		Results: make([]lease.Result, 1),
		Stamps:  make([]lease.Stamp, 1),
		Done: func(c *Call) {
			a.leave()
			if sender != nil {
				a.ctx.Send(sender, a.reply(c))
			}
		},
	}})
}

// mayAct tells whether whoever sent the request may act for its client. What
// operators do, and looking, is open to everybody.
func (a *Actor) mayAct(m *Request) error {
	switch m.Op.Kind {
	case lease.Acquire, lease.Renew, lease.Release:
		if a.hub != nil {
			return a.hub.admit(m.Op.Client, m.Instance)
		}
	}
	return nil
}

// reply is the answer of a request's call.
func (a *Actor) reply(c *Call) *Reply {
	if c.Err == nil {
		return &Reply{Result: c.Results[0], Stamp: c.Stamps[0]}
	}
	if a.Explain == nil {
		return &Reply{Err: c.Err}
	}
	return &Reply{Err: a.Explain(c.Err)}
}

// leave says that a request has been answered.
func (a *Actor) leave() {
	if a.Left != nil {
		a.Left()
	}
}
