package timeline

import (
	"fmt"
	"html"
	"math"
	"slices"
	"strings"

	"github.com/leasekeeper/lkactor/cmd/lkactor/internal/escape"
	"github.com/leasekeeper/lkactor/cmd/lkactor/internal/telling"
)

// A chart of many locks is drawn as the page draws it at first: several locks share a band,
// and a band says for each moment how many of its locks are held and how many requests
// wait. All that has one shade is one path, so that a picture has a few elements for each
// band however long the log is.
const (
	mostBands = 100
	bandHigh  = 14.0
	momentPx  = 4.0 // width of a moment
	shades    = 8

	// The parts of a band from its top: what is held, what waits, and trouble.
	heldHigh  = 6.5
	waitsHigh = 2.5
	tickHigh  = 4.0
)

// overview is a picture of bands.
type overview struct {
	*picture
	each    int // how many locks share a band
	bands   []bandSum
	moments int
}

// bandSum is what there is of the locks of a band.
type bandSum struct {
	first, locks  int
	leases, waits int
	held, waiting []float64 // by moment; changes from one to the next until summed
	trouble       map[Sign]int
	marks         map[Sign][]bool // by moment
}

// overview writes the chart as bands.
func (c *Chart) overview(p *picture) error {
	each := (len(c.Lanes) + mostBands - 1) / mostBands
	o := &overview{picture: p, each: each, moments: int(math.Ceil((pictureWidth - pictureLeft - pictureRight) / momentPx))}
	o.count()
	p.foot = pictureTop + bandHigh*float64(len(o.bands))
	notes, legend := p.notes(), o.samples()
	p.open(p.foot + 30 + float64(legend.lines+len(notes))*lineHeight)
	p.head()
	for i := range o.bands {
		o.ground(i)
	}
	p.axis()
	o.shade("held", shades, func(b *bandSum, i int) float64 { return b.held[i] / float64(b.locks) }, 0, heldHigh)
	o.shade("awaits", shades, func(b *bandSum, i int) float64 { return b.waiting[i] / float64(4*b.locks) }, heldHigh, waitsHigh)
	for s := range glyphs {
		if Sign(s).isTrouble() {
			o.ticks(Sign(s))
		}
	}
	p.legend(legend)
	p.lines(notes, legend.lines)
	p.printf("</svg>\n")
	return p.finish()
}

// count goes through the chart once.
func (o *overview) count() {
	c := o.chart
	for first := 0; first < len(c.Lanes); first += o.each {
		o.bands = append(o.bands, bandSum{
			first: first, locks: min(o.each, len(c.Lanes)-first),
			held: make([]float64, o.moments+2), waiting: make([]float64, o.moments+2),
			trouble: map[Sign]int{}, marks: map[Sign][]bool{},
		})
	}
	for i := range c.Bars {
		bar := &c.Bars[i]
		b := &o.bands[bar.Lane/o.each]
		to := bar.To
		if bar.End == Open {
			to = min(to, c.Last)
		}
		cells := b.held
		if bar.Wait {
			cells = b.waiting
			b.waits++
		} else {
			b.leases++
		}
		o.spread(cells, o.x(bar.From), o.x(to))
	}
	for i := range o.bands {
		for at := 1; at < o.moments; at++ {
			o.bands[i].held[at] += o.bands[i].held[at-1]
			o.bands[i].waiting[at] += o.bands[i].waiting[at-1]
		}
	}
	for i := range c.Marks {
		m := &c.Marks[i]
		if !m.Kind.isTrouble() {
			continue
		}
		b := &o.bands[m.Lane/o.each]
		if b.trouble[m.Kind]++; b.marks[m.Kind] == nil {
			b.marks[m.Kind] = make([]bool, o.moments)
		}
		b.marks[m.Kind][min(o.moments-1, int((o.x(m.At)-pictureLeft)/momentPx))] = true
	}
}

// spread adds a bar to moments as changes, each by how much of it the bar covers.
func (o *overview) spread(cells []float64, from, to float64) {
	for i, x := range []float64{from, max(to, from+0.5)} {
		at, sign := (x-pictureLeft)/momentPx, 1-2*float64(i)
		cell := min(int(at), o.moments)
		share := 1 - (at - float64(cell))
		cells[cell] += sign * share
		cells[cell+1] += sign * (1 - share)
	}
}

