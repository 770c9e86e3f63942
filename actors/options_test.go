package actors_test

import (
	"strings"
	"testing"
	"time"

	"github.com/leasekeeper/lkactor/actors"
	"github.com/leasekeeper/lkactor/actors/lease"
)

// Options that make no sense, alone or together, start no engine, and the error says
// which; all of them, if they are several.
func TestOptionsThatMakeNoSense(t *testing.T) {
	clock, plain := actors.WithClock(actors.SystemClock()), actors.WithDialect(lease.Plain)
	origin := actors.WithOrigin(time.Unix(0, 0), 7)
	for _, c := range []struct {
		options []actors.Option
		want    []string // nothing for an engine
	}{
		{[]actors.Option{actors.WithClock(nil)}, []string{"WithClock(nil)"}},
		{[]actors.Option{clock, plain}, []string{"WithDialect(lease.Plain)"}},
		{[]actors.Option{plain, clock}, []string{"WithDialect(lease.Plain)"}},
		{[]actors.Option{plain, actors.WithJournal(new(heldLog))}, []string{"WithDialect(lease.Plain)"}},
		{[]actors.Option{actors.WithDialect(2)}, []string{"WithDialect(2)"}},
		{[]actors.Option{actors.WithJournal(nil)}, []string{"WithJournal(nil)"}},
		{[]actors.Option{actors.WithDispatch(3)}, []string{"WithDispatch(3)"}},
		{[]actors.Option{origin}, []string{"WithOrigin"}},
		{[]actors.Option{actors.WithClock(actors.SystemClock()), actors.WithOrigin(time.Now(), lease.MaxMagnitude-1)}, []string{"too far"}},
		{[]actors.Option{actors.WithClock(actors.SystemClock()), actors.WithOrigin(time.Now(), lease.MaxMagnitude/2+1)}, []string{"too far"}},
		{[]actors.Option{origin, actors.WithJournal(new(heldLog))}, []string{"WithOrigin", "WithJournal"}},
		{[]actors.Option{actors.WithBatchLimits(nil), actors.WithClock(nil)}, []string{"WithBatchLimits(nil)", "WithClock(nil)"}},
		{[]actors.Option{clock, actors.WithDialect(lease.Live), origin, nil}, nil},
		{[]actors.Option{plain}, nil},
		{[]actors.Option{actors.WithDialect(lease.Live)}, nil},
	} {
		engine, err := actors.Start(newSystem(t), c.options...)
		if (err == nil) != (len(c.want) == 0) || (engine == nil) != (err != nil) {
			t.Errorf("want %v: %v", c.want, err)
		}
		for _, want := range c.want {
			if err != nil && !strings.Contains(err.Error(), want) {
				t.Errorf("%v does not speak of %s", err, want)
			}
		}
		if engine == nil {
			continue
		}
		if err := engine.Stop(t.Context()); err != nil {
			t.Error(err)
		}
	}
}
