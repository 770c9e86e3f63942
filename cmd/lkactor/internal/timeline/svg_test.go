package timeline

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math"
	"regexp"
	"strconv"
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
		{"many locks", sample.Shape{Locks: 60, Clients: 200, Operations: 6_000, Readers: 10}, 2 * 60},
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

// Pictures of very many locks, or of some with very much on each, are overviews of a
// bounded size: a few elements for each band, and none for each event.
func TestOverviews(t *testing.T) {
	for _, test := range []struct {
		name  string
		shape sample.Shape
		bytes int
	}{
		{"2,000 locks", sample.Shape{Locks: 2_000, Clients: 500, Operations: 20_000, Readers: 10}, 1_000_000},
		{"151 locks", sample.Shape{Locks: 151, Clients: 50, Operations: 2_000, Readers: 10}, 300_000},
		{"some locks, busy ones", sample.Shape{Locks: 140, Clients: 4_000, Operations: 40_000, Readers: 60}, 1_000_000},
		{"10,000 locks", sample.Shape{Locks: 10_000, Clients: 5_000, Operations: 20_000}, 1_000_000},
	} {
		c := whole(t, sample.Log(3, test.shape))
		text := pictureOf(t, c)
		all := parseSVG(t, text)
		n, classes := 0, map[string]int{}
		for _, elements := range all {
			for _, e := range elements {
				n++
				classes[e.attributes["class"]]++
			}
		}
		// Of each band are the name with its title and perhaps the ground; below are at most
		// mostKnots deadlocks of some lines each.
		if most := 3*mostBands + 200 + mostKnots*20; n > most || len(text) > test.bytes {
			t.Errorf("%s: %d elements, %d bytes for %d events", test.name, n, len(text), len(c.Notes))
		}
		if classes["held"] < 2 || classes["awaits"] < 2 || classes["tick refuse"] != 2 || classes["tick deadlock"] < 1 || len(all["text"]) < 60 {
			t.Errorf("%s: there are %v", test.name, classes)
		}
		t.Logf("%s: %d events, %d elements, %d bytes", test.name, len(c.Notes), n, len(text))
	}
}

// What an overview shows of a moment is what there is: locks held and requests waiting, by
// band, told by counting bars one moment after the other.
func TestOverviewsCountRight(t *testing.T) {
	c := whole(t, sample.Log(5, sample.Shape{Locks: 160, Clients: 60, Operations: 3_000, Readers: 20}))
	p := &picture{chart: c}
	o := &overview{picture: p, each: 2, moments: (pictureWidth - pictureLeft - pictureRight) / momentPx}
	o.count()
	for i := range o.bands {
		b := &o.bands[i]
		for at := range o.moments {
			left, right := pictureLeft+float64(at)*momentPx, pictureLeft+float64(at+1)*momentPx
			var held, waiting float64
			for _, bar := range c.Bars {
				if bar.Lane/o.each != i {
					continue
				}
				to := bar.To
				if bar.End == Open {
					to = min(to, c.Last)
				}
				from := p.x(bar.From)
				covers := max(0, min(right, max(p.x(to), from+0.5))-max(left, from)) / momentPx
				if bar.Wait {
					waiting += covers
				} else {
					held += covers
				}
			}
			if math.Abs(held-b.held[at]) > 0.3 || math.Abs(waiting-b.waiting[at]) > 0.3 {
				t.Fatalf("band %d, moment %d: %.2f held and %.2f waiting, counted %.2f and %.2f", i, at, b.held[at], b.waiting[at], held, waiting)
			}
		}
	}
}

// A picture that cannot be written says so.
func TestPicturesThatCannotBeWritten(t *testing.T) {
	for _, locks := range []int{3, 400} {
		c := whole(t, sample.Log(1, sample.Shape{Locks: locks, Clients: 20, Operations: 2_000}))
		full := errors.New("full")
		if err := c.SVG(failing{full}); err != full {
			t.Errorf("%d locks: %v", locks, err)
		}
	}
}

type failing struct{ err error }

func (f failing) Write([]byte) (int, error) { return 0, f.err }

