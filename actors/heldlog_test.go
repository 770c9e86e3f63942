package actors_test

import (
	"sync"
	"time"

	"github.com/google/uuid"

	"github.com/leasekeeper/lkactor/actors"
	"github.com/leasekeeper/lkactor/actors/lease"
	"github.com/leasekeeper/lkactor/actors/model"
	"github.com/leasekeeper/lkactor/sequencer"
)

// heldLog is a journal that keeps nothing and says that its records are durable only
// when the test lets it: from then on at once.
type heldLog struct {
	mu      sync.Mutex
	last    uint64 // ticket
	free    bool
	reports func(uint64, error)
}

var _ actors.Journal = (*heldLog)(nil)

func (l *heldLog) Add(uint64, *lease.Operation) {}

func (l *heldLog) Commit() (uint64, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.last++
	if l.free {
		go l.reports(l.last, nil) // never on the engine's turn
	}
	return l.last, nil
}

func (l *heldLog) Resume(zero time.Time, id uuid.UUID, told func(uint64, error)) (time.Time, uuid.UUID, *sequencer.Sequencer, error) {
	l.reports = told
	return zero, id, model.Make(lease.Live, nil).Freeze(), nil
}

// letGo says that all is durable, and will be.
func (l *heldLog) letGo() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.free = true
	l.reports(l.last, nil)
}

// hold has what comes from now on wait until it is let go.
func (l *heldLog) hold() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.free = false
}
