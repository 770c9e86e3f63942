package browsertest

import (
	"strconv"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
)

type dispatch = input.DispatchMouseEventParams

// Modifier keys as the protocol counts them.
const (
	ctrl  = 2
	shift = 8
)

// wheel turns the wheel at a point, and waits for what comes of it.
func (p *page) wheel(x, y, by float64, modifiers int64) {
	p.t.Helper()
	p.run(chromedp.MouseEvent(chromedp.MouseWheel, x, y, func(e *dispatch) { e.DeltaX, e.DeltaY, e.Modifiers = 0.001, by, modifiers }))
	p.settle()
}

func itoa(n int) string { return strconv.Itoa(n) }
