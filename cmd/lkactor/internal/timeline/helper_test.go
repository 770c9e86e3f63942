package timeline

import (
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/leasekeeper/lkactor/actors/lease"
	"github.com/leasekeeper/lkactor/actors/oplog"
	"github.com/leasekeeper/lkactor/actors/story"
	"github.com/leasekeeper/lkactor/cmd/lkactor/internal/telling"
)

// tell runs a log, one operation on each line, and has its events told.
func tell(t testing.TB, log string, begin func(telling.Clock), add func(*story.Event)) *story.Story {
	t.Helper()
	d := oplog.NewDecoder(strings.NewReader(log), "log", oplog.Lines)
	header, err := d.Header()
	if err != nil {
		t.Fatal(err)
	}
	begin(telling.ClockOf(header))
	s := story.New(header.Dialect(), add)
	for {
		var op lease.Operation
		if err := d.Next(&op); errors.Is(err, io.EOF) {
			return s
		} else if err != nil {
			t.Fatal(err)
		}
		s.Do(&op)
	}
}

// draw gives the chart of the part of a log.
func draw(t testing.TB, log string, from, to lease.Instant) *Chart {
	t.Helper()
	var b *Builder
	tell(t, log, func(c telling.Clock) { b = NewBuilder(c, from, to) }, func(e *story.Event) {
		if err := b.Add(e); err != nil {
			t.Fatal(err)
		}
	})
	c, err := b.Chart("log")
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// whole gives the chart of all of a log.
func whole(t testing.TB, log string) *Chart {
	t.Helper()
	return draw(t, log, lease.Dawn, lease.Never)
}
