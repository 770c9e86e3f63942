package actors_test

import (
	"testing"
	"testing/synctest"

	"github.com/leasekeeper/lkactor/actors"
	"github.com/leasekeeper/lkactor/actors/lease"
)

// hasty is a journal in memory whose news of one record overtakes that of the record before.
type hasty struct{ notebook }

func (h *hasty) Commit() (uint64, error) {
	ticket, err := h.notebook.Commit()
	h.told(ticket-1, nil)
	return ticket, err
}

// What a higher ticket has released a lower one that comes later does not withhold again.
func TestTicketsOvertakeEachOther(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		engine := start(t, newSystem(t), actors.WithJournal(new(hasty)))
		for _, client := range []string{"a", "b"} {
			r, err := engine.Do(t.Context(), live0(lease.Acquire, client, "L"))
			if err != nil || (r.Outcome == lease.Granted) != (client == "a") {
				t.Errorf("%s: %+v, %v", client, r, err)
			}
		}
		if err := engine.Stop(t.Context()); err != nil {
			t.Error(err)
		}
	})
}
