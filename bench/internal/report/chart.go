package report

import (
	_ "embed"
	"fmt"
	"io"
	"text/template"

	"github.com/leasekeeper/lkactor/bench/internal/footprint"
)

//go:embed chart.svg.tmpl
var chartText string

// The text of a chart comes from names of workloads and of the machine, which
// may hold what XML gives a meaning to.
var chartTemplate = template.Must(template.New("chart").Funcs(template.FuncMap{"xml": template.HTMLEscapeString}).Parse(chartText))

// Sizes of the chart in pixels.
const (
	chartWidth  = 860
	chartLeft   = 170 // where the bars begin
	chartRight  = 90  // kept free for the figures behind the bars
	chartTop    = 40  // above the first panel
	panelTop    = 50  // of a panel, above its bars
	barHeight   = 15
	groupGap    = 14
	panelGap    = 20
	chartBottom = 16
	legendWidth = 110
)

// colours of the levels, dark to light from the bottom up; told apart by anybody.
var colours = map[string]string{
	"plain": "#4d4d4d", "model": "#2166ac", "inline": "#67a9cf", "own": "#ef8a62", "proto": "#b2182b",
	"plain+mutex": "#4d4d4d", "model+mutex": "#2166ac",
}

// panel is a part of the chart with a scale of its own: groups of bars, one for
// each level.
type panel struct {
	title  string
	format string // of the figure at a bar
	groups []values
}

type values struct {
	name string
	bars []value
}

type value struct {
	level string
	size  float64
}

// panels gives what there is to show.
func (r *Report) panels() []panel {
	all := []panel{
		r.Targets.panel("In bulk"),
		r.Others.panel("In bulk, other workloads"),
		r.Growth.panel("In bulk, more and more locks"),
		r.Waiters.panel("In bulk, one hot lock with more and more waiters"),
		r.Singles.panel(),
		r.Callers.panel(),
		r.Rings.panel(),
		memoryPanel(r.Memory),
	}
	var shown []panel
	for _, p := range all {
		if len(p.groups) > 0 {
			shown = append(shown, p)
		}
	}
	return shown
}

func (b *Bulk) panel(title string) panel {
	p := panel{title: title + ": nanoseconds per operation", format: "%.0f ns"}
	for _, w := range b.Workloads {
		group := values{name: w.Name}
		for _, s := range w.Samples {
			group.bars = append(group.bars, value{s.Level, s.Wall.Median()})
		}
		p.groups = append(p.groups, group)
	}
	return p
}

func (s *Singles) panel() panel {
	p := panel{title: "One operation at a time: median in nanoseconds", format: "%.0f ns"}
	for _, w := range s.Workloads {
		group := values{name: w.Name}
		for _, l := range w.Samples {
			group.bars = append(group.bars, value{l.Level, l.P50.Median()})
		}
		p.groups = append(p.groups, group)
	}
	return p
}

func (c *Callers) panel() panel {
	p := panel{title: "Many callers at once: nanoseconds per operation", format: "%.0f ns"}
	for _, crowd := range c.Cases {
		group := values{name: fmt.Sprintf("%d on %d locks", crowd.Callers, crowd.Locks)}
		if crowd.Locks == 1 {
			group.name = fmt.Sprintf("%d on one lock", crowd.Callers)
		}
		for _, s := range crowd.Samples {
			group.bars = append(group.bars, value{s.Level, s.Wall.Median()})
		}
		p.groups = append(p.groups, group)
	}
	return p
}

func (r *Rings) panel() panel {
	p := panel{title: "Breaking a deadlock: median of the closing acquire in microseconds", format: "%.1f us"}
	for _, ring := range r.Cases {
		group := values{name: fmt.Sprintf("ring of %d", ring.Clients)}
		for _, s := range ring.Samples {
			group.bars = append(group.bars, value{s.Level, s.P50.Median() / 1e3})
		}
		p.groups = append(p.groups, group)
	}
	return p
}

func memoryPanel(samples []footprint.Sample) panel {
	p := panel{title: "Memory: bytes of heap and stack for each, besides the name", format: "%.0f B"}
	for _, s := range samples {
		name := fmt.Sprintf("%d %s", s.Count, s.Kind)
		if n := len(p.groups); n == 0 || p.groups[n-1].name != name {
			p.groups = append(p.groups, values{name: name})
		}
		last := &p.groups[len(p.groups)-1]
		last.bars = append(last.bars, value{s.Level, s.Heap + s.Stack})
	}
	return p
}

// What the template is given.
type (
	chart struct {
		Width, Height, Left int
		Caption             string
		Panels              []drawn
	}
	drawn struct {
		Title         string
		TitleY        int
		Swatch, TextY int // of the legend
		Legend        []legend
		Groups        []group
	}
	legend struct {
		X, TextX     int
		Name, Colour string
	}
	group struct {
		Name  string
		TextY int
		Bars  []bar
	}
	bar struct {
		Y, TextX, TextY, Height int
		Width                   float64
		Colour, Label           string
	}
)

// Chart writes the report as an SVG image: a bar per workload and level, as long
// as what it took.
func (r *Report) Chart(out io.Writer) error {
	c := chart{Width: chartWidth, Left: chartLeft, Caption: r.caption()}
	y := chartTop
	for _, p := range r.panels() {
		var d drawn
		d, y = p.draw(y)
		c.Panels = append(c.Panels, d)
		y += panelGap
	}
	c.Height = y + chartBottom
	if err := chartTemplate.Execute(out, c); err != nil {
		return fmt.Errorf("report: chart: %w", err)
	}
	return nil
}

// draw places the panel at height y and gives where it ends.
func (p *panel) draw(y int) (drawn, int) {
	longest := 0.0
	var levels []string
	for _, g := range p.groups {
		for i, b := range g.bars {
			longest = max(longest, b.size)
			if i == len(levels) {
				levels = append(levels, b.level)
			}
		}
	}
	d := drawn{Title: p.title, TitleY: y + 18, Swatch: y + 28, TextY: y + 38}
	for i, l := range levels {
		x := chartLeft + i*legendWidth
		d.Legend = append(d.Legend, legend{X: x, TextX: x + 18, Name: l, Colour: colours[l]})
	}
	y += panelTop
	for _, g := range p.groups {
		placed := group{Name: g.name, TextY: y + len(g.bars)*barHeight/2 + 4}
		for _, b := range g.bars {
			width := 0.0
			if longest > 0 {
				width = max(0, b.size) / longest * (chartWidth - chartLeft - chartRight)
			}
			placed.Bars = append(placed.Bars, bar{
				Y: y, Height: barHeight - 2, Width: width, Colour: colours[b.level],
				TextX: chartLeft + int(width) + 6, TextY: y + barHeight - 4,
				Label: fmt.Sprintf(p.format, b.size),
			})
			y += barHeight
		}
		y += groupGap
		d.Groups = append(d.Groups, placed)
	}
	return d, y
}
