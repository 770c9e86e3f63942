package browsertest

import (
	"bytes"
	"fmt"
	"image/png"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/leasekeeper/lkactor/cmd/lkactor/internal/escape"
	"github.com/leasekeeper/lkactor/cmd/lkactor/internal/timeline/sample"
)

// A page asks for nothing but itself.
func TestNoNetwork(t *testing.T) {
	p := open(t, sample.Log(1, sample.Shape{Locks: 5, Clients: 5, Operations: 80}))
	p.keys("?", "t", "o")
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.requests) != 1 || !strings.HasPrefix(p.requests[0], "file://") {
		t.Errorf("the page asked for %q", p.requests)
	}
}

// Whatever names are like, they are text on the page and change nothing else.
func TestHostileNames(t *testing.T) {
	for _, title := range sample.Hostile {
		if len(title) > 1_000 {
			continue
		}
		p := open(t, sample.HostileLog(), "--title", title)
		if got, want := eval[string](p, "document.title"), "Timeline: "+escape.Terminal(title); got != want {
			t.Errorf("the title is %q, want %q", got, want)
		}
		if got := p.text("h1"); got != escape.Terminal(title) {
			t.Errorf("the heading is %q", got)
		}
	}
	p := open(t, sample.HostileLog())
	for i, name := range eval[[]string](p, `[...document.querySelectorAll(".colours li")].map((li) => li.textContent)`) {
		if i >= 24 || !slices.ContainsFunc(sample.Hostile, func(s string) bool { return name == escape.Terminal(s) || name == escape.Terminal(s+"x") }) {
			t.Errorf("colour %d is of %q", i+1, name)
		}
	}
	before := eval[int](p, `document.querySelectorAll("body *").length`) - eval[int](p, `document.querySelectorAll("#details *").length`)
	count := eval[int](p, "timeline.notes().length")
	for note := range count {
		p.point(note)
		eval[chromedp.Void](p, "timeline.choose("+itoa(note)+")")
	}
	for note := range count {
		eval[chromedp.Void](p, "timeline.choose("+itoa(note)+")")
		text := eval[string](p, fmt.Sprintf("timeline.notes()[%d]", note))
		if got := eval[string](p, `document.getElementById("details").textContent`); !strings.Contains(got, text) {
			t.Errorf("the panel says %q, want %q", got, text)
		}
	}
	after := eval[int](p, `document.querySelectorAll("body *").length`) - eval[int](p, `document.querySelectorAll("#details *").length`)
	if before != after || eval[bool](p, `document.getElementById("harm") !== null || document.title.includes("harm") || document.images.length > 0`) {
		t.Errorf("%d elements have become %d", before, after)
	}
	shown := map[string]bool{}
	for _, lock := range p.shown() {
		shown[lock] = true
	}
	for _, name := range sample.Hostile {
		if !shown[escape.Terminal(name)] {
			t.Errorf("%s is not shown", escape.Terminal(name))
		}
	}
	// A name is found by what is shown of it and by what it is.
	for _, text := range []string{`\x1b[31mred`, "\x1b[31mRED", strings.Repeat("long/", 500), `<SCRIPT>`, "ロック"} {
		eval[chromedp.Void](p, fmt.Sprintf(`(() => { const f = document.getElementById("locks"); f.value = %q; f.dispatchEvent(new Event("input")); })()`, text))
		if n := len(p.shown()); n != 1 {
			t.Errorf("%d locks for %.40q", n, text)
		}
	}
}

// A page is light or dark as the system is, unless its reader says otherwise.
func TestColours(t *testing.T) {
	file := write(t, sample.Log(1, sample.Shape{Locks: 5, Clients: 5, Operations: 80}))
	bright := func(p *page) bool {
		p.settle()
		picture, err := chromedp.Run(p, chromedp.CaptureScreenshot())
		if err != nil {
			t.Fatal(err)
		}
		img, err := png.Decode(bytes.NewReader(picture))
		if err != nil {
			t.Fatal(err)
		}
		var sum uint64
		n := uint64(0)
		for x := 200; x < 1000; x += 5 {
			for y := 100; y < 850; y += 5 {
				r, g, b, _ := img.At(x, y).RGBA()
				sum += uint64(r + g + b)
				n++
			}
		}
		return sum/n > 3*0x8000
	}
	swatch := `getComputedStyle(document.querySelector(".colours i")).backgroundColor`
	for _, scheme := range []string{"light", "dark"} {
		p := tab(t, 1400, 900)
		p.prefer(scheme)
		p.load(file)
		if bright(p) != (scheme == "light") {
			t.Errorf("the page is not %s", scheme)
		}
		swatches := map[string]bool{}
		for _, choice := range []string{"light", "dark"} {
			p.run(chromedp.SetValue(chromedp.ID("theme"), choice))
			eval[bool](p, `document.getElementById("theme").dispatchEvent(new Event("change"))`)
			if bright(p) != (choice == "light") {
				t.Errorf("of a %s system: the page is not %s", scheme, choice)
			}
			swatches[eval[string](p, swatch)] = true
		}
		if len(swatches) != 2 {
			t.Errorf("of a %s system: the colours of clients stay %v", scheme, swatches)
		}
	}
}

