package timeline

import (
	"compress/gzip"
	"encoding/base64"
	"io"
	"slices"
	"strconv"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/leasekeeper/lkactor/actors/lease"
	"github.com/leasekeeper/lkactor/cmd/lkactor/internal/escape"
)

// data is a chart as the page reads it: tables by columns, in which an instant is its
// place among all instants. Whatever is counted up to 2^62 goes as text, since the
// numbers of a script are exact to 2^53 only.
type data struct {
	Title string `json:"title"`
	// Zero is the wall time of instant 0 of a live log.
	Zero string `json:"zero,omitzero"`
	// First is the first instant, Gaps how far each later one is from the one before.
	First string `json:"first"`
	Gaps  []any  `json:"gaps"`
	// From, Last and To are those of the Chart.
	From int `json:"from"`
	Last int `json:"last"`
	To   int `json:"to"`

	Lanes   nameColumns `json:"lanes"`
	Clients nameColumns `json:"clients"`
	Hues    []int       `json:"hues"` // of the clients
	Bars    barColumns  `json:"bars"`
	Marks   markColumns `json:"marks"`
	Notes   noteColumns `json:"notes"`
	Knots   []knotData  `json:"knots"`
	Glyphs  []glyph     `json:"glyphs"`
	Named   int         `json:"named"` // for how many clients the legend names the colours
}

// nameColumns are names as they are shown, and in full where that is more.
type nameColumns struct {
	Shown []string       `json:"shown"`
	Full  map[int]string `json:"full"`
}

type barColumns struct {
	Lane   []int    `json:"lane"`
	Client []int    `json:"client"`
	Row    []int    `json:"row"`
	Token  []string `json:"token"` // empty of a wait
	Shared []int    `json:"shared"`
	From   []int    `json:"from"`
	To     []int    `json:"to"`
	Open   []int    `json:"open"`
	Begin  []int    `json:"begin"`
	Finish []int    `json:"finish"`
}

type markColumns struct {
	Sign []int `json:"sign"`
	Lane []int `json:"lane"`
	Bar  []int `json:"bar"`
	At   []int `json:"at"`
	Note []int `json:"note"`
}

type noteColumns struct {
	At     []int    `json:"at"`
	Op     []int64  `json:"op"`
	Run    []int64  `json:"run"`
	Lane   []int    `json:"lane"`
	Client []int    `json:"client"`
	Text   []string `json:"text"`
}

type knotData struct {
	Lane   int        `json:"lane"`
	At     int        `json:"at"`
	Note   int        `json:"note"`
	Victim int        `json:"victim"`
	Edges  []edgeData `json:"edges"`
	Lines  []string   `json:"lines"`
}

type edgeData struct {
	Lane    int    `json:"lane"`
	Waiter  int    `json:"waiter"`
	Blocker int    `json:"blocker"`
	Token   string `json:"token"` // empty if the blocker stands ahead in the queue
}

// writeData writes the chart for the page: JSON, compressed, in letters and digits that
// mean nothing to whoever reads HTML.
func (c *Chart) writeData(w io.Writer) error {
	text := base64.NewEncoder(base64.StdEncoding, w)
	packed := gzip.NewWriter(text)
	if err := json.MarshalWrite(packed, c.data()); err != nil {
		return err
	}
	if err := packed.Close(); err != nil {
		return err
	}
	return text.Close()
}

