package timeline

import (
	"fmt"
	"html"
	"unicode/utf8"

	"github.com/leasekeeper/lkactor/actors/lease"
	"github.com/leasekeeper/lkactor/cmd/lkactor/internal/escape"
	"github.com/leasekeeper/lkactor/cmd/lkactor/internal/telling"
)

// Heights within a lane in pixels.
const (
	leaseHeight = 18.0
	waitHeight  = 13.0
	waitLabel   = 9.0  // the least of a wait with a name on it
	stripHeight = 14.0 // for the marks of the lane itself
	laneGap     = 6.0
	mostHeight  = 420.0 // of all rows of leases, and of all rows of waits
	leastHeight = 3.0   // of a row; those that would be lower are drawn together

	manyLanes = 150 // above that they are drawn as bands: see overview
)

// band is where a lane is on the picture.
type band struct {
	top                  float64
	leaseHigh, waitHigh  float64 // of one row
	leasesEach, waitEach int     // how many rows share one
	waits, strip, bottom float64 // where each part begins
}

// stack puts the lanes below each other and gives where the last one ends.
func (p *picture) stack() float64 {
	y := float64(pictureTop)
	for _, l := range p.chart.Lanes {
		b := band{top: y}
		b.leaseHigh, b.leasesEach = rowHeight(l.Leases, leaseHeight)
		b.waitHigh, b.waitEach = rowHeight(l.Waits, waitHeight)
		b.waits = y + laneGap/2 + b.leaseHigh*float64(shown(max(l.Leases, 1), b.leasesEach))
		b.strip = b.waits + b.waitHigh*float64(shown(l.Waits, b.waitEach))
		b.bottom = b.strip + stripHeight + laneGap/2
		y = b.bottom
		p.lanes = append(p.lanes, b)
	}
	return y
}

// rowHeight gives the height of each of so many rows, and how many are drawn as one.
func rowHeight(rows int, high float64) (float64, int) {
	if float64(rows)*high <= mostHeight {
		return high, 1
	}
	if low := mostHeight / float64(rows); low >= leastHeight {
		return low, 1
	}
	each := int(leastHeight*float64(rows)/mostHeight) + 1
	return leastHeight, each
}

// shown is how many rows are drawn for so many.
func shown(rows, each int) int { return (rows + each - 1) / each }

// place gives the top and height of the row of a bar.
func (b *band) place(bar *Bar) (y, high float64) {
	if bar.Wait {
		return b.waits + float64(bar.Row/b.waitEach)*b.waitHigh, b.waitHigh
	}
	return b.top + laneGap/2 + float64(bar.Row/b.leasesEach)*b.leaseHigh, b.leaseHigh
}

// ground writes what lies below the bars of a lane, and its name.
func (p *picture) ground(i int) {
	b, lock := &p.lanes[i], escape.Terminal(p.chart.Lanes[i].Lock)
	if i%2 == 0 {
		p.printf(`<rect class="lane" y="%.1f" width="%d" height="%.1f"/>`+"\n", b.top, pictureWidth, b.bottom-b.top)
	}
	p.printf(`<text x="24" y="%.1f" class="strong">%s<title>%s</title></text>`+"\n",
		b.top+laneGap/2+13, html.EscapeString(fit(lock, 11, pictureLeft-34)), html.EscapeString(lock))
	if b.waitHigh < waitLabel { // they are too low to be named or counted
		p.text(24, b.waits+10, "dim", "start", fmt.Sprintf("up to %d wait", p.chart.Lanes[i].Waits), "")
	}
}

// run is bars of one row that are drawn as one.
type run struct {
	from, to float64
	done     float64 // where the log ends, if that is before to
	bars     int
	first    *Bar
	low      bool // several rows in one
}

// narrow is the width in pixels up to which bars are drawn together.
const narrow = 2.0

// runs calls do with all bars, each alone or with those that are drawn with it, row by row
// in the order in which they begin.
func (p *picture) runs(do func(*run)) {
	type row struct {
		lane, row int
		wait      bool
	}
	runs := map[row]*run{}
	var order []row
	for i := range p.chart.Bars {
		bar := &p.chart.Bars[i]
		b := &p.lanes[bar.Lane]
		each := b.leasesEach
		if bar.Wait {
			each = b.waitEach
		}
		key := row{bar.Lane, bar.Row / each, bar.Wait}
		from, to, done := p.x(bar.From), p.x(bar.To), p.x(bar.To)
		if bar.End == Open {
			done = p.x(min(bar.To, p.chart.Last))
		}
		next := &run{from, max(to, from+1), max(done, from+1), 1, bar, each > 1}
		r := runs[key]
		if r == nil {
			order = append(order, key)
		} else if small := r.to-r.from < narrow || r.bars > 1 || r.low; small && (next.to-next.from < narrow || r.low) && next.from <= r.to+1 {
			r.to, r.done, r.bars = max(r.to, next.to), max(r.done, next.done), r.bars+1
			continue
		} else {
			do(r)
		}
		runs[key] = next
	}
	for _, key := range order {
		do(runs[key])
	}
}

