package command

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/leasekeeper/lkactor/actors/lease"
	"github.com/leasekeeper/lkactor/actors/story"
	"github.com/leasekeeper/lkactor/cmd/lkactor/internal/escape"
	"github.com/leasekeeper/lkactor/cmd/lkactor/internal/telling"
)

// selection is the flags that choose among the events of a log.
type selection struct {
	lock, client string
	from, to     string // instants as given; empty for no limit

	first, last lease.Instant // the same, once read

	events     bool          // there were any
	begin, end lease.Instant // of the log
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
	for _, f := range []struct{ flag, value, hint string }{
		{"lock", s.lock, "no name is empty; leave the flag out for all of them"},
		{"client", s.client, "no name is empty; leave the flag out for all of them"},
		{"from", s.from, "no instant is empty; leave the flag out for no limit"},
		{"to", s.to, "no instant is empty; leave the flag out for no limit"},
	} {
		if f.value == "" && cmd.Flags().Changed(f.flag) {
			return flagError(cmd, f.flag, errors.New(f.hint))
		}
	}
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

// see takes note of an event of the log, chosen or not.
func (s *selection) see(e *story.Event) {
	if e.Noticed == lease.Dawn {
		return // the clock has not been set
	}
	if !s.events {
		s.events, s.begin = true, e.At
	}
	s.begin, s.end = min(s.begin, e.At), max(s.end, e.Noticed)
}

// nothing says why none of the events was chosen.
func (s *selection) nothing(clock telling.Clock) string {
	return "nothing to tell: " + s.unmet(clock, "")
}

// unmet says what none of the events of the log has met; where no lock or client was chosen,
// besides says what more there has to be to an event.
func (s *selection) unmet(clock telling.Clock, besides string) string {
	switch {
	case !s.events:
		return "nothing has happened in the log"
	case s.first > s.end:
		return fmt.Sprintf("the log ends at %s, before --from", clock.Instant(s.end))
	case s.last < s.begin:
		return fmt.Sprintf("the log begins at %s, after --to", clock.Instant(s.begin))
	}
	text := "no event"
	if s.from != "" || s.to != "" {
		text += " in that time"
	}
	switch {
	case s.lock != "" && s.client != "":
		return fmt.Sprintf("%s concerns both the lock %s and the client %s", text, escape.Quoted(s.lock), escape.Quoted(s.client))
	case s.lock != "":
		return fmt.Sprintf("%s concerns the lock %s", text, escape.Quoted(s.lock))
	case s.client != "":
		return fmt.Sprintf("%s concerns the client %s", text, escape.Quoted(s.client))
	}
	return text + besides
}
