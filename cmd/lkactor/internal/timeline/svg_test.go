package timeline

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"regexp"
	"strings"
	"testing"

	"github.com/leasekeeper/lkactor/cmd/lkactor/internal/escape"
	"github.com/leasekeeper/lkactor/cmd/lkactor/internal/timeline/sample"
)

// element is what an SVG has of one kind.
type element struct {
	attributes map[string]string
	text       string
}

// parseSVG reads a picture strictly and gives its elements by name.
func parseSVG(t *testing.T, picture []byte) map[string][]*element {
	t.Helper()
	d := xml.NewDecoder(bytes.NewReader(picture))
	all := map[string][]*element{}
	var open []*element
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return all
		}
		if err != nil {
			t.Fatalf("%v in\n%.2000s", err, picture)
		}
		switch token := token.(type) {
		case xml.StartElement:
			e := &element{attributes: map[string]string{}}
			for _, a := range token.Attr {
				e.attributes[a.Name.Local] = a.Value
			}
			all[token.Name.Local] = append(all[token.Name.Local], e)
			open = append(open, e)
		case xml.EndElement:
			open = open[:len(open)-1]
		case xml.CharData:
			if len(open) > 0 {
				open[len(open)-1].text += string(token)
			}
		}
	}
}

func pictureOf(t *testing.T, c *Chart) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := c.SVG(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// Of a short log everything is on the picture, with its words.
func TestPicturesShowEverything(t *testing.T) {
	for seed := range uint64(10) {
		c := whole(t, sample.Log(seed, sample.Shape{Locks: 3, Clients: 6, Operations: 40, Readers: 30}))
		text := string(pictureOf(t, c))
		all := parseSVG(t, []byte(text))
		said := map[string]bool{}
		for _, e := range all["title"] {
			said[e.text] = true
		}
		for i := range c.Bars {
			if told := c.told(&c.Bars[i]); !said[told] {
				t.Errorf("seed %d: no bar says %s", seed, told)
			}
		}
		shown := 0
		for _, e := range all["path"] {
			if strings.Contains(e.attributes["transform"], "translate") && e.attributes["class"] != "deadlock" {
				shown++
			}
		}
		if shown == 0 || len(c.Knots) > 0 && !strings.Contains(text, `id="deadlock-1"`) {
			t.Errorf("seed %d: %d marks, and of %d deadlocks the first is not told", seed, shown, len(c.Knots))
		}
	}
}

// Names are text in a picture, wherever they stand.
func TestHostileNamesInPictures(t *testing.T) {
	text := pictureOf(t, whole(t, sample.HostileLog()))
	all := parseSVG(t, text)
	for name := range all {
		switch name {
		case "svg", "style", "defs", "pattern", "rect", "text", "tspan", "title", "path", "g", "a", "circle":
		default:
			t.Errorf("an element %s", name)
		}
		for _, e := range all[name] {
			for a, value := range e.attributes {
				if strings.HasPrefix(a, "on") || a == "href" && !regexp.MustCompile(`^#deadlock-\d+$`).MatchString(value) {
					t.Errorf("%s has the attribute %s=%q", name, a, value)
				}
			}
		}
	}
	said := map[string]bool{}
	for _, e := range all["title"] {
		said[e.text] = true
	}
	for _, name := range sample.Hostile {
		if !said[escape.Terminal(name)] {
			t.Errorf("no lane is named %s", escape.Terminal(name))
		}
	}
	for _, r := range string(text) {
		if r < ' ' && r != '\n' || r == 0x202e || r == 0x2066 || r == 0x200f || r == 0x2028 {
			t.Errorf("the picture has the character %U", r)
		}
	}
}

// A picture does not grow with the log: what is closer than pixels is drawn together.
func TestPicturesOfLongLogs(t *testing.T) {
	for _, test := range []struct {
		name  string
		shape sample.Shape
		rows  int // that are on the picture at most
	}{
		{"one lock", sample.Shape{Locks: 1, Clients: 3, Operations: 20_000}, 1 + 2},
		{"a crowd", sample.Shape{Locks: 1, Clients: 5_000, Operations: 12_000, Readers: 100}, 2 * mostHeight / leastHeight},
		{"many locks", sample.Shape{Locks: 200, Clients: 400, Operations: 30_000, Readers: 10}, 2 * 200},
	} {
		c := whole(t, sample.Log(1, test.shape))
		all := parseSVG(t, pictureOf(t, c))
		// Between any two bars that are wide enough to be drawn alone there may be one of
		// several; and a wait is two rectangles, a lease that goes on too.
		wide := 0
		for i := range c.Bars {
			if p := (&picture{chart: c}); p.x(c.Bars[i].To)-p.x(c.Bars[i].From) >= 2 {
				wide++
			}
		}
		if test.name == "a crowd" {
			wide = test.rows // all rows are shared there
		}
		most := 2*(2*wide+test.rows) + len(c.Lanes) + 10
		if n := len(all["rect"]); n > most || n < test.rows/8 {
			t.Errorf("%s: %d rectangles for %d bars, want at most %d", test.name, n, len(c.Bars), most)
		}
		t.Logf("%s: %d bars, %d wide, %d rectangles", test.name, len(c.Bars), wide, len(all["rect"]))
	}
}
