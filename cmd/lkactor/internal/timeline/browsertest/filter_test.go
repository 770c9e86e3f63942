package browsertest

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/leasekeeper/lkactor/cmd/lkactor/internal/timeline/sample"
)

// Filters choose lanes by what the names have in them, and by which clients were there.
func TestFilters(t *testing.T) {
	log := sample.Log(6, sample.Shape{Locks: 30, Clients: 25, Operations: 200})
	p := open(t, log)
	all := p.shown()
	p.fill("locks", "0/1")
	if n := len(p.shown()); n != 0 {
		t.Errorf("%d locks have 0/1 in their names", n)
	}
	p.fill("locks", "K/001")
	var want []string
	for _, lock := range all {
		if strings.Contains(lock, "k/001") {
			want = append(want, lock)
		}
	}
	if got := p.shown(); !slices.Equal(got, want) || len(got) < 5 {
		t.Errorf("shown are %q, want %q", got, want)
	}
	wants(t, p.text("#said"), fmt.Sprintf("locks shown: %d of %d", len(want), len(all)))
	p.fill("locks", "")
	p.fill("clients", "job-17")
	want = nil
	for _, lock := range all {
		for line := range strings.Lines(log) {
			if strings.Contains(line, `"job-17","`+lock+`"`) {
				want = append(want, lock)
				break
			}
		}
	}
	// A write names no client, but its token may be that of one, and a deadlock concerns
	// everybody on it: there may be more.
	got := p.shown()
	for _, lock := range want {
		if !slices.Contains(got, lock) {
			t.Errorf("%s is missing for job-17 in %q", lock, got)
		}
	}
	if len(got) >= len(all) || len(want) == 0 {
		t.Errorf("%d of %d locks for job-17", len(got), len(all))
	}
	p.fill("clients", "")
	if got := p.shown(); !slices.Equal(got, all) {
		t.Errorf("without filters %d of %d locks are shown", len(got), len(all))
	}
}

func TestOrders(t *testing.T) {
	p := open(t, `["acquire",0,"x","quiet",5]
["acquire",1,"x","angry",50]
["write",2,"angry","k","v",9]
["write",3,"angry","k","v",1]
["acquire",4,"x","busy",50]
["read",5,"busy","k"]
["read",6,"busy","k"]
["read",7,"busy","k"]
["read",8,"busy","k"]
`)
	for by, want := range map[string]string{
		"name": "angry busy quiet", "first": "quiet angry busy", "busy": "busy angry quiet", "trouble": "angry quiet busy",
	} {
		p.run(chromedp.SetValue(chromedp.ID("order"), by))
		eval[bool](p, `document.getElementById("order").dispatchEvent(new Event("input"))`)
		if got := strings.Join(p.shown(), " "); got != want {
			t.Errorf("by %s: %s, want %s", by, got, want)
		}
	}
}

// A deadlock leads to its cycle: who waits for whom, and the locks of it alone.
func TestDeadlocks(t *testing.T) {
	var log strings.Builder
	for i := range 30 {
		fmt.Fprintf(&log, `["acquire",%d,"bystander-%d","other-%d",500]`+"\n", i, i, i)
	}
	log.WriteString(`["acquire",40,"alice","A",100]
["acquire",41,"bob","Z",100]
["acquire",42,"bob","A",100]
["acquire",43,"alice","Z",100]
`)
	p := open(t, log.String())
	note := p.note(`deadlock: the acquire by "alice"`)
	wants(t, p.point(note), `"bob" (age 32) has to be aborted`, `"alice" waits for "Z", held by "bob" (exclusive, token 1, age 32)`, `"bob" waits for "A", held by "alice"`)
	x, y := p.where(note)
	p.run(chromedp.MouseClickXY(x, y))
	wants(t, p.text("#details"), "The cycle", `"alice" waits for "Z"`, "Only these 2 locks", "Go to A", "Go to Z")
	eval[chromedp.Void](p, `[...document.querySelectorAll("#details button")].find((b) => b.textContent === "Only these 2 locks").click()`)
	p.settle()
	if got := strings.Join(p.shown(), " "); got != "A Z" {
		t.Errorf("shown are %s", got)
	}
	eval[chromedp.Void](p, `[...document.querySelectorAll("#details button")].find((b) => b.textContent === "Go to Z").click()`)
	if p.focus() != "stage" {
		t.Errorf("the focus is on %q", p.focus())
	}
	p.keys("\x1b")
	if n := len(p.shown()); n != 32 {
		t.Errorf("after Escape %d locks are shown", n)
	}
}