func (c *Chart) data() *data {
	all := c.instants()
	at := func(i lease.Instant) int {
		place, _ := slices.BinarySearch(all, i)
		return place
	}
	d := &data{
		Title: escape.Terminal(c.Title), First: strconv.FormatInt(int64(all[0]), 10), Gaps: gaps(all),
		From: at(c.From), Last: at(c.Last), To: at(c.To), Clients: namesOf(c.Clients), Glyphs: slices.Clone(glyphs[:]), Named: mostNamed,
		Knots: []knotData{},
	}
	for s := range d.Glyphs {
		d.Glyphs[s].Trouble = Sign(s).isTrouble()
	}
	if c.Clock.Live() {
		d.Zero = c.Clock.Time(0).Format(time.RFC3339Nano)
	}
	locks := make([]string, len(c.Lanes))
	for i, l := range c.Lanes {
		locks[i] = l.Lock
	}
	d.Lanes = namesOf(locks)
	for i := range c.Clients {
		d.Hues = append(d.Hues, hue(i))
	}
	for i := range c.Bars {
		d.Bars.add(&c.Bars[i], at)
	}
	for _, m := range c.Marks {
		t := &d.Marks
		t.Sign, t.Lane, t.Bar = append(t.Sign, int(m.Kind)), append(t.Lane, m.Lane), append(t.Bar, m.Bar)
		t.At, t.Note = append(t.At, at(m.At)), append(t.Note, m.Note)
	}
	for i := range c.Notes {
		n, t := &c.Notes[i], &d.Notes
		t.At, t.Op, t.Run = append(t.At, at(n.At)), append(t.Op, n.Place.Operation), append(t.Run, n.Place.Run)
		t.Lane, t.Client, t.Text = append(t.Lane, n.Lane), append(t.Client, n.Client), append(t.Text, n.Text)
	}
	for i := range c.Knots {
		d.Knots = append(d.Knots, knotOf(&c.Knots[i], at))
	}
	return d
}

func (t *barColumns) add(bar *Bar, at func(lease.Instant) int) {
	t.Lane, t.Client, t.Row = append(t.Lane, bar.Lane), append(t.Client, bar.Client), append(t.Row, bar.Row)
	t.Token, t.Shared = append(t.Token, tokenText(bar.Token)), append(t.Shared, bit(bar.Mode == lease.Shared))
	t.From, t.To, t.Open = append(t.From, at(bar.From)), append(t.To, at(bar.To)), append(t.Open, bit(bar.End == Open))
	t.Begin, t.Finish = append(t.Begin, bar.Begin), append(t.Finish, bar.Finish)
}

func knotOf(k *Knot, at func(lease.Instant) int) knotData {
	d := knotData{Lane: k.Lane, At: at(k.At), Note: k.Note, Victim: k.Victim, Lines: k.Lines}
	for _, e := range k.Edges {
		d.Edges = append(d.Edges, edgeData{e.Lane, e.Waiter, e.Blocker, tokenText(e.Token)})
	}
	return d
}

func bit(is bool) int {
	if is {
		return 1
	}
	return 0
}

func tokenText(t lease.Token) string {
	if t == 0 {
		return ""
	}
	return strconv.FormatInt(int64(t), 10)
}

func namesOf(names []string) nameColumns {
	t := nameColumns{Shown: make([]string, len(names)), Full: map[int]string{}}
	for i, name := range names {
		if t.Shown[i] = escape.Terminal(name); t.Shown[i] != name {
			t.Full[i] = name
		}
	}
	return t
}

// instants gives all instants of the chart, each once, ascending.
func (c *Chart) instants() []lease.Instant {
	all := []lease.Instant{c.From, c.Last, c.To}
	for i := range c.Bars {
		all = append(all, c.Bars[i].From, c.Bars[i].To)
	}
	for i := range c.Marks {
		all = append(all, c.Marks[i].At)
	}
	for i := range c.Notes {
		all = append(all, c.Notes[i].At)
	}
	for i := range c.Knots {
		all = append(all, c.Knots[i].At)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// gaps gives the distances between instants: numbers, or text where a number of a script
// would not be exact.
func gaps(all []lease.Instant) []any {
	gaps := make([]any, 0, len(all))
	for i := 1; i < len(all); i++ {
		gap := uint64(all[i]) - uint64(all[i-1])
		if gap < 1<<53 {
			gaps = append(gaps, gap)
		} else {
			gaps = append(gaps, strconv.FormatUint(gap, 10))
		}
	}
	return gaps
}
