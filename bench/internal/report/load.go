package report

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"
)

// Load is what else the machine was busy with during a run. Where the system
// does not tell, Known is false and the rest is zero.
type Load struct {
	Known  bool    `json:"known"`
	Before float64 `json:"load_average_before"` // of the last minute
	After  float64 `json:"load_average_after"`
	// Others is which share of the time of all cores went to other processes and,
	// on a virtual machine, to other machines.
	Others float64 `json:"share_of_others"`
}

// Meter reads the load from its making until [Meter.Load].
type Meter struct {
	first reading
	own   func() time.Duration
}

type reading struct {
	ok      bool
	average float64
	busy    time.Duration // of all cores, by anybody
	total   time.Duration // of all cores, idle or not
	own     time.Duration
}

// ticksPerSecond is the unit of /proc/stat, the same on every Linux.
const ticksPerSecond = 100

// NewMeter starts to watch. Own tells how long this process has been on a core so
// far.
func NewMeter(own func() time.Duration) *Meter {
	m := &Meter{own: own}
	m.first = m.read()
	return m
}

// Load gives the load since the meter was made.
func (m *Meter) Load() Load {
	return between(m.first, m.read())
}

func (m *Meter) read() reading {
	average, err1 := os.ReadFile("/proc/loadavg")
	stat, err2 := os.ReadFile("/proc/stat")
	if err1 != nil || err2 != nil {
		return reading{}
	}
	return parseReading(average, stat, m.own())
}

// parseReading reads the two files of Linux.
func parseReading(average, stat []byte, own time.Duration) (r reading) {
	first, _, _ := bytes.Cut(average, []byte(" "))
	r.average, _ = strconv.ParseFloat(string(first), 64)
	line, _, _ := bytes.Cut(stat, []byte("\n"))
	fields := strings.Fields(string(line))
	// cpu user nice system idle iowait irq softirq steal guest guest_nice; the
	// guests' time is in user and nice already.
	if len(fields) < 9 || fields[0] != "cpu" {
		return reading{}
	}
	for i, f := range fields[1:9] {
		ticks, err := strconv.ParseInt(f, 10, 64)
		if err != nil {
			return reading{}
		}
		took := time.Duration(ticks) * time.Second / ticksPerSecond
		r.total += took
		if idle := i == 3 || i == 4; !idle {
			r.busy += took
		}
	}
	r.own, r.ok = own, true
	return r
}

func between(before, after reading) Load {
	total := after.total - before.total
	if !before.ok || !after.ok || total <= 0 {
		return Load{}
	}
	others := (after.busy - before.busy) - (after.own - before.own)
	return Load{
		Known: true, Before: before.average, After: after.average,
		Others: max(0, float64(others)/float64(total)),
	}
}

// String is the line about it in a report.
func (l Load) String() string {
	if !l.Known {
		return "What else the machine was busy with is not known."
	}
	return fmt.Sprintf("Load average %.2f before and %.2f after; other processes took %.0f%% of the time of all cores meanwhile.",
		l.Before, l.After, 100*l.Others)
}