// The legend has the colours of all clients, a bounded number of them by name, and a sample
// of what is on the picture and of nothing else.
func TestLegends(t *testing.T) {
	legend := func(clients int, ops ...string) []string {
		log := ops
		for i := range clients {
			log = append(log, fmt.Sprintf(`["acquire",%d,"c%d","L",5]`, 10*i, i))
		}
		text := string(pictureOf(t, whole(t, strings.Join(log, "\n"))))
		var said []string
		for _, e := range parseSVG(t, []byte(text))["text"] {
			if e.attributes["class"] == "dim" && e.attributes["text-anchor"] != "middle" {
				said = append(said, e.text)
			}
		}
		return said[2:] // the first say what there is in all, and the unit
	}
	for _, test := range []struct {
		clients int
		ops     []string
		want    string
	}{
		{1, nil, "lease, with its token; end of the log; what is left of a lease then; c0"},
		{2, []string{`["acquire",-100,"r","L",5,"shared"]`, `["acquire",-99,"w","L",5]`, `["release",-98,"r","L"]`},
			"lease, with its token; shared lease; end of the log; what is left of a lease then; wait; lapsed; released; r; w; c0; c1"},
		{30, nil, "lease, with its token; end of the log; what is left of a lease then; lapsed; " +
			"c0; c1; c2; c3; c4; c5; c6; c7; c8; c9; c10; c11; c12; c13; c14; c15; c16; c17; c18; c19; c20; c21; c22; c23; and 6 more, each named where the pointer is over its bar"},
	} {
		if got := strings.Join(legend(test.clients, test.ops...), "; "); got != test.want {
			t.Errorf("%d clients: %s,\nwant %s", test.clients, got, test.want)
		}
	}
}

// What is drawn together has no sample of one by itself; how many wait is said where their
// bars are too low to be told apart.
func TestManyWaitersAreCounted(t *testing.T) {
	log := []string{`["acquire",0,"h","L",5000]`}
	for i := range 5000 {
		log = append(log, fmt.Sprintf(`["acquire",%d,"w%d","L",30]`, i/2, i))
	}
	text := string(pictureOf(t, whole(t, strings.Join(log, "\n"))))
	for said, want := range map[string]bool{">up to 5000 wait<": true, ">several, too narrow": true, ">wait<": false, ">lease, with its token<": true, ">h<": true, ">w1<": false} {
		if strings.Contains(text, said) != want {
			t.Errorf("%s is on it: %v", said, !want)
		}
	}
	if few := string(pictureOf(t, whole(t, strings.Join(log[:20], "\n")))); strings.Contains(few, "up to") || !strings.Contains(few, ">wait<") {
		t.Error("19 waiters are counted, and not shown one by one")
	}
}

// A lease that begins when the log ends has its token and its client written on what is left
// of it.
func TestTheLastLeaseIsNamed(t *testing.T) {
	text := string(pictureOf(t, whole(t, `["acquire",0,"a","L",10]`+"\n"+`["acquire",1,"b","L",10]`+"\n"+`["inspect",10,"L"]`)))
	if !strings.Contains(text, `<tspan class="token">2</tspan> b</text>`) {
		t.Error("the lease with token 2 has no label")
	}
}

// Nothing but what is left of a lease is drawn behind the end of the log.
func TestNothingIsDrawnBehindTheEnd(t *testing.T) {
	ahead := 0
	for _, waiters := range []int{3, 600} { // the rows of so many are drawn together
		log := []string{`["acquire",0,"h","L",5000]`}
		for i := range waiters {
			log = append(log, fmt.Sprintf(`["acquire",%d,"w%d","L",30]`, i, i))
		}
		c := whole(t, strings.Join(log, "\n"))
		end := (&picture{chart: c}).x(c.Last)
		for _, e := range parseSVG(t, pictureOf(t, c))["rect"] {
			class := e.attributes["class"]
			if strings.HasSuffix(class, "ahead") {
				ahead++
			} else if strings.HasPrefix(class, "bar") || strings.HasPrefix(class, "many") || class == "hatched" {
				x, wide := number(t, e, "x"), number(t, e, "width")
				if x+wide > end+1.2 { // each is a pixel wide at least
					t.Errorf("%s from %.1f for %.1f, the log ends at %.1f", class, x, wide, end)
				}
			}
		}
	}
	if ahead == 0 {
		t.Error("nothing is left of any lease")
	}
}

func number(t *testing.T, e *element, name string) float64 {
	t.Helper()
	n, err := strconv.ParseFloat(e.attributes[name], 64)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return n
}

// The legend of an overview has what is on it and nothing else.
func TestLegendsOfOverviews(t *testing.T) {
	var log []string
	for i := range manyLanes + 1 {
		log = append(log, fmt.Sprintf(`["acquire",%d,"c","L%d",5]`, i, i))
	}
	for _, test := range []struct{ more, has, hasNot string }{
		{"", "share of the locks that are held", "requests that wait"},
		{`["acquire",200,"a","L1",5]` + "\n" + `["acquire",200,"b","L1",5]`, "requests that wait", "write refused"},
		{`["write",200,"L1","k","v",9]` + "\n" + `["write",200,"L1","k","v",8]`, "write refused as stale", "deadlock"},
	} {
		text := string(pictureOf(t, whole(t, strings.Join(append(log, test.more), "\n"))))
		if !strings.Contains(text, "This is an overview.") || !strings.Contains(text, ">"+test.has) || strings.Contains(text, ">"+test.hasNot) {
			t.Errorf("after %s: is %q on it, and not %q?", test.more, test.has, test.hasNot)
		}
	}
}
