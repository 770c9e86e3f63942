package browsertest

import (
	"math"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
)

// touch puts fingers on the screen where they are told to be, from wherever they were; no
// finger at all lifts them.
func (p *page) touch(kind input.DispatchTouchEventType, at ...[2]float64) {
	p.t.Helper()
	points := []*input.TouchPoint{}
	for i, xy := range at {
		id := float64(i)
		points = append(points, &input.TouchPoint{X: xy[0], Y: xy[1], ID: &id})
	}
	if _, err := chromedp.Call(p, input.DispatchTouchEvent, input.DispatchTouchEventParams{Type: kind, TouchPoints: points}); err != nil {
		p.t.Fatal(err)
	}
}

// move has fingers go from some places to others, in steps.
func (p *page) move(from, to [][2]float64) {
	p.t.Helper()
	const steps = 8
	p.touch("touchStart", from...)
	for step := 1; step <= steps; step++ {
		var at [][2]float64
		for i := range from {
			part := float64(step) / steps
			at = append(at, [2]float64{from[i][0] + part*(to[i][0]-from[i][0]), from[i][1] + part*(to[i][1]-from[i][1])})
		}
		p.touch("touchMove", at...)
	}
	p.touch("touchEnd")
	p.settle()
}

// On a screen without a mouse two fingers zoom, one moves, and a tap chooses.
func TestTouch(t *testing.T) {
	p := tab(t, 1000, 700)
	if _, err := chromedp.Call(p, emulation.SetTouchEmulationEnabled, emulation.SetTouchEmulationEnabledParams{Enabled: true}); err != nil {
		t.Fatal(err)
	}
	p.load(write(t, incident(t)))
	all := p.span()
	x, y := p.where(p.note(`write of "part-1" under token 2 of "etl-b" accepted`))

	p.move([][2]float64{{x - 40, y}, {x + 40, y}}, [][2]float64{{x - 120, y}, {x + 120, y}})
	if at, _ := p.where(p.note(`write of "part-1" under token 2 of "etl-b" accepted`)); p.span() > all*0.5 || math.Abs(at-x) > 3 {
		t.Errorf("after a pinch the span is %g of %g, and what was at %g is at %g", p.span(), all, x, at)
	}
	before := eval[[]float64](p, "timeline.range()")
	p.move([][2]float64{{x, y}}, [][2]float64{{x - 100, y}})
	after := eval[[]float64](p, "timeline.range()")
	if moved := after[0] - before[0]; moved <= 0 || math.Abs((after[1]-after[0])-(before[1]-before[0])) > 1e-6 {
		t.Errorf("a finger that went 100 pixels to the left has moved %v to %v", before, after)
	}
	p.run(chromedp.Click(chromedp.ID("fit")))
	p.settle()
	x, y = p.where(p.note(`handed over to "etl-b"`))
	p.touch("touchStart", [2]float64{x, y})
	p.touch("touchEnd")
	p.settle()
	wants(t, p.text("#details"), "exports/daily", `handed over to "etl-b"`)
}
