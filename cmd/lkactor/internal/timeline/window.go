package timeline

import (
	"slices"

	"github.com/leasekeeper/lkactor/actors/lease"
)

// window is the part of a log that a chart is of.
type window struct {
	from, to   lease.Instant
	begin, end lease.Instant // of the log; begin > end if nothing has been seen of it
	kept       int           // notes left when what lies before it was last forgotten
}

// misses tells whether no part of the log is in the window.
func (w *window) misses() bool { return w.begin > w.end || w.from > w.end || w.to < w.begin }

// fewNotes is how many notes from before a window may gather at least until those of
// what has ended are forgotten.
const fewNotes = 10_000

// full tells whether it is time to forget what lies before the window: often enough
// for memory to depend on what is open and what is shown, seldom enough to cost nothing.
func (w *window) full(notes int) bool {
	return w.from > lease.Dawn && notes > 2*w.kept+fewNotes
}

// forget takes off the chart what was over before the window began.
func (b *Builder) forget() {
	c, from := &b.chart, b.window.from
	notes := make([]Note, 0, len(c.Notes))
	moved := make([]int, len(c.Notes))
	keep := make([]bool, len(c.Notes))
	for i, n := range c.Notes {
		keep[i] = n.At >= from
	}
	for _, bar := range c.Bars {
		if bar.stays(from) {
			keep[bar.Begin] = true
		}
	}
	for i, n := range c.Notes {
		if keep[i] {
			moved[i] = len(notes)
			notes = append(notes, n)
		}
	}
	bars, place := c.Bars[:0], make([]int, len(c.Bars))
	for i, bar := range c.Bars {
		if !bar.stays(from) {
			continue
		}
		if bar.Begin = moved[bar.Begin]; bar.Finish != NoNote {
			bar.Finish = moved[bar.Finish]
		}
		place[i] = len(bars)
		bars = append(bars, bar)
	}
	for h, i := range b.open {
		b.open[h] = place[i]
	}
	marks := c.Marks[:0]
	for _, m := range c.Marks {
		if m.At < from {
			continue
		}
		if m.Note = moved[m.Note]; m.Bar != NoBar {
			m.Bar = place[m.Bar]
		}
		marks = append(marks, m)
	}
	knots := c.Knots[:0]
	for _, k := range c.Knots {
		if k.At >= from {
			k.Note = moved[k.Note]
			knots = append(knots, k)
		}
	}
	c.Notes, c.Bars, c.Marks, c.Knots, b.window.kept = notes, bars, marks, knots, len(notes)
}

// stays tells whether a bar reaches into a window.
func (bar *Bar) stays(from lease.Instant) bool { return bar.End == Open || bar.To >= from }

// frame sets the ends of the chart: no further than the log reaches, and what was not
// asked for left out. Leases that have not ended show how long they would have lasted, for
// a fifth of the chart at most: one of a day would leave no room for what happened within
// a minute.
func (c *Chart) frame(w window) {
	if w.from > lease.Dawn {
		c.From = max(w.from, w.begin)
	} else if len(c.Bars) > 0 {
		c.From = min(c.From, c.Bars[0].From)
	}
	// What is open is so up to the end of the log, and of the part.
	open := slices.ContainsFunc(c.Bars, func(bar Bar) bool { return bar.End == Open })
	if open || w.to < lease.Never {
		c.Last = min(w.to, w.end)
	}
	c.Last = max(c.Last, c.From)
	c.Whole = c.Last >= w.end
	c.To = c.Last
	for _, bar := range c.Bars {
		if bar.End == Open && !bar.Wait {
			c.To = max(c.To, bar.To)
		}
	}
	room := lease.Instant(max(uint64(c.Last)-uint64(c.From), 5) / 5)
	if end := c.Last + room; end > c.Last { // else it is behind the last instant there is
		c.To = min(c.To, end)
	}
}