// ground writes the name of a band, and what is in it.
func (o *overview) ground(i int) {
	b, c := &o.bands[i], o.chart
	y := o.top(i)
	if i%2 == 0 {
		o.printf(`<rect class="lane" y="%.1f" width="%d" height="%.1f"/>`+"\n", y, pictureWidth, bandHigh)
	}
	name := escape.Terminal(c.Lanes[b.first].Lock)
	about := name
	if b.locks > 1 {
		about = fmt.Sprintf("%s, from %s to %s", telling.Many(b.locks, "lock"), name, escape.Terminal(c.Lanes[b.first+b.locks-1].Lock))
		name = fit(name, 9, pictureLeft-34-50) + fmt.Sprintf(" +%d", b.locks-1)
	}
	about += fmt.Sprintf(": %s, %s", telling.Many(b.leases, "lease"), telling.Many(b.waits, "wait"))
	for s := range glyphs {
		if n := b.trouble[Sign(s)]; n > 0 {
			about += fmt.Sprintf(", %s: %d", glyphs[s].Means, n)
		}
	}
	o.printf(`<text x="24" y="%.1f" class="small">%s<title>%s</title></text>`+"\n",
		y+bandHigh-4, html.EscapeString(fit(name, 9, pictureLeft-34)), html.EscapeString(about))
}

func (o *overview) top(band int) float64 { return pictureTop + bandHigh*float64(band) }

// shade draws a share of each band for each moment, all moments of one shade as one path.
func (o *overview) shade(class string, most int, share func(b *bandSum, moment int) float64, from, high float64) {
	paths := make([]strings.Builder, most+1)
	level := func(b *bandSum, at int) int {
		if s := share(b, at); s > 1e-9 && at < o.moments {
			return min(most, max(1, int(math.Ceil(s*float64(most)-1e-9))))
		}
		return 0
	}
	for i := range o.bands {
		b := &o.bands[i]
		for at := 0; at < o.moments; {
			start, l := at, level(b, at)
			for at++; at < o.moments && level(b, at) == l; at++ {
			}
			if l > 0 {
				fmt.Fprintf(&paths[l], "M%.0f %.1fh%.0fv%.1fh-%.0fz", pictureLeft+float64(start)*momentPx, o.top(i)+from+1, float64(at-start)*momentPx, high, float64(at-start)*momentPx)
			}
		}
	}
	for l := 1; l <= most; l++ {
		if paths[l].Len() > 0 {
			o.printf(`<path class="%s" fill-opacity="%.2f" d="%s"/>`+"\n", class, 0.3+0.7*float64(l)/float64(most), paths[l].String())
		}
	}
}

// ticks draws where there is trouble of a kind.
func (o *overview) ticks(s Sign) {
	var path strings.Builder
	for i := range o.bands {
		for at, is := range o.bands[i].marks[s] {
			if is {
				fmt.Fprintf(&path, "M%.0f %.1fv%.1f", pictureLeft+(float64(at)+0.5)*momentPx, o.top(i)+bandHigh-tickHigh, tickHigh)
			}
		}
	}
	if path.Len() > 0 {
		o.printf(`<path class="tick %s" d="%s"/>`+"\n", glyphs[s].Name, path.String())
	}
}

// samples gives the legend of the shades and ticks that are on the overview.
func (o *overview) samples() *legend {
	l := new(legend)
	l.add(`<path class="held" d="M%.1f %.1fv-8h18v8z"/>`, "share of the locks that are held", "")
	has := func(some func(*bandSum) bool) bool {
		return slices.ContainsFunc(o.bands, func(b bandSum) bool { return some(&b) })
	}
	if has(func(b *bandSum) bool { return b.waits > 0 }) {
		l.add(`<path class="awaits" d="M%.1f %.1fv-5h18v5z"/>`, "requests that wait, the darker the more", "")
	}
	for s, g := range glyphs {
		if has(func(b *bandSum) bool { return b.trouble[Sign(s)] > 0 }) {
			l.add(`<path class="tick `+g.Name+`" d="M%.1f %.1fm9 1v-10"/>`, g.Means, "")
		}
	}
	if o.chart.To > o.chart.Last {
		l.add(endSample, o.chart.ends(), "")
	}
	l.begin()
	l.add("", "This is an overview. A part of it is drawn in detail with --lock, --client, --from and --to, and all of it in a page (.html).", "")
	return l
}
