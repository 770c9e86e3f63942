package browsertest

import (
	"bytes"
	"flag"
	"image/color"
	"image/png"
	"os"
	"path/filepath"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"

	"github.com/leasekeeper/lkactor/cmd/lkactor/internal/timeline/sample"
)

var screens = flag.String("screens", "", "a folder for pictures of what pages look like")

// fewColours is more than there would be where the lanes are if none was drawn: a ground,
// an axis and some lines.
const fewColours = 100

// What pages look like, light and dark, small and large, for people to look at. Without
// a folder the pictures are taken all the same, and must show something.
func TestScreens(t *testing.T) {
	for name, log := range map[string]string{
		"10-locks":    sample.Log(3, sample.Shape{Locks: 10, Clients: 12, Operations: 260, Readers: 25}),
		"2000-locks":  sample.Log(3, sample.Shape{Locks: 2_000, Clients: 1_500, Operations: 20_000, Readers: 20}),
		"one-crowd":   sample.Log(3, sample.Shape{Locks: 2, Clients: 400, Operations: 2_000, Readers: 90}),
		"hostile":     sample.HostileLog(),
		"three-locks": sample.Log(5, sample.Shape{Locks: 3, Clients: 5, Operations: 60, Readers: 25}),
	} {
		for _, scheme := range []string{"light", "dark"} {
			p := tab(t, 1400, 900)
			p.prefer(scheme)
			p.load(write(t, log))
			p.settle()
			p.shoot(name + "-" + scheme)
			if name == "10-locks" || name == "2000-locks" {
				p.keys("t")
				p.shoot(name + "-trouble-" + scheme)
				p.keys("o")
				p.shoot(name + "-other-" + scheme)
				p.run(chromedp.Click(chromedp.ID("helper")))
				p.run(chromedp.Focus(chromedp.ID("stage")))
				p.keys("\r")
				p.shoot(name + "-closer-" + scheme)
			}
		}
	}
}

func (p *page) shoot(name string) {
	p.t.Helper()
	picture, err := chromedp.Run(p, chromedp.CaptureScreenshot())
	if err != nil {
		p.t.Fatal(err)
	}
	img, err := png.Decode(bytes.NewReader(picture))
	if err != nil {
		p.t.Fatal(err)
	}
	colours := map[color.Color]bool{}
	for x := 290; x < 1_060; x++ { // right of the names, left of the panel
		for y := 110; y < 900; y++ {
			colours[img.At(x, y)] = true
		}
	}
	if len(colours) < fewColours {
		p.t.Errorf("%s shows %d colours", name, len(colours))
	}
	if *screens == "" {
		return
	}
	if err := os.WriteFile(filepath.Join(*screens, name+".png"), picture, 0o600); err != nil {
		p.t.Fatal(err)
	}
}

// prefer sets the colour scheme of the system.
func (p *page) prefer(scheme string) {
	p.t.Helper()
	features := []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}
	if _, err := chromedp.Call(p, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: features}); err != nil {
		p.t.Fatal(err)
	}
}
