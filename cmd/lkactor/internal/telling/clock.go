package telling

import (
	"fmt"
	"strconv"
	"time"

	"github.com/leasekeeper/lkactor/actors/lease"
	"github.com/leasekeeper/lkactor/actors/oplog"
)

// Clock writes the instants of one log: as the log has them where it is plain, in
// whole seconds, and as UTC times of day where it is live. The zero Clock is that of
// plain logs.
type Clock struct{ header *oplog.Header }

// ClockOf gives the clock of a log with that header; nil for a plain log.
func ClockOf(h *oplog.Header) Clock { return Clock{h} }

// Live tells whether instants are times of day.
func (c Clock) Live() bool { return c.header != nil }

// Time gives the wall time of an instant, in UTC; only of a clock that is Live.
func (c Clock) Time(at lease.Instant) time.Time {
	return c.header.Zero.Add(time.Duration(at)).UTC()
}

// layout has all nine digits, so that times stand below each other.
const layout = "2006-01-02T15:04:05.000000000Z"

// Instant writes an instant.
func (c Clock) Instant(at lease.Instant) string {
	switch {
	case at == lease.Dawn:
		return "-" // the clock has not been set
	case c.header == nil:
		return strconv.FormatInt(int64(at), 10)
	}
	return c.Time(at).Format(layout)
}

// Span writes how long it is from one instant to another.
func (c Clock) Span(from, to lease.Instant) string {
	if c.header == nil {
		return fmt.Sprintf("%d s", uint64(to)-uint64(from)) // two instants may be 2^63 apart
	}
	return time.Duration(to - from).String()
}

// Parse reads an instant that a user gives: a number as it stands in logs, or for a
// live log an RFC 3339 time as well.
func (c Clock) Parse(text string) (lease.Instant, error) {
	if n, err := strconv.ParseInt(text, 10, 64); err == nil {
		return lease.Instant(n), nil
	}
	if c.header == nil {
		return 0, fmt.Errorf("%q is no instant: a plain log has whole seconds", text)
	}
	at, err := time.Parse(time.RFC3339Nano, text)
	if err != nil {
		return 0, fmt.Errorf("%q is no instant: a live log has nanoseconds since its zero, or give an RFC 3339 time", text)
	}
	return lease.Instant(at.Sub(c.header.Zero)), nil
}

// width is how many columns instants take at least in lines of text.
func (c Clock) width() int {
	if c.header == nil {
		return 6
	}
	return len(layout)
}
