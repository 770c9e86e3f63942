package command

import (
	"errors"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/leasekeeper/lkactor/actors/lease"
	"github.com/leasekeeper/lkactor/actors/story"
	"github.com/leasekeeper/lkactor/cmd/lkactor/internal/telling"
)

// selection is the flags that choose among the events of a log.
type selection struct {
	lock, client string
	from, to     string // instants as given; empty for no limit

	first, last lease.Instant // the same, once read
}

func (s *selection) flags(f *pflag.FlagSet) {
	f.StringVar(&s.lock, "lock", "", "only events that concern this lock")
	f.StringVar(&s.client, "client", "", "only events that concern this client")
	f.StringVar(&s.from, "from", "", "only events from this instant on")
	f.StringVar(&s.to, "to", "", "only events up to this instant")
}

// read reads the instants, which are to be understood as those of the log.
func (s *selection) read(cmd *cobra.Command, clock telling.Clock) (err error) {
	s.first, s.last = lease.Dawn, lease.Never
	if s.from != "" {
		if s.first, err = clock.Parse(s.from); err != nil {
			return flagError(cmd, "from", err)
		}
	}
	if s.to != "" {
		if s.last, err = clock.Parse(s.to); err != nil {
			return flagError(cmd, "to", err)
		}
	}
	if s.first > s.last {
		return flagError(cmd, "to", errors.New("it is before --from"))
	}
	return nil
}

// concerns tells whether an event is about the lock and client chosen, if any.
func (s *selection) concerns(e *story.Event) bool { return e.Concerns(s.lock, s.client) }

// within tells whether it happened in the time chosen.
func (s *selection) within(e *story.Event) bool { return s.first <= e.At && e.At <= s.last }
