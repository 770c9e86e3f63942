package browsertest

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	"github.com/leasekeeper/lkactor/cmd/lkactor/internal/command"
)

// patience is how long a page may take for anything on a busy machine.
const patience = 90 * time.Second

// browser is one Chromium for all tests; each page is a tab of it.
var browser = sync.OnceValues(func() (context.Context, error) {
	options := append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.NoSandbox, // tests may run as root
		chromedp.DisableGPU,
	)
	allocator, _ := chromedp.NewExecAllocator(context.Background(), options...)
	ctx, cancel := chromedp.NewContext(allocator)
	closeBrowser = func() { _ = chromedp.Cancel(ctx); cancel() }
	return ctx, chromedp.Do(ctx)
})

var closeBrowser = func() {}

func TestMain(m *testing.M) {
	code := m.Run()
	closeBrowser()
	os.Exit(code)
}

// page is a timeline in a tab.
type page struct {
	context.Context
	t testing.TB

	mu       sync.Mutex
	requests []string // of the tab
	errors   []string // of its scripts
}

// write has lkactor write the timeline of a log, one operation on each line, and gives
// the name of the file.
func write(t testing.TB, log string, args ...string) string {
	t.Helper()
	return writeAs(t, "timeline.html", log, args...)
}

// writeAs does so to a file of that name.
func writeAs(t testing.TB, name, log string, args ...string) string {
	t.Helper()
	dir := t.TempDir()
	in, out := filepath.Join(dir, "audit.ndjson"), filepath.Join(dir, name)
	if err := os.WriteFile(in, []byte(log), 0o600); err != nil {
		t.Fatal(err)
	}
	var stderr bytes.Buffer
	if code := command.Run(context.Background(), append([]string{"timeline", in, "-o", out}, args...), nil, &stderr, &stderr); code != 0 {
		t.Fatalf("exit code %d: %s", code, stderr.String())
	}
	return out
}

// open opens the timeline of a log.
func open(t testing.TB, log string, args ...string) *page {
	t.Helper()
	p := tab(t, 1400, 900)
	p.load(write(t, log, args...))
	return p
}

// tab opens an empty tab of a size.
func tab(t testing.TB, wide, high int64) *page {
	t.Helper()
	ctx, err := browser()
	if err != nil {
		t.Fatalf("there is no Chromium to be had (Debian's package chromium): %v", err)
	}
	ctx, cancel := chromedp.NewContext(ctx)
	t.Cleanup(cancel)
	ctx, stop := context.WithTimeout(ctx, patience)
	t.Cleanup(stop)
	p := &page{Context: ctx, t: t}
	if err := chromedp.Listen(ctx, p.hear); err != nil {
		t.Fatal(err)
	}
	if _, err := chromedp.Call(ctx, network.Enable, network.EnableParams{}); err != nil {
		t.Fatal(err)
	}
	p.run(chromedp.EmulateViewport(wide, high))
	return p
}

func (p *page) hear(event any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch event := event.(type) {
	case *network.EventRequestWillBeSent:
		p.requests = append(p.requests, event.Request.URL)
	case *runtime.EventExceptionThrown:
		p.errors = append(p.errors, exceptionText(event.ExceptionDetails))
	case *runtime.EventConsoleAPICalled:
		p.errors = append(p.errors, fmt.Sprint("console: ", event.Type))
	}
}

// load opens a file and waits for the first picture of the timeline.
func (p *page) load(file string) {
	p.t.Helper()
	p.run(chromedp.Navigate("file://"+file), chromedp.WaitReady(chromedp.CSS("html[data-ready]")))
	p.t.Cleanup(func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		if len(p.errors) > 0 {
			p.t.Errorf("the page says %q", p.errors)
		}
	})
}

func (p *page) run(actions ...chromedp.Action[chromedp.Void]) {
	p.t.Helper()
	if err := chromedp.Do(p, actions...); err != nil {
		p.t.Fatal(err)
	}
}

// eval gives the value of an expression in the page.
func eval[T any](p *page, expression string) T {
	p.t.Helper()
	value, err := chromedp.Run(p, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
	if err != nil {
		p.t.Fatalf("%v in %s", err, expression)
	}
	return value
}

// settle waits until nothing moves any more: zooms take a moment.
func (p *page) settle() {
	p.t.Helper()
	eval[bool](p, `new Promise((done) => {
		let last = "", same = 0;
		const look = () => {
			const now = JSON.stringify(timeline.range()) + document.getElementById("stage").scrollTop;
			same = now === last ? same + 1 : 0;
			last = now;
			same > 12 ? done(true) : requestAnimationFrame(look);
		};
		look();
	})`)
}

// text gives the text of an element.
func (p *page) text(selector string) string {
	p.t.Helper()
	return eval[string](p, fmt.Sprintf("document.querySelector(%q).innerText", selector))
}

// note gives the number of the first event whose sentence has some words in it.
func (p *page) note(words string) int {
	p.t.Helper()
	n := eval[int](p, fmt.Sprintf("timeline.notes().findIndex((text) => text.includes(%q))", words))
	if n < 0 {
		p.t.Fatalf("no event says %q", words)
	}
	return n
}

// where gives the place of an event in the window.
func (p *page) where(note int) (x, y float64) {
	p.t.Helper()
	at := eval[[]float64](p, fmt.Sprintf(`(() => {
		const at = timeline.where(%d), box = document.getElementById("stage").getBoundingClientRect();
		return [at.x + box.left, at.y + box.top];
	})()`, note))
	return at[0], at[1]
}

// point moves the mouse to an event and gives what the page says of it.
func (p *page) point(note int) string {
	p.t.Helper()
	x, y := p.where(note)
	p.run(chromedp.MouseEvent(chromedp.MouseMoved, x, y))
	return p.text("#tip")
}

// keys types keys into what has the focus.
func (p *page) keys(keys ...string) {
	p.t.Helper()
	for _, key := range keys {
		p.run(chromedp.KeyEvent(key))
	}
	p.settle()
}

// fill puts text into a field as somebody who types.
func (p *page) fill(id, text string) {
	p.t.Helper()
	eval[bool](p, fmt.Sprintf(`(() => { const f = document.getElementById(%q); f.value = ""; return f.dispatchEvent(new Event("input")); })()`, id))
	if text != "" {
		p.run(chromedp.SendKeys(chromedp.ID(id), text))
	}
	p.settle()
}

func (p *page) shown() []string { return eval[[]string](p, "timeline.shown()") }

func (p *page) span() float64 {
	r := eval[[]float64](p, "timeline.range()")
	return r[1] - r[0]
}

func exceptionText(d *runtime.ExceptionDetails) string {
	if d.Exception != nil {
		return d.Text + " " + d.Exception.Description
	}
	return d.Text
}

func wants(t testing.TB, text string, words ...string) {
	t.Helper()
	for _, w := range words {
		if !strings.Contains(text, w) {
			t.Errorf("%q does not say %q", text, w)
		}
	}
}
