package report

import (
	_ "embed"
	"fmt"
	"io"
	"text/template"
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
	chartTop    = 74
	barHeight   = 15
	groupGap    = 14
	chartBottom = 16
)

// colours of the levels, dark to light from the bottom up; told apart by anybody.
var colours = map[string]string{
	"plain": "#4d4d4d", "model": "#2166ac", "inline": "#67a9cf", "own": "#ef8a62",
}

type chart struct {
	Width, Height, Left int
	Caption             string
	Legend              []legend
	Groups              []group
}

type legend struct {
	X, TextX     int
	Name, Colour string
}

type group struct {
	Name  string
	TextY int
	Bars  []bar
}

type bar struct {
	Y, TextX, TextY, Height int
	Width                   float64
	Colour, Label           string
}

// Chart writes the report as an SVG image: a bar per workload and level, as long
// as one operation takes.
func (r *Report) Chart(out io.Writer) error {
	longest := 0.0
	for _, w := range r.Workloads {
		for i := range w.Samples {
			longest = max(longest, w.Samples[i].Wall.Median())
		}
	}
	c := chart{Width: chartWidth, Left: chartLeft, Caption: r.caption()}
	y := chartTop
	for i, w := range r.Workloads {
		g := group{Name: w.Name, TextY: y + len(w.Samples)*barHeight/2 + 4}
		for k := range w.Samples {
			s := &w.Samples[k]
			width := s.Wall.Median() / longest * (chartWidth - chartLeft - chartRight)
			g.Bars = append(g.Bars, bar{
				Y: y, Height: barHeight - 2, Width: width, Colour: colours[s.Level],
				TextX: chartLeft + int(width) + 6, TextY: y + barHeight - 4,
				Label: fmt.Sprintf("%.0f ns", s.Wall.Median()),
			})
			y += barHeight
			if i == 0 {
				x := chartLeft + k*110
				c.Legend = append(c.Legend, legend{X: x, TextX: x + 18, Name: s.Level, Colour: colours[s.Level]})
			}
		}
		y += groupGap
		c.Groups = append(c.Groups, g)
	}
	c.Height = y + chartBottom
	if err := chartTemplate.Execute(out, c); err != nil {
		return fmt.Errorf("report: chart: %w", err)
	}
	return nil
}