// bar writes a bar, or several as one.
func (p *picture) bar(r *run) {
	bar, c := r.first, p.chart
	y, high := p.lanes[bar.Lane].place(bar)
	inner := max(high-2, high*0.7)
	what, kind := c.told(bar), "lease"
	if bar.Wait {
		kind = "wait"
	}
	class := fmt.Sprintf("bar h%d", hue(bar.Client))
	if r.bars > 1 {
		class, what = "many", telling.Many(r.bars, kind)+", the first: "+what
	}
	if bar.Mode == lease.Shared {
		class += " shared"
	}
	title := "<title>" + html.EscapeString(what) + "</title>"
	end := r.done
	if r.bars == 1 && !bar.Wait && r.to > end {
		p.printf(`<rect class="%s ahead" x="%.1f" y="%.1f" width="%.1f" height="%.1f"/>`+"\n", class, end, y, r.to-end, inner)
	}
	if bar.Wait {
		class += " wait"
	}
	p.printf(`<rect class="%s" x="%.1f" y="%.1f" width="%.1f" height="%.1f" rx="1.5">%s</rect>`+"\n", class, r.from, y, end-r.from, inner, title)
	if bar.Wait && r.bars == 1 {
		p.printf(`<rect class="hatched" x="%.1f" y="%.1f" width="%.1f" height="%.1f">%s</rect>`+"\n", r.from, y, end-r.from, inner, title)
	}
	if r.bars > 1 {
		return
	}
	from := r.from
	if !bar.Wait {
		from, end = p.labelRoom(bar, from, end, r.to)
	}
	p.labelBar(bar, from, end, y, inner)
}

// labelRoom says where on a lease its label goes: before the end of the log, which is at
// done, or behind it, where all of it or at least the token has room; else across.
func (p *picture) labelRoom(bar *Bar, from, done, to float64) (float64, float64) {
	token := 16 + textWidth(fmt.Sprint(bar.Token), 11)
	for _, wide := range []float64{token + textWidth(escape.Terminal(p.chart.Clients[bar.Client]), 11), token} {
		if done-from >= wide {
			return from, done
		}
		if to-done >= wide {
			return done, to
		}
	}
	return from, to
}

// labelBar writes the token of a lease and the name of its client where there is room.
func (p *picture) labelBar(bar *Bar, from, to, y, high float64) {
	name := escape.Terminal(p.chart.Clients[bar.Client])
	token, room, size := "", to-from-12, 11.0
	if bar.Wait {
		size = waitLabel
	}
	if high < size {
		return
	}
	if !bar.Wait {
		token = fmt.Sprint(bar.Token)
		room -= textWidth(token, size) + 4
	}
	if room < 0 {
		return
	}
	if short := fit(name, size, room); short != name && utf8.RuneCountInString(short) < 3 {
		name = "" // what is left of it would tell nobody who it is
	} else {
		name = short
	}
	y += (high + size*0.72) / 2
	if bar.Wait {
		if name != "" {
			p.printf(`<text x="%.1f" y="%.1f" class="small on">%s</text>`+"\n", from+4, y, html.EscapeString(name))
		}
		return
	}
	p.printf(`<text x="%.1f" y="%.1f"><tspan class="token">%s</tspan> %s</text>`+"\n", from+5, y, token, html.EscapeString(name))
}

// told says what a bar is, with how it began and ended.
func (c *Chart) told(bar *Bar) string {
	text := c.Notes[bar.Begin].Text
	if bar.Finish != NoNote {
		text += "; " + c.Notes[bar.Finish].Text
	}
	return text
}

// textWidth says about how wide a text is; it is rather too much than too little.
func textWidth(text string, size float64) float64 {
	wide := 0.0
	for _, r := range text {
		wide += runeWidth(r)
	}
	return wide * size
}

func runeWidth(r rune) float64 {
	switch {
	case r >= 0x1100: // most of what is as wide as it is high
		return 1
	case r >= 'A' && r <= 'Z', r == 'm', r == 'w', r == '@', r == '%':
		return 0.78
	}
	return 0.58
}

// fit cuts a text so that it is no wider than that.
func fit(text string, size, room float64) string {
	if textWidth(text, size) <= room {
		return text
	}
	wide := size // of the dots
	for i, r := range text {
		if wide += runeWidth(r) * size; wide > room {
			return text[:i] + "…"
		}
	}
	return text
}
