package timeline

import (
	"math"
	"strconv"
	"time"

	"github.com/leasekeeper/lkactor/actors/lease"
	"github.com/leasekeeper/lkactor/cmd/lkactor/internal/telling"
)

// tick is a labelled instant of an axis.
type tick struct {
	at    lease.Instant
	label string
}

// clockSteps are the distances between ticks of times of day from a second on.
var clockSteps = []time.Duration{
	time.Second, 2 * time.Second, 5 * time.Second, 10 * time.Second, 15 * time.Second, 30 * time.Second,
	time.Minute, 2 * time.Minute, 5 * time.Minute, 10 * time.Minute, 15 * time.Minute, 30 * time.Minute,
	time.Hour, 2 * time.Hour, 3 * time.Hour, 6 * time.Hour, 12 * time.Hour, 24 * time.Hour,
}

// ticks gives round instants from one to another, at most so many.
func ticks(c telling.Clock, from, to lease.Instant, most int) []tick {
	least := (uint64(to)-uint64(from))/uint64(most) + 1 // between two of them
	step := decimalStep(least)
	if c.Live() && least > uint64(time.Second/2) {
		step = clockStep(least)
	}
	all := []tick{}
	for at := roundUp(c, from, step); at <= to && len(all) <= most; at += lease.Instant(step) {
		all = append(all, tick{at, label(c, at, step)})
		if at > math.MaxInt64-lease.Instant(step) {
			break
		}
	}
	return all
}

// decimalStep gives the smallest of 1, 2, 5, 10, 20, 50 and so on that is large enough;
// 5 x 10^18 is the largest.
func decimalStep(least uint64) int64 {
	for power := int64(1); ; power *= 10 {
		for _, n := range []int64{1, 2, 5} {
			if uint64(power*n) >= least || power == 1e18 && n == 5 {
				return power * n
			}
		}
	}
}

func clockStep(least uint64) int64 {
	for _, d := range clockSteps {
		if uint64(d) >= least {
			return int64(d)
		}
	}
	day := uint64(24 * time.Hour)
	return int64(day) * decimalStep((least+day-1)/day)
}

// roundUp gives the first multiple of step from an instant on; counted from midnight
// where instants are times of day.
func roundUp(c telling.Clock, from lease.Instant, step int64) lease.Instant {
	var over int64 // by how much from is behind a multiple
	if c.Live() {
		t := c.Time(from)
		over = int64(t.Sub(t.Truncate(time.Duration(step))))
	} else if over = int64(from) % step; over < 0 {
		over += step
	}
	if over == 0 {
		return from
	}
	return from - lease.Instant(over) + lease.Instant(step)
}

// label writes an instant as exactly as the step needs.
func label(c telling.Clock, at lease.Instant, step int64) string {
	if !c.Live() {
		return strconv.FormatInt(int64(at), 10)
	}
	switch d := time.Duration(step); {
	case d >= 24*time.Hour:
		return c.Time(at).Format("2006-01-02")
	case d >= time.Minute:
		return c.Time(at).Format("15:04")
	case d >= time.Second:
		return c.Time(at).Format("15:04:05")
	case d >= time.Millisecond:
		return c.Time(at).Format("15:04:05.000")
	case d >= time.Microsecond:
		return c.Time(at).Format("05.000000")
	}
	return c.Time(at).Format("05.000000000")
}
