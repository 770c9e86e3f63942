package timeline

import (
	"fmt"
	"html"
	"strings"

	"github.com/leasekeeper/lkactor/cmd/lkactor/internal/telling"
)

// closeBy is the distance in pixels below which marks of one sign are drawn as one.
const closeBy = 3.0

// markPlace is where marks of one sign would be drawn one on the other.
type markPlace struct {
	lane int
	y    float64
	sign Sign
}

// marks writes the marks: those on bars at the end of the bar or where it was renewed,
// the others in the strip of their lane; and what somebody looks for above the rest.
func (p *picture) marks() {
	last := map[markPlace]float64{}
	for _, above := range []bool{false, true} {
		for i := range p.chart.Marks {
			if m := &p.chart.Marks[i]; m.Kind != SignDeadlock && m.Kind.isTrouble() == above {
				p.mark(m, last)
			}
		}
	}
}

// mark writes one mark, unless the last of its sign is there already.
func (p *picture) mark(m *Mark, last map[markPlace]float64) {
	b := &p.lanes[m.Lane]
	x, y, scale := p.x(m.At), p.strip(m.Lane), min(1, (b.bottom-laneGap/2-b.strip)/stripHeight+0.15)
	if m.Bar != NoBar {
		bar := &p.chart.Bars[m.Bar]
		top, high := b.place(bar)
		y, scale = top+high/2-1, min(1, high/leaseHeight+0.2)
		if m.Kind == SignLapse { // it must not hide a short bar
			scale = min(scale, max(0.35, (x-p.x(bar.From))/16))
		}
	}
	key := markPlace{m.Lane, y, m.Kind}
	if before, drawn := last[key]; drawn && x-before < closeBy {
		return
	}
	last[key] = x
	g, size := glyphs[m.Kind], ""
	if scale < 1 {
		size = fmt.Sprintf(" scale(%.2f)", scale)
	}
	p.printf(`<path class="%s" transform="translate(%.1f %.1f)%s" d="%s"><title>%s</title></path>`+"\n",
		g.Name, x, y, size, g.Path, html.EscapeString(p.chart.Notes[m.Note].Text))
}

// mostKnots is how many deadlocks are told below a picture.
const mostKnots = 20

// knots writes the deadlocks: a number at the lock that was asked for, and a line
// across the lanes of the cycle.
func (p *picture) knots() {
	for from := 0; from < len(p.chart.Knots); {
		k := &p.chart.Knots[from]
		to := from + 1 // those that would be drawn one on the other
		for to < len(p.chart.Knots) && p.chart.Knots[to].Lane == k.Lane && p.x(p.chart.Knots[to].At)-p.x(k.At) < closeBy {
			to++
		}
		p.knot(p.chart.Knots[from:to], from+1)
		from = to
	}
}

func (p *picture) knot(knots []Knot, number int) {
	k := &knots[0]
	x, top, bottom := p.x(k.At), p.strip(k.Lane), p.strip(k.Lane)
	for _, k := range knots {
		for _, e := range k.Edges {
			top, bottom = min(top, p.strip(e.Lane)), max(bottom, p.strip(e.Lane))
		}
	}
	p.printf(`<path class="knot" d="M%.1f %.1fV%.1f"/>`+"\n", x, top, bottom)
	seen := map[int]bool{}
	for _, k := range knots {
		for _, e := range k.Edges {
			if !seen[e.Lane] {
				seen[e.Lane] = true
				p.printf(`<circle class="deadlock" cx="%.1f" cy="%.1f" r="3"/>`+"\n", x, p.strip(e.Lane))
			}
		}
	}
	label := fmt.Sprint(number)
	if len(knots) > 1 {
		label = fmt.Sprintf("%d–%d", number, number+len(knots)-1)
	}
	title := []string{p.chart.Notes[k.Note].Text}
	if number <= mostKnots {
		p.printf(`<a href="#deadlock-%d">`, number)
	}
	p.printf(`<path class="deadlock" transform="translate(%.1f %.1f)" d="%s"><title>%s</title></path>`+"\n",
		x, p.strip(k.Lane), glyphs[SignDeadlock].Path, html.EscapeString(strings.Join(append(title, few(k.Lines)...), "\n")))
	if number <= mostKnots {
		p.text(x+8, p.strip(k.Lane)+4, "number on", "start", label, "")
		p.printf("</a>\n")
	}
}

// mostLines is how many lines are told of one deadlock.
const mostLines = 40

// few gives the first lines of a long cycle.
func few(lines []string) []string {
	if len(lines) <= mostLines {
		return lines
	}
	more := fmt.Sprintf("and %d more lines (lkactor explain tells them)", len(lines)-mostLines)
	return append(lines[:mostLines:mostLines], more)
}

// strip gives the middle of the strip of a lane.
func (p *picture) strip(lane int) float64 {
	b := &p.lanes[lane]
	return (b.strip + b.bottom - laneGap/2) / 2
}

// line is one of those below the lanes.
type line struct {
	text, class, id string
	indent          float64
}

// notes says what the deadlocks are that the picture numbers.
func (p *picture) notes() []line {
	var all []line
	for i, k := range p.chart.Knots {
		if i == mostKnots {
			more := fmt.Sprintf("and %s more, each told where the pointer is over it", telling.Many(len(p.chart.Knots)-i, "deadlock"))
			return append(all, line{text: more, class: "dim"})
		}
		n := &p.chart.Notes[k.Note]
		all = append(all, wrap(line{
			text:  fmt.Sprintf("%d: at %s, operation %s: %s", i+1, p.chart.Clock.Instant(n.At), telling.Place(n.Place), n.Text),
			class: "number", id: fmt.Sprintf("deadlock-%d", i+1),
		})...)
		for _, text := range few(k.Lines) {
			spaces := len(text) - len(strings.TrimLeft(text, " "))
			all = append(all, wrap(line{text: text[spaces:], class: "dim", indent: 24 + 8*float64(spaces)})...)
		}
	}
	return all
}

// wrap breaks a line that is wider than the picture between its words.
func wrap(l line) []line {
	var all []line
	room := pictureWidth - 48 - l.indent
	words := strings.Split(l.text, " ")
	l.text = words[0]
	for _, word := range words[1:] {
		if longer := l.text + " " + word; textWidth(longer, 11) <= room {
			l.text = longer
			continue
		}
		all = append(all, l)
		l = line{text: word, class: l.class, indent: l.indent}
		if len(all) == 1 {
			l.indent, room = l.indent+16, room-16
		}
	}
	return append(all, l)
}
