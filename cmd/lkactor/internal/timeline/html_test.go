package timeline

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/json"
	"regexp"
	"strings"
	"testing"

	"github.com/leasekeeper/lkactor/actors/lease"
	"github.com/leasekeeper/lkactor/cmd/lkactor/internal/escape"
	"github.com/leasekeeper/lkactor/cmd/lkactor/internal/timeline/sample"
)

func pageOf(t *testing.T, c *Chart) string {
	t.Helper()
	var b bytes.Buffer
	if err := c.HTML(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// unpack gives the data of a page.
func unpack(t *testing.T, page string) *data {
	t.Helper()
	_, rest, _ := strings.Cut(page, `id="data">`)
	text, _, found := strings.Cut(rest, "</script>")
	packed, err := base64.StdEncoding.DecodeString(text)
	if err != nil || !found {
		t.Fatalf("the data are no base64: %v", err)
	}
	in, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		t.Fatal(err)
	}
	d := new(data)
	if err := json.NewDecoder(in).Decode(d); err != nil {
		t.Fatal(err)
	}
	return d
}

// The policy of the page lets its own scripts and style run and nothing else, and
// nothing in it asks for anything from elsewhere.
func TestPagesStandAlone(t *testing.T) {
	page := pageOf(t, whole(t, sample.Log(1, shapes[0])))
	policy := regexp.MustCompile(`http-equiv="Content-Security-Policy" content="([^"]*)"`).FindStringSubmatch(page)
	if policy == nil || !strings.HasPrefix(policy[1], "default-src 'none'; ") || strings.Contains(policy[1], "unsafe") || strings.Contains(policy[1], "http") {
		t.Fatalf("policy %q", policy)
	}
	parts := regexp.MustCompile(`(?s)<(script|style)>(.*?)</(?:script|style)>`).FindAllStringSubmatch(page, -1)
	if len(parts) != 3 {
		t.Fatalf("%d scripts and styles", len(parts))
	}
	for _, part := range parts {
		if !strings.Contains(policy[1], hash(part[2])) {
			t.Errorf("the policy does not know a %s of %d bytes", part[1], len(part[2]))
		}
	}
	rest := regexp.MustCompile(`(?s)<(script|style)[^>]*>.*?</(?:script|style)>|<!--.*?-->`).ReplaceAllString(page, "")
	if found := regexp.MustCompile(`(?i)\s(src|href|srcset|action|on\w+)\s*=|<(link|img|iframe|object|embed|base)|url\(|://`).FindString(rest); found != "" {
		t.Errorf("the page has %q", found)
	}
	if strings.Contains(rest, "<!--") || strings.Contains(page, "/*script*/") {
		t.Error("something was not filled in")
	}
}

// Every file of D3 carries the notice of its licence, and the page has the licence.
func TestLicences(t *testing.T) {
	page := pageOf(t, whole(t, sample.Log(1, shapes[0])))
	for _, name := range libraries {
		banner := regexp.MustCompile(`^// https://d3js.org/d3-` + name + `/ v\d+\.\d+\.\d+ Copyright .* Mike Bostock`)
		if text := pageText("vendor/d3-" + name + ".min.js"); !banner.MatchString(text) || !strings.Contains(page, text) {
			t.Errorf("d3-%s begins with %.60q", name, text)
		}
	}
	if !strings.Contains(page, "this permission notice appear in all copies") {
		t.Error("the page lacks the licence")
	}
}

// What the page is given is the chart.
func TestDataOfPages(t *testing.T) {
	for seed := range uint64(9) {
		c := whole(t, sample.Log(seed, shapes[seed%3]))
		d := unpack(t, pageOf(t, c))
		at := readInstants(t, d)
		if at[d.From] != c.From || at[d.Last] != c.Last || at[d.To] != c.To {
			t.Errorf("seed %d: from %d, last %d, to %d", seed, at[d.From], at[d.Last], at[d.To])
		}
		for i, bar := range c.Bars {
			b := &d.Bars
			if b.Lane[i] != bar.Lane || b.Client[i] != bar.Client || b.Row[i] != bar.Row || b.Token[i] != tokenText(bar.Token) ||
				(b.Token[i] == "") != bar.Wait || (b.Shared[i] == 1) != (bar.Mode == lease.Shared) || (b.Open[i] == 1) != (bar.End == Open) ||
				at[b.From[i]] != bar.From || at[b.To[i]] != bar.To || b.Begin[i] != bar.Begin || b.Finish[i] != bar.Finish {
				t.Fatalf("seed %d: bar %d is %+v", seed, i, bar)
			}
		}
		for i, m := range c.Marks {
			if d.Marks.Sign[i] != int(m.Kind) || d.Marks.Lane[i] != m.Lane || d.Marks.Bar[i] != m.Bar || at[d.Marks.At[i]] != m.At || d.Marks.Note[i] != m.Note {
				t.Fatalf("seed %d: mark %d is %+v", seed, i, m)
			}
		}
		for i, n := range c.Notes {
			if at[d.Notes.At[i]] != n.At || d.Notes.Text[i] != n.Text || d.Notes.Op[i] != n.Place.Operation || d.Notes.Run[i] != n.Place.Run || d.Notes.Lane[i] != n.Lane || d.Notes.Client[i] != n.Client {
				t.Fatalf("seed %d: note %d is %+v", seed, i, n)
			}
		}
		if len(d.Knots) != len(c.Knots) || len(d.Bars.Lane) != len(c.Bars) || len(d.Marks.Lane) != len(c.Marks) || len(d.Notes.Text) != len(c.Notes) {
			t.Errorf("seed %d: the tables have other lengths", seed)
		}
	}
}

// readInstants adds up the gaps.
func readInstants(t *testing.T, d *data) []lease.Instant {
	t.Helper()
	var first int64
	if err := json.Unmarshal([]byte(d.First), &first); err != nil {
		t.Fatal(err)
	}
	all := []lease.Instant{lease.Instant(first)}
	for _, gap := range d.Gaps {
		var n uint64
		switch gap := gap.(type) {
		case float64:
			n = uint64(gap)
		case string:
			if err := json.Unmarshal([]byte(gap), &n); err != nil {
				t.Fatal(err)
			}
		}
		all = append(all, lease.Instant(uint64(all[len(all)-1])+n))
	}
	return all
}

// Instants and tokens are exact to the last digit, however large.
func TestHugeNumbersOnPages(t *testing.T) {
	log := `{"lkactor":1,"unit":"ns","zero":"2026-03-01T12:00:00Z","engine":"0b5b8d5e-8a4e-4c55-9d7c-5b1f7a0c2f11"}
["bump",-4611686018427387904,"L",4611686018427387903]
["acquire",-4611686018427387901,"a","L",86400000000000]
["write",4611686018427387903,"L","k","v",4611686018427387904]
`
	c := whole(t, log)
	d := unpack(t, pageOf(t, c))
	at := readInstants(t, d)
	if at[d.From] != -1<<62 || at[d.Last] != 1<<62-1 || at[d.Bars.From[0]] != -1<<62+3 || d.Bars.Token[0] != "4611686018427387904" {
		t.Errorf("%v, token %s", at, d.Bars.Token[0])
	}
}

// Names get into a page in its data alone, and its title as text.
func TestHostileNamesOnPages(t *testing.T) {
	for _, name := range sample.Hostile {
		c := whole(t, sample.HostileLog())
		c.Title = name
		page := pageOf(t, c)
		plain := whole(t, sample.HostileLog())
		plain.Title = "title"
		// But for the title and the data the page is the same as any.
		data := regexp.MustCompile(`id="data">[^<]*<`)
		got, want := data.ReplaceAllString(page, ""), data.ReplaceAllString(pageOf(t, plain), "")
		if got != strings.ReplaceAll(strings.ReplaceAll(want, "Timeline: title", "Timeline: "+escape.HTML(name)), "<h1>title", "<h1>"+escape.HTML(name)) {
			t.Errorf("the page with the title %.60q differs in more than that", name)
		}
		d := unpack(t, page)
		for i, shown := range d.Lanes.Shown {
			lock := c.Lanes[i].Lock
			if full, other := d.Lanes.Full[i]; shown != escape.Terminal(lock) || other != (shown != lock) || other && full != lock {
				t.Errorf("lane %.60q is shown as %s, in full %.60q", lock, shown, full)
			}
		}
	}
}
