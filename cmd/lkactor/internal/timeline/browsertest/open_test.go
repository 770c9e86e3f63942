package browsertest

import (
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/leasekeeper/lkactor/cmd/lkactor/internal/timeline/sample"
)

// large is a log of which a timeline has some 100,000 events.
var large = sample.Shape{Locks: 2_000, Clients: 3_000, Operations: 62_000, Readers: 20}

// BenchmarkOpen measures how long large timelines take in Chromium: from the request for
// the page to its first picture, and a frame of each kind after that.
func BenchmarkOpen(b *testing.B) {
	for _, test := range []struct {
		name  string
		shape sample.Shape
	}{
		{"2000-locks", large},
		{"10-locks", sample.Shape{Locks: 10, Clients: 40, Operations: 62_000, Readers: 20}},
		{"a-million", sample.Shape{Locks: 5_000, Clients: 9_000, Operations: 600_000, Readers: 20}},
		{"one-lock", sample.Shape{Locks: 1, Clients: 4, Operations: 80_000}},
	} {
		b.Run(test.name, func(b *testing.B) {
			file := write(b, sample.Log(1, test.shape))
			var opened, detail, overview float64
			for range b.N {
				p := tab(b, 1400, 900)
				p.load(file)
				opened += eval[float64](p, "timeline.opened()")
				detail += eval[float64](p, frames("false"))
				overview += eval[float64](p, frames("true"))
				b.ReportMetric(eval[float64](p, "timeline.notes().length"), "events")
				_ = chromedp.Cancel(p)
			}
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(opened/float64(b.N), "ms/open")
			b.ReportMetric(detail/float64(b.N), "ms/frame")
			b.ReportMetric(overview/float64(b.N), "ms/overview")
		})
	}
}

// frames is how long a frame takes to paint, in one way or the other.
func frames(overview string) string {
	return `(() => {
		if (timeline.overview() !== ` + overview + `) document.getElementById("mode").click();
		timeline.paint();
		const start = performance.now();
		for (let i = 0; i < 10; i++) timeline.paint();
		return (performance.now() - start) / 10;
	})()`
}
