package sequencer

import (
	"errors"

	"github.com/leasekeeper/lkactor/actors/lease"
)

// ErrNoClock refuses a subscription to an engine without a clock, in which nothing
// happens by itself.
var ErrNoClock = errors.New("sequencer: no events without a clock")

// View gives how a client stands as of the last operation. Only between intakes.
func (q *Sequencer) View(client string) (*lease.ClientView, error) {
	op := lease.Operation{Kind: lease.Status, Client: client}
	if code := op.Check(q.dialect); code != lease.OK {
		return nil, code
	}
	var result lease.Result
	if err := q.status(&op, &result); err != nil {
		return nil, err
	}
	if err := q.flush(); err != nil {
		return nil, err
	}
	return result.Detail.Client, nil
}

// subscribe enters a subscription. What it is told first may not be known outside
// yet, so it is released like the outcome of an intake.
func (a *Actor) subscribe(s *Subscription) {
	if s == nil || s.To == nil || s.Done == nil {
		return
	}
	if err := a.enroll(s); err != nil {
		s.Done(err)
		return
	}
	s.Done(nil)
	a.release(&outcome{news: a.hub.collect()})
}

// enroll asks how the client stands and enters the subscription.
func (a *Actor) enroll(s *Subscription) (err error) {
	switch {
	case a.hub == nil:
		return ErrNoClock
	case a.failed != nil:
		return a.failed
	}
	defer func() {
		if cause := recover(); cause != nil {
			a.fail(lease.Fault("sequencer", "", nil, cause))
			err = a.failed
		}
	}()
	state, err := a.order.View(s.Client)
	if err != nil {
		if code := lease.Code(0); !errors.As(err, &code) { // the name is none
			a.fail(err)
		}
		return err
	}
	seq, _ := a.order.Stamp()
	a.hub.add(s, state, seq)
	return nil
}

func (a *Actor) unsubscribe(s *Subscription) {
	if s != nil && a.hub != nil {
		a.hub.remove(s)
	}
}
