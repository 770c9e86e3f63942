package client

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"

	"github.com/leasekeeper/lkactor/actors/lease"
)

// send submits an operation, waiting for room until admit ends. If the Client has
// request ids, it is sent again while it goes unanswered, until life ends.
//
// It must not be called with a lock held that done needs, nor from a done: the
// caller may be the one who serves the engine meanwhile.
func (c *Client) send(admit, life context.Context, op lease.Operation, done func(Answer)) error {
	return c.sendBy(nil, admit, life, op, done)
}

// insist is send that tries again, as long as admit lasts, where the service refuses
// to let anybody wait for room. For what must get through.
func (c *Client) insist(admit, life context.Context, op lease.Operation, done func(Answer)) error {
	for n := 1; ; n++ {
		err := c.send(admit, life, op, done)
		if !errors.Is(err, ErrOverloaded) {
			return err
		}
		over, pause := c.after(time.Duration(again.Delay(n, chance())))
		select {
		case <-over:
		case <-admit.Done():
			pause.Stop()
			return err
		}
	}
}

// sendBy is send for a caller that has put something into turn; it is put there
// again while the operation is sent again.
func (c *Client) sendBy(turn chan struct{}, admit, life context.Context, op lease.Operation, done func(Answer)) error {
	if !c.ids {
		return c.service.Submit(admit, op, done)
	}
	switch op.Kind {
	case lease.Acquire, lease.Renew, lease.Release:
		op.ID = uuid.NewString()
	default: // may be handled twice
	}
	r := &request{client: c, turn: turn, life: life, op: op, done: done}
	return c.service.Submit(admit, op, r.answered)
}

// request is an operation that is sent until it is answered.
type request struct {
	client *Client
	turn   chan struct{} // nil if nobody else waits for it
	life   context.Context
	op     lease.Operation
	done   func(Answer)
	again  int           // how often it was sent again
	sent   lease.Instant // when it was last
}

func (r *request) answered(a Answer) {
	if !errors.Is(a.Err, ErrUnanswered) {
		a.again, a.sent = r.again > 0, r.sent
		r.done(a)
		return
	}
	if r.life.Err() != nil {
		r.done(Answer{Err: ended(r.life)})
		return
	}
	r.again++
	r.client.clock.AfterFunc(time.Duration(again.Delay(r.again, chance())), r.resend)
}

func (r *request) resend() {
	if r.turn != nil {
		r.turn <- struct{}{}
		defer func() { <-r.turn }()
	}
	// Looked at with the turn, since whoever ends life waits for that: nothing is sent
	// when it has had it, even if the service does not look whether life has ended.
	if r.life.Err() != nil {
		r.done(Answer{Err: ended(r.life)})
		return
	}
	r.sent = r.client.now()
	if err := r.client.service.Submit(r.life, r.op, r.answered); err != nil {
		r.done(Answer{Err: err})
	}
}

// ask submits an operation and waits for its answer, or for the end of ctx; then
// the operation may be handled all the same.
func (c *Client) ask(ctx context.Context, op lease.Operation) (Answer, error) {
	answers := make(chan Answer, 1)
	if err := c.send(ctx, ctx, op, func(a Answer) { answers <- a }); err != nil {
		return Answer{}, err
	}
	select {
	case a := <-answers:
		return a, nil
	case <-ctx.Done():
		return Answer{}, ended(ctx)
	}
}
