package timeline

import (
	"fmt"
	"html"
	"maps"
	"slices"

	"github.com/leasekeeper/lkactor/actors/lease"
	"github.com/leasekeeper/lkactor/cmd/lkactor/internal/escape"
)

// legend is what stands right below the lanes: samples of what is drawn on them, from left
// to right and, where there is no more room, on the next line.
type legend struct {
	samples []sampled
	x       float64 // where the next one begins
	lines   int
}

// sampled is one of them.
type sampled struct {
	draw  string // an element of SVG, with verbs for its place
	means string
	full  string // the same in full, if it has been cut
	x     float64
	line  int
}

const (
	legendLeft  = 24.0
	sampleWidth = 24.0 // with the space before its text
	sampleGap   = 14.0

	mostNamed = 24    // clients whose colours are shown
	nameWidth = 150.0 // of each, at most
)

// begin starts a new line, unless nothing is on the last one.
func (l *legend) begin() {
	if l.lines == 0 || l.x > legendLeft {
		l.lines, l.x = l.lines+1, legendLeft
	}
}

// add adds a sample.
func (l *legend) add(draw, means, full string) {
	wide := textWidth(means, 11)
	if draw != "" {
		wide += sampleWidth
	}
	if l.lines == 0 || l.x > legendLeft && l.x+wide > pictureWidth {
		l.begin()
	}
	l.samples = append(l.samples, sampled{draw, means, full, l.x, l.lines - 1})
	l.x += wide + sampleGap
}

// legend writes one.
func (p *picture) legend(l *legend) {
	for _, s := range l.samples {
		x, y := s.x, p.foot+26+float64(s.line)*lineHeight
		if s.draw != "" {
			p.printf(s.draw+"\n", x, y)
			x += sampleWidth
		}
		if s.full == s.means || s.full == "" {
			p.text(x, y, "dim", "start", s.means, "")
			continue
		}
		p.printf(`<text x="%.1f" y="%.1f" class="dim">%s<title>%s</title></text>`+"\n", x, y, html.EscapeString(s.means), html.EscapeString(s.full))
	}
}

const (
	leaseSample = `<rect class="h200 bar%s" x="%%.1f" y="%%.1f" width="18" height="10" transform="translate(0 -9)"/>`
	waitSample  = `<rect class="hatched" x="%.1f" y="%.1f" width="18" height="7" transform="translate(0 -8)"/>`
	manySample  = `<rect class="many" x="%.1f" y="%.1f" width="18" height="10" transform="translate(0 -9)"/>`
	endSample   = `<path class="last" transform="translate(%.1f %.1f)" d="M9 -10V3"/>`
	markSample  = `<g transform="translate(%%.1f %%.1f)"><path class="%s" transform="translate(9 -4)" d="%s"/></g>`
)

// samples gives the legend of a picture in detail: the kinds of bars and marks that are on
// it, and then the colours of clients.
func (p *picture) samples() *legend {
	var held, wait, shared, open, many bool
	var used [len(glyphs)]bool
	drawn := map[int]bool{} // clients, in their colours
	p.runs(func(r *run) {
		b := r.first
		if r.bars > 1 {
			many = true
			return
		}
		drawn[b.Client] = true
		held, wait = held || !b.Wait, wait || b.Wait
		shared = shared || b.Mode == lease.Shared && !b.Wait
		open = open || b.End == Open && !b.Wait && b.To > p.chart.Last
	})
	for _, m := range p.chart.Marks {
		used[m.Kind] = true
	}
	l := new(legend)
	sample := func(is bool, draw, means string) {
		if is {
			l.add(draw, means, "")
		}
	}
	sample(held, fmt.Sprintf(leaseSample, ""), "lease, with its token")
	sample(shared, fmt.Sprintf(leaseSample, " shared"), "shared lease")
	sample(p.chart.To > p.chart.Last, endSample, p.chart.ends())
	sample(open, fmt.Sprintf(leaseSample, " ahead"), "what is left of a lease then")
	sample(wait, waitSample, "wait")
	sample(many, manySample, "several, too narrow to be told apart")
	for s, g := range glyphs {
		sample(used[s], fmt.Sprintf(markSample, g.Name, g.Path), g.Means)
	}
	p.colours(l, slices.Sorted(maps.Keys(drawn)))
	return l
}

// colours adds those of clients that have a bar of their own, in the order in which the log
// has them.
func (p *picture) colours(l *legend, seen []int) {
	if len(seen) == 0 {
		return
	}
	l.begin()
	for _, client := range seen[:min(len(seen), mostNamed)] {
		name := escape.Terminal(p.chart.Clients[client])
		l.add(fmt.Sprintf(`<rect class="h%d bar" x="%%.1f" y="%%.1f" width="18" height="10" transform="translate(0 -9)"/>`, hue(client)), fit(name, 11, nameWidth), name)
	}
	if more := len(seen) - mostNamed; more > 0 {
		l.add("", fmt.Sprintf("and %d more, each named where the pointer is over its bar", more), "")
	}
}
