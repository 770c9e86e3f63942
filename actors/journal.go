package actors

import (
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/google/uuid"

	"github.com/leasekeeper/lkactor/sequencer"
)

// ErrJournal is matched by the error of every operation that an engine could not make
// durable, and of all that follow; the file system's error is in it. Such an operation
// may have happened: a restart shows. Nothing is tried again.
var ErrJournal = errors.New("lkactor: the journal failed")

// Journal keeps the history of one engine (P1): durable.Open gives one. An engine
// without a journal links nothing of that.
type Journal interface {
	sequencer.Log
	// Resume gives the history to go on with: the wall time of its instant 0, the
	// engine's ID, and where it has come to. A journal that is new takes the two that
	// are given and keeps them for ever. told is called from then on, from any
	// goroutine, with a ticket up to which all is durable or with the error after which
	// no more will be. Calls that overtake each other do no harm: the highest ticket counts.
	Resume(zero time.Time, id uuid.UUID, told func(ticket uint64, err error)) (
		time.Time, uuid.UUID, *sequencer.Sequencer, error)
}

// WithJournal has the engine go on where the journal has come to, and keep in it
// every operation before anybody is told of it. It makes the engine live, as WithClock
// does; the clock is [SystemClock] if none is given. The engine uses the journal alone
// and does not close it: that is to be done after Stop.
func WithJournal(j Journal) Option {
	return func(c *config) {
		if c.journal = j; j == nil {
			c.refuse("WithJournal(nil) keeps nothing: leave it out for an engine that forgets")
		}
	}
}

// resume takes over what the journal has.
func (e *Engine) resume(cfg *config) error {
	zero, id, order, err := cfg.journal.Resume(cfg.clock.Wall().Round(0), e.id, e.told)
	if err != nil {
		return fmt.Errorf("lkactor: start from the journal: %w", err)
	}
	_, last := order.Stamp()
	e.id, cfg.from, cfg.origin = id, order, origin{zero: zero, last: last}
	return nil
}

// told takes what the journal says, and has the sequencer look at it.
func (e *Engine) told(ticket uint64, err error) {
	e.synced.store(ticket, err)
	select {
	case <-e.stopped:
	default:
		e.queue.PostUserMessage(&sequencer.Durable{})
	}
}

// synced is what the journal has told.
type synced struct {
	ticket atomic.Uint64 // the highest
	err    atomic.Pointer[error]
}

// store takes in what is told. A ticket that comes after a higher one has nothing new to
// say: to go by it would withhold for good what the higher one has released.
func (s *synced) store(ticket uint64, err error) {
	if err != nil {
		s.err.Store(&err)
	}
	for {
		before := s.ticket.Load()
		if ticket <= before || s.ticket.CompareAndSwap(before, ticket) {
			return
		}
	}
}

func (s *synced) load() (ticket uint64, err error) {
	if why := s.err.Load(); why != nil {
		err = *why
	}
	return s.ticket.Load(), err
}
