package browsertest

import (
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/leasekeeper/lkactor/cmd/lkactor/internal/timeline/sample"
)

// note gives the event that is chosen; -1 if none is.
func (p *page) chosen() int { return eval[int](p, "timeline.note()") }

// focus says what has the focus.
func (p *page) focus() string { return eval[string](p, "document.activeElement.id") }

// Every event of a lock is come to with the arrow keys alone, in order, and said.
func TestWalkWithTheKeyboard(t *testing.T) {
	p := open(t, incident(t))
	if p.focus() != "stage" {
		t.Fatalf("on a page that has just been opened keys go to %q", p.focus())
	}
	p.keys("/") // elsewhere, and back
	for range 20 {
		if p.keys(kb.Tab); p.focus() == "stage" {
			break
		}
	}
	if p.focus() != "stage" {
		t.Fatal("the chart cannot be come to with Tab")
	}
	notes := eval[[]string](p, "timeline.notes()")
	for i, text := range notes {
		p.keys(kb.ArrowRight)
		if p.chosen() != i {
			t.Fatalf("after %d steps event %d is chosen", i+1, p.chosen())
		}
		wants(t, p.text("#said"), text)
		wants(t, p.text("#details"), text)
	}
	p.keys(kb.ArrowRight)
	if p.chosen() != len(notes)-1 {
		t.Error("there is something behind the last event")
	}
	p.keys(kb.Home)
	if p.chosen() != 0 {
		t.Error("Home does not lead to the first event")
	}
	p.keys(kb.End, kb.ArrowLeft)
	if p.chosen() != len(notes)-2 {
		t.Error("End and left do not lead to the last event but one")
	}
	p.keys(kb.Escape)
	if p.chosen() != -1 {
		t.Error("Escape leaves something chosen")
	}
	all := p.span()
	p.keys("+", "+")
	if p.span() > all*0.3 {
		t.Errorf("zoomed in twice, the span is %g of %g", p.span(), all)
	}
	p.keys("0")
	if p.span() != all {
		t.Errorf("0 shows %g of %g", p.span(), all)
	}
	p.keys("t")
	wants(t, p.text("#said"), "refused as stale")
	p.keys("t")
	wants(t, p.text("#said"), "No more trouble")
	p.keys(kb.Enter)
	if p.span() > all/3 {
		t.Errorf("Enter shows %g of %g", p.span(), all)
	}
	p.keys("?")
	wants(t, p.text("#help"), "the event before, after")
	before := p.chosen()
	p.keys(kb.Escape)
	if hidden := eval[bool](p, `document.getElementById("help").hidden`); !hidden || p.chosen() != before {
		t.Errorf("Escape: the help is hidden: %v, event %d is chosen and not %d", hidden, p.chosen(), before)
	}
	p.keys("/")
	if p.focus() != "locks" {
		t.Errorf("/ leads to %q", p.focus())
	}
	p.keys("T") // is a letter here
	if got := eval[string](p, `document.getElementById("locks").value`); !strings.HasSuffix(got, "T") || p.chosen() != before {
		t.Errorf("typed T, the field has %q", got)
	}
}

// Up and down lead from lock to lock, to what is nearest in time and onto the screen.
func TestKeysOverManyLocks(t *testing.T) {
	p := open(t, sample.Log(2, sample.Shape{Locks: 60, Clients: 30, Operations: 1_000}), "--title", "sixty")
	p.run(chromedp.Focus(chromedp.ID("stage")))
	if eval[bool](p, "timeline.overview()") {
		p.keys("o")
	}
	shown := p.shown()
	p.keys(kb.ArrowDown) // chooses on the first lock
	for i := 1; i < 25; i++ {
		p.keys(kb.ArrowDown)
		if said := p.text("#said"); !strings.HasPrefix(said, shown[i]+",") {
			t.Fatalf("lock %d of %q: %q", i, shown[i], said)
		}
		at := eval[[]float64](p, "(() => { const at = timeline.where(timeline.note()); return [at.x, at.y, document.getElementById('stage').clientHeight]; })()")
		if at[1] < 0 || at[1] > at[2] {
			t.Fatalf("lock %d is at %g of %g", i, at[1], at[2])
		}
	}
	p.keys("o")
	if !eval[bool](p, "timeline.overview()") {
		t.Error("o does not lead to the overview")
	}
	wants(t, p.text("#said"), shown[24])
	p.keys("o")
	at := eval[[]float64](p, "(() => { const at = timeline.where(timeline.note()); return [at.y, document.getElementById('stage').clientHeight]; })()")
	if at[0] < 0 || at[0] > at[1] {
		t.Error("what is chosen is lost on the way back from the overview")
	}
}

// The panel has the legend of what is on the screen: of the overview its shades, else the
// colours of clients.
func TestLegendsOfThePanel(t *testing.T) {
	p := open(t, sample.Log(1, sample.Shape{Locks: 5, Clients: 5, Operations: 80}))
	for _, shades := range []bool{false, true, false} {
		details := p.text("#details")
		if strings.Contains(details, "locks held, the stronger the more") != shades || eval[bool](p, `document.querySelector(".colours") !== null`) == shades {
			t.Errorf("overview %v: the panel says %q", shades, details)
		}
		p.keys("o")
	}
}

// The next trouble is a refused write, a deadlock or an abort, and none is left out.
func TestTrouble(t *testing.T) {
	p := open(t, sample.Log(3, sample.Shape{Locks: 10, Clients: 12, Operations: 260, Readers: 25}))
	var want []int
	kinds := map[string]int{}
	for i, text := range eval[[]string](p, "timeline.notes()") {
		for _, trouble := range []string{"refused as stale", "deadlock: the acquire", "being aborted"} {
			if strings.Contains(text, trouble) {
				want = append(want, i)
				kinds[trouble]++
				break
			}
		}
	}
	if len(kinds) < 3 {
		t.Fatalf("only troubles of the kinds %v", kinds)
	}
	var got []int
	for range want {
		p.run(chromedp.Click(chromedp.ID("next")))
		got = append(got, p.chosen())
	}
	if !slices.Equal(got, want) {
		t.Errorf("the troubles are %v, want %v", got, want)
	}
	p.run(chromedp.Click(chromedp.ID("back")))
	if p.chosen() != want[len(want)-2] {
		t.Errorf("before the last one is %d, want %d", p.chosen(), want[len(want)-2])
	}
}
