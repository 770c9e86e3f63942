package browsertest

import (
	"math"
	"os"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/leasekeeper/lkactor/cmd/lkactor/internal/timeline/sample"
)

// incident is INC-5127.
func incident(t testing.TB) string {
	t.Helper()
	text, err := os.ReadFile("../../../../../docs/examples/inc-5127.json")
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	for i := range lines {
		lines[i] = strings.TrimSuffix(lines[i], ",")
	}
	return strings.Join(lines[1:len(lines)-1], "\n")
}

// Whatever is on the chart says what it is when the mouse is over it, and in the panel
// once it has been clicked.
func TestHover(t *testing.T) {
	p := open(t, incident(t))
	wants(t, p.point(p.note(`granted to "etl-a"`)), "exports/daily", "0 · #1", "token 1 until 30", "lapsed after 30 s")
	wants(t, p.point(p.note(`"etl-c" queued`)), "8 · #3", "queued at position 2", `handed over to "etl-c"`)
	wants(t, p.point(p.note(`write of "part-1" under token 1 of "etl-a" refused`)), "32 · #7", `refused as stale: a write under token 2 of "etl-b" was accepted at 31 (#6)`)
	wants(t, p.point(p.note(`renew by "etl-a" refused`)), "not holder")
	for note, text := range eval[[]string](p, "timeline.notes()") {
		// Several things may be in one place; what is above is said, and it is of that instant.
		if said := p.point(note); !strings.Contains(said, text) && !strings.Contains(said, eval[string](p, "timeline.instant("+itoa(note)+")")+" · ") {
			t.Errorf("at the place of %q the page says %q", text, said)
		}
	}
	p.run(chromedp.MouseEvent(chromedp.MouseMoved, 700, 20))
	if !eval[bool](p, `document.getElementById("tip").hidden`) {
		t.Error("it goes on talking when the mouse has left")
	}
	x, y := p.where(p.note(`handed over to "etl-b"`))
	p.run(chromedp.MouseClickXY(x, y))
	wants(t, p.text("#details"), "exports/daily", "30 · #5", `handed over to "etl-b"`, "50 · #8", "lapsed after 20 s")
	wants(t, p.text("#said"), `handed over to "etl-b"`)
}

// Zooming by wheel keeps the instant under the mouse where it is, and nobody can leave the
// chart.
func TestZoomAndPan(t *testing.T) {
	p := open(t, incident(t))
	all := p.span()
	x, y := p.where(p.note(`write of "part-1" under token 2 of "etl-b" accepted`))
	p.wheel(x, y, -300, 0)
	if near, _ := p.where(p.note(`write of "part-1" under token 2 of "etl-b" accepted`)); p.span() > all*0.8 || math.Abs(near-x) > 1 {
		t.Errorf("after the wheel the span is %g of %g, and what was at %g is at %g", p.span(), all, x, near)
	}
	before := eval[[]float64](p, "timeline.range()")
	p.run(chromedp.DragAndDropXY(x, y, x-100, y))
	p.settle()
	after := eval[[]float64](p, "timeline.range()")
	moved := 100 * (before[1] - before[0]) / eval[float64](p, `document.getElementById("stage").clientWidth`)
	if got := after[0] - before[0]; math.Abs(got/moved-1) > 0.3 || math.Abs((after[1]-after[0])/(before[1]-before[0])-1) > 1e-6 {
		t.Errorf("dragged by 100 pixels the chart moved by %g, want about %g", got, moved)
	}
	for range 8 {
		p.run(chromedp.DragAndDropXY(x, y, x-300, y))
	}
	p.settle()
	if end := eval[[]float64](p, "timeline.range()"); end[1] > 65+1e-6 {
		t.Errorf("dragged to the end, the chart shows %g to %g", end[0], end[1])
	}
	for range 12 {
		p.wheel(x, y, -600, 0)
	}
	if p.span() < 3.9 || p.span() > 4.1 {
		t.Errorf("at most four seconds are shown, not %g", p.span())
	}
	p.run(chromedp.Click(chromedp.ID("fit")))
	p.settle()
	if p.span() != all {
		t.Errorf("all is %g, want %g", p.span(), all)
	}
	p.run(chromedp.Click(chromedp.ID("in")))
	p.settle()
	if math.Abs(p.span()-all/2) > all/1000 {
		t.Errorf("zoomed in, the span is %g of %g", p.span(), all)
	}
	p.run(chromedp.Click(chromedp.ID("out")))
	p.settle()
	p.run(chromedp.MouseClickXY(x, y, func(e *dispatch) { e.ClickCount = 2 }))
	p.settle()
	if p.span() > all*0.6 {
		t.Errorf("after a double click the span is %g of %g", p.span(), all)
	}
}

// Where lanes do not fit on the screen the wheel goes over them, and zooms with Ctrl.
func TestWheelOverManyLanes(t *testing.T) {
	p := open(t, sample.Log(1, sample.Shape{Locks: 40, Clients: 40, Operations: 900}))
	if eval[bool](p, "timeline.overview()") {
		t.Fatal("40 locks are shown as an overview")
	}
	all := p.span()
	p.wheel(500, 500, 400, 0)
	if p.span() != all || eval[float64](p, `document.getElementById("stage").scrollTop`) < 100 {
		t.Error("the wheel does not go over the lanes")
	}
	p.wheel(500, 500, -400, ctrl)
	if p.span() > all*0.8 {
		t.Error("Ctrl and the wheel do not zoom")
	}
	before := eval[[]float64](p, "timeline.range()")
	p.wheel(500, 500, 200, shift)
	after := eval[[]float64](p, "timeline.range()")
	if math.Abs((after[1]-after[0])-(before[1]-before[0])) > 1e-6 || after[0] <= before[0] {
		t.Errorf("Shift and the wheel move from %v to %v", before, after)
	}
	top := eval[float64](p, `document.getElementById("stage").scrollTop`)
	p.run(chromedp.DragAndDropXY(500, 500, 500, 400))
	p.settle()
	if moved := eval[float64](p, `document.getElementById("stage").scrollTop`) - top; moved < 60 || moved > 140 {
		t.Errorf("dragged up by 100 pixels, the lanes move by %g", moved)
	}
}