// Instants on the page are those of the command, to the nanosecond and before and behind
// all that a clock shows.
func TestInstants(t *testing.T) {
	for _, log := range []string{
		incident(t),
		`["acquire",-4611686018427387904,"a","L",5]` + "\n" + `["acquire",4611686018427387903,"a","L",5]`,
		`{"lkactor":1,"unit":"ns","zero":"1969-12-31T23:59:59.000000001Z","engine":"0b5b8d5e-8a4e-4c55-9d7c-5b1f7a0c2f11"}
["acquire",-1000000002,"a","L",1000000]
["acquire",998999999,"a","L",1000000]
["acquire",1000000000000000007,"a","L",1000000]`,
	} {
		p := open(t, log)
		for note, text := range eval[[]string](p, "timeline.notes()") {
			at := eval[string](p, "timeline.instant("+itoa(note)+")")
			if _, until, found := strings.Cut(text, "lapsed at "); found && !strings.Contains(until, at) {
				t.Errorf("%q is at %s", text, at)
			}
			if strings.HasPrefix(text, "token") && strings.Contains(text, "noticed") {
				begun := eval[string](p, "timeline.notes().find((text) => text.includes('until "+at+"'))")
				wants(t, begun, "until "+at)
			}
		}
		if n := eval[int](p, "timeline.ticks().length"); n < 2 {
			t.Errorf("the axis has %d ticks", n)
		}
	}
}

// The axis has round times, as exact as the zoom asks for.
func TestAxis(t *testing.T) {
	p := open(t, `{"lkactor":1,"unit":"ns","zero":"2026-03-01T23:58:00.25Z","engine":"0b5b8d5e-8a4e-4c55-9d7c-5b1f7a0c2f11"}
["acquire",0,"a","L",1000000]
["write",179750000000,"L","k","v",1]
`)
	if got := strings.Join(eval[[]string](p, "timeline.ticks()"), " "); got != "23:58:30 23:59:00 23:59:30 2026-03-02 00:00:30 00:01:00" {
		t.Errorf("ticks at %s", got)
	}
	eval[chromedp.Void](p, "timeline.choose("+itoa(p.note(`granted to "a"`))+")")
	p.run(chromedp.Focus(chromedp.ID("stage")))
	p.keys("\r")
	for _, tick := range eval[[]string](p, "timeline.ticks()") {
		if !strings.HasPrefix(tick, "23:58:00.25") || len(tick) < len("23:58:00.2502") {
			t.Errorf("a tick at %s", tick)
		}
	}
}

// A picture is one file as well, and names in it are text.
func TestPictures(t *testing.T) {
	file := writeAs(t, "timeline.svg", sample.HostileLog(), "--title", sample.Hostile[0])
	p := tab(t, 1200, 900)
	p.run(chromedp.Navigate("file://"+file), chromedp.WaitReady(chromedp.CSS("svg")))
	p.shoot("picture")
	if n := eval[int](p, `document.querySelectorAll("script, img, image, foreignObject, [onload], [onerror], [onmouseover]").length`); n > 0 {
		t.Errorf("%d elements do something", n)
	}
	if got := eval[string](p, `document.querySelector("text.title").textContent`); got != escape.Terminal(sample.Hostile[0]) {
		t.Errorf("the title is %q", got)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.requests) != 1 {
		t.Errorf("the picture asked for %q", p.requests)
	}
}

// However much there is, a frame draws no more than the screen has room for.
func TestLargeTimelines(t *testing.T) {
	p := open(t, sample.Log(1, large))
	if n := eval[int](p, "timeline.notes().length"); n < 90_000 {
		t.Fatalf("only %d events", n)
	}
	if !eval[bool](p, "timeline.overview()") || len(p.shown()) != large.Locks {
		t.Fatalf("%d locks, not as an overview", len(p.shown()))
	}
	const bands, columns = 900 / 12, 1400 / 3
	p.drawsAtMost("overview", bands*columns/2, bands*columns/2)
	p.keys("o")
	p.drawsAtMost("lane by lane", 20_000, 20_000)
	if got := eval[float64](p, `document.getElementById("stage").scrollHeight`); got < 2_000*30 {
		t.Errorf("all lanes are %g high", got)
	}
	x, y := p.where(p.note("granted to"))
	p.run(chromedp.MouseEvent(chromedp.MouseMoved, x, y))
	last := p.shown()[large.Locks-1]
	p.fill("locks", last)
	if got := p.shown(); len(got) != 1 || got[0] != last {
		t.Errorf("shown are %q", got)
	}
	one := open(t, sample.Log(1, sample.Shape{Locks: 1, Clients: 4, Operations: 60_000}))
	one.drawsAtMost("one lock", 150, 1400*3)
	crowd := open(t, sample.Log(1, sample.Shape{Locks: 1, Clients: 20_000, Operations: 40_000, Readers: 100}))
	crowd.drawsAtMost("a crowd", 1400, 1400*2)
}

func (p *page) drawsAtMost(what string, bars, marks int) {
	p.t.Helper()
	drawn := eval[map[string]int](p, "timeline.drawn()")
	if drawn["bars"] == 0 || drawn["bars"] > bars || drawn["marks"] > marks {
		p.t.Errorf("%s: %v drawn, want at most %d bars and %d marks", what, drawn, bars, marks)
	}
	p.t.Logf("%s: %v", what, drawn)
}

// Without scripts the page says what it lacks.
func TestWithoutScripts(t *testing.T) {
	text, err := os.ReadFile(write(t, incident(t)))
	if err != nil {
		t.Fatal(err)
	}
	wants(t, string(text), "<noscript>")
	broken := bytes.Replace(text, []byte(`id="data">`), []byte(`id="data">AAAA`), 1)
	file := t.TempDir() + "/broken.html"
	if err := os.WriteFile(file, broken, 0o600); err != nil {
		t.Fatal(err)
	}
	p := tab(t, 1400, 900)
	p.run(chromedp.Navigate("file://"+file), chromedp.WaitVisible(chromedp.ID("notice")))
	wants(t, p.text("#notice"), "This page cannot be shown")
}
