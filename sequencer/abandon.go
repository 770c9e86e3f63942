package sequencer

import "github.com/leasekeeper/lkactor/actors/lease"

// Abandon has the sequencer take from a client what it waits for and, if Leases,
// what it holds, by operations like any other: after all that was sent before it. Done
// is called once, when that has been released from the engine.
type Abandon struct {
	Client string
	Leases bool
	Done   func(given []lease.Result, err error)
}

// Abandon is the message of that name, on the sequencer's turn.
func (a *Actor) Abandon(m *Abandon) {
	if m == nil || m.Done == nil {
		return
	}
	a.take([]*Call{{
		plan: func() ([]lease.Operation, error) { return a.abandons(m) },
		Done: func(c *Call) { m.Done(c.Results, c.Err) },
	}})
}

// abandons gives the operations. A lease is released by its token: should this
// take more than one intake, what the client has acquired meanwhile stays.
func (a *Actor) abandons(m *Abandon) (ops []lease.Operation, err error) {
	state, _, err := a.look(m.Client)
	if err != nil {
		return nil, err
	}
	if state.Waiting != "" {
		ops = append(ops, lease.Operation{Kind: lease.Release, Client: m.Client, Lock: state.Waiting})
	}
	if !m.Leases {
		return ops, nil
	}
	for _, h := range state.Holds {
		ops = append(ops, lease.Operation{Kind: lease.Release, Client: m.Client, Lock: h.Lock, Expect: h.Token})
	}
	return ops, nil
}

// look gives how a client stands, and the number of the last operation.
func (a *Actor) look(client string) (state *lease.ClientView, seq uint64, err error) {
	switch {
	case a.hub == nil:
		return nil, 0, ErrNoClock
	case a.failed != nil:
		return nil, 0, a.failed
	}
	defer func() {
		if cause := recover(); cause != nil {
			a.fail(lease.Fault("sequencer", "", nil, cause))
			err = a.failed
		}
	}()
	code := lease.OK
	state, code, err = a.order.View(client)
	if err != nil {
		a.fail(err)
		return nil, 0, err
	}
	if code != lease.OK { // the name is none
		return nil, 0, code
	}
	seq, _ = a.order.Stamp()
	return state, seq, nil
}
