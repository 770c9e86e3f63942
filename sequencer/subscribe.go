package sequencer

import (
	"errors"
	"fmt"

	"github.com/leasekeeper/lkactor/actors/lease"
)

// ErrNoClock refuses a subscription to an engine without a clock, in which nothing
// happens by itself.
var ErrNoClock = errors.New("no events without a clock")

// ErrClientInUse refuses one instance of a client while another one has it.
var ErrClientInUse = errors.New("client is in use by another instance")

// View gives how a client stands as of the last operation; a code if the name is
// none. Only between intakes.
func (q *Sequencer) View(client string) (*lease.ClientView, lease.Code, error) {
	op := lease.Operation{Kind: lease.Status, Client: client}
	if code := op.Check(q.dialect); code != lease.OK {
		return nil, code, nil
	}
	var result lease.Result
	if err := q.status(&op, &result); err != nil {
		return nil, lease.OK, err
	}
	if err := q.flush(); err != nil {
		return nil, lease.OK, err
	}
	return result.Detail.Client, lease.OK, nil
}

// Subscribe enters a subscription, on the sequencer's turn. What it is told first
// may not be known outside yet, so it is released like the outcome of an intake.
func (a *Actor) Subscribe(s *Subscription) {
	if s == nil || s.To == nil || s.Done == nil {
		return
	}
	state, seq, err := a.look(s.Client)
	if err == nil {
		err = a.entry.admitSubscriber(s, a.hub.subscribers)
	}
	if err == nil && s.Instance != "" { // anybody may look on
		err = a.hub.admit(s.Client, s.Instance)
	}
	s.Done(err)
	if err != nil {
		return
	}
	a.hub.add(s, state, seq)
	a.letOut(outcome{news: a.hub.collect()}, 0, 0)
}

// Refresh tells a subscriber anew how its client stands, on the sequencer's turn.
func (a *Actor) Refresh(s *Subscription) {
	state, seq, err := a.look(s.Client)
	if err != nil || s.ended {
		return
	}
	a.hub.introduce(s, state, seq)
	a.letOut(outcome{news: a.hub.collect()}, 0, 0)
}

// Unsubscribe ends a subscription, on the sequencer's turn; twice is harmless.
func (a *Actor) Unsubscribe(s *Subscription) {
	if s != nil && a.hub != nil {
		a.hub.remove(s)
	}
}

// admit tells whether an instance may act for a client.
func (h *hub) admit(client, instance string) error {
	for _, s := range h.audiences[client] {
		if s.Instance != "" && s.Instance != instance {
			return fmt.Errorf("%w: %q", ErrClientInUse, client)
		}
	}
	return nil
}
