package timeline

import (
	"bufio"
	"bytes"
	_ "embed"
	"errors"
	"fmt"
	"html"
	"io"

	"github.com/leasekeeper/lkactor/actors/lease"
	"github.com/leasekeeper/lkactor/cmd/lkactor/internal/escape"
	"github.com/leasekeeper/lkactor/cmd/lkactor/internal/telling"
)

// Sizes of the picture in pixels.
const (
	pictureWidth = 1200
	pictureLeft  = 190 // where the lanes begin; left of it are their names
	pictureRight = 26
	pictureTop   = 72 // title and axis
	lineHeight   = 17 // of text below the lanes
	tickRoom     = 110
)

//go:embed svg.css
var pictureStyle string

// picture is a chart that is being written as SVG.
type picture struct {
	*bufio.Writer
	chart *Chart
	lanes []band
	foot  float64 // below the lanes

	failed error // what kept the rest from being written
}

// mostBytes is how large a picture in detail may be.
const mostBytes = 4 << 20

// errTooLarge ends a picture in detail.
var errTooLarge = errors.New("too large")

// bounded keeps a text of at most mostBytes.
type bounded struct{ bytes.Buffer }

// Write implements io.Writer.
func (b *bounded) Write(text []byte) (int, error) {
	if b.Len()+len(text) > mostBytes {
		return 0, errTooLarge
	}
	return b.Buffer.Write(text)
}

// SVG writes the chart as a picture in SVG that stands alone: it loads nothing, runs
// nothing, and is light or dark as its reader is. What would be narrower than a pixel or
// two is drawn together. Where there are many locks, or the picture would be large all the
// same, it is an overview; so no picture is larger than some megabytes.
func (c *Chart) SVG(w io.Writer) error {
	if len(c.Lanes) <= manyLanes {
		var text bounded
		if c.detail(&picture{Writer: bufio.NewWriter(&text), chart: c}) == nil {
			_, err := text.WriteTo(w)
			return err
		}
	}
	return c.overview(&picture{Writer: bufio.NewWriter(w), chart: c})
}

// detail writes every bar and mark.
func (c *Chart) detail(p *picture) error {
	p.foot = p.stack()
	notes, legend := p.notes(), p.samples()
	p.open(p.foot + 30 + float64(legend.lines+len(notes))*lineHeight)
	p.head()
	for i := range p.lanes {
		p.ground(i)
	}
	p.axis()
	p.runs(p.bar)
	p.marks()
	p.knots()
	p.legend(legend)
	p.lines(notes, legend.lines)
	p.printf("</svg>\n")
	return p.finish()
}

// open writes the beginning of a picture of that height.
func (p *picture) open(high float64) {
	p.printf(`<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%.0f" viewBox="0 0 %[1]d %.0[2]f" role="img" aria-label="%s">`+"\n",
		pictureWidth, high, html.EscapeString("Timeline of "+escape.Terminal(p.chart.Title)))
	p.style()
	p.printf(`<rect class="ground" width="%d" height="%.0f"/>`+"\n", pictureWidth, high)
}

// lines writes what stands below the legend.
func (p *picture) lines(notes []line, above int) {
	for i, n := range notes {
		p.text(24+n.indent, p.foot+34+float64(above+i)*lineHeight, n.class, "start", n.text, n.id)
	}
}

// printf writes; what cannot be written is told by finish, and nothing is written then.
func (p *picture) printf(format string, args ...any) {
	if p.failed == nil {
		_, p.failed = fmt.Fprintf(p, format, args...)
	}
}

// finish ends the writing and tells whether anything has gone wrong.
func (p *picture) finish() error {
	if p.failed != nil {
		return p.failed
	}
	return p.Flush()
}

// text writes a line of text, which is escaped here.
func (p *picture) text(x, y float64, class, anchor, text, id string) {
	if id != "" {
		id = ` id="` + id + `"`
	}
	p.printf(`<text%s x="%.1f" y="%.1f" class="%s" text-anchor="%s">%s</text>`+"\n", id, x, y, class, anchor, html.EscapeString(text))
}

// x gives the place of an instant.
func (p *picture) x(at lease.Instant) float64 {
	at = min(max(at, p.chart.From), p.chart.To)
	span := float64(max(uint64(p.chart.To)-uint64(p.chart.From), 1))
	return pictureLeft + float64(uint64(at)-uint64(p.chart.From))/span*(pictureWidth-pictureLeft-pictureRight)
}

// style writes the style sheet: a rule for each colour that a bar has, in light and in
// dark surroundings.
func (p *picture) style() {
	hues := map[int]bool{}
	var light, dark string
	for _, bar := range p.chart.Bars {
		if h := hue(bar.Client); !hues[h] {
			hues[h] = true
			light += fmt.Sprintf(".h%d{fill:%s}", h, lightFill(bar.Client))
			dark += fmt.Sprintf(".h%d{fill:%s}", h, darkFill(bar.Client))
		}
	}
	p.printf("<style>%s%s\n@media (prefers-color-scheme: dark){%s}</style>\n", pictureStyle, light, dark)
	p.printf(`<defs><pattern id="hatch" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><path class="hatch" d="M0 0V6"/></pattern></defs>` + "\n")
}

func (p *picture) head() {
	c := p.chart
	p.text(24, 24, "title", "start", escape.Terminal(c.Title), "")
	about := fmt.Sprintf("%s, %s; from %s to %s", telling.Many(len(c.Lanes), "lock"), telling.Many(len(c.Clients), "client"), c.Clock.Instant(c.From), c.Clock.Instant(c.Last))
	if !c.Clock.Live() {
		about += ", in seconds"
	}
	p.text(24, 43, "dim", "start", about, "")
}

func (p *picture) axis() {
	c := p.chart
	if !c.Clock.Live() {
		p.text(24, pictureTop-11, "dim", "start", "seconds", "")
	}
	for _, t := range ticks(c.Clock, c.From, c.To, (pictureWidth-pictureLeft)/tickRoom) {
		x := p.x(t.at)
		p.printf(`<path class="grid" d="M%.1f %d V%.1f"/>`+"\n", x, pictureTop-6, p.foot)
		p.text(x, pictureTop-11, "dim", "middle", t.label, "")
	}
	if c.To > c.Last {
		p.printf(`<path class="last" d="M%.1f %d V%.1f"><title>%s</title></path>`+"\n", p.x(c.Last), pictureTop-6, p.foot, c.ends())
	}
}

// ends says what the line at the end of the log is.
func (c *Chart) ends() string {
	if c.Whole {
		return "end of the log"
	}
	return "end of the part of the log that is drawn"
}
