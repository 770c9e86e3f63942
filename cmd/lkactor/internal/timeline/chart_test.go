package timeline

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/leasekeeper/lkactor/actors/lease"
	"github.com/leasekeeper/lkactor/actors/story"
	"github.com/leasekeeper/lkactor/cmd/lkactor/internal/telling"
	"github.com/leasekeeper/lkactor/cmd/lkactor/internal/timeline/sample"
)

// shapes of random logs: a few hot locks, many quiet ones, crowds of readers.
var shapes = []sample.Shape{
	{Locks: 3, Clients: 8, Operations: 150, Readers: 20},
	{Locks: 30, Clients: 30, Operations: 150, Readers: 10},
	{Locks: 2, Clients: 60, Operations: 150, Readers: 90},
}

// events gives the story of a log and how it ends.
func events(t *testing.T, log string) ([]*story.Event, *story.Book) {
	t.Helper()
	var all []*story.Event
	s := tell(t, log, func(telling.Clock) {}, func(e *story.Event) { all = append(all, e) })
	return all, s.Book()
}

// Each event of a lock is on the chart once, in order and in its own words, and what is
// open at the end is what the story says is held and awaited.
func TestChartsTellTheStory(t *testing.T) {
	for seed := range uint64(60) {
		log := sample.Log(seed, shapes[seed%3])
		c := whole(t, log)
		all, book := events(t, log)
		var want []string
		count := map[story.Kind]int{}
		for _, e := range all {
			if count[e.Kind]++; e.Lock != "" {
				want = append(want, fmt.Sprintf("%d %v %v %s %s: %s", e.At, e.Place, e.Kind, e.Lock, cmp.Or(e.Client, e.Owner), c.Clock.Told(e)))
			}
		}
		for i, n := range c.Notes {
			client := ""
			if n.Client >= 0 {
				client = c.Clients[n.Client]
			}
			got := fmt.Sprintf("%d %v %v %s %s: %s", n.At, n.Place, n.Kind, c.Lanes[n.Lane].Lock, client, n.Text)
			if i >= len(want) || got != want[i] {
				t.Fatalf("seed %d: note %d is %s", seed, i, got)
			}
		}
		if len(c.Notes) != len(want) {
			t.Fatalf("seed %d: %d notes of %d events", seed, len(c.Notes), len(want))
		}
		checkBars(t, seed, c, count, book)
		checkMarks(t, seed, c, count)
	}
}

func checkBars(t *testing.T, seed uint64, c *Chart, count map[story.Kind]int, book *story.Book) {
	t.Helper()
	leases, open := 0, map[string][]string{}
	type row struct {
		lane, row int
		wait      bool
	}
	until := map[row]lease.Instant{}
	for _, bar := range c.Bars {
		l, r := c.Lanes[bar.Lane], row{bar.Lane, bar.Row, bar.Wait}
		if before, taken := until[r]; taken && bar.From < before {
			t.Errorf("seed %d: a bar of %s begins at %d in a row that is taken until %d", seed, l.Lock, bar.From, before)
		}
		until[r] = bar.To
		if bar.Begin < 0 || c.Notes[bar.Begin].At != bar.From || bar.End != Open && c.Notes[bar.Finish].At != bar.To {
			t.Errorf("seed %d: a bar of %s from %d to %d has notes of other instants", seed, l.Lock, bar.From, bar.To)
		}
		rows := l.Waits
		if !bar.Wait {
			leases++
			rows = l.Leases
		}
		if bar.Row >= rows {
			t.Errorf("seed %d: a bar in row %d of the %d of %s", seed, bar.Row, rows, l.Lock)
		}
		if bar.End == Open {
			open[l.Lock] = append(open[l.Lock], fmt.Sprintf("%v %s %v %d since %d", bar.Wait, c.Clients[bar.Client], bar.Mode, bar.Token, bar.From))
		}
	}
	if leases != count[story.Granted] || len(c.Bars)-leases != count[story.Queued] {
		t.Errorf("seed %d: %d leases and %d waits, want %d and %d", seed, leases, len(c.Bars)-leases, count[story.Granted], count[story.Queued])
	}
	for _, lock := range book.Locks() {
		var want []string
		for _, claim := range append(book.Holders(lock), book.Queue(lock)...) {
			want = append(want, fmt.Sprintf("%v %s %v %d since %d", !claim.Holds(), claim.Client, claim.Mode, claim.Token, claim.Since))
		}
		slices.Sort(want)
		slices.Sort(open[lock])
		if !slices.Equal(want, open[lock]) {
			t.Errorf("seed %d: open on %s are %q, want %q", seed, lock, open[lock], want)
		}
	}
}

func checkMarks(t *testing.T, seed uint64, c *Chart, count map[story.Kind]int) {
	t.Helper()
	signs := map[Sign]int{}
	for _, m := range c.Marks {
		signs[m.Kind]++
		if m.Kind.onLane() != (m.Bar == NoBar) {
			t.Errorf("seed %d: sign %s on bar %d", seed, glyphs[m.Kind].Name, m.Bar)
		}
		if bar := m.Bar; bar != NoBar && (m.At < c.Bars[bar].From || m.At > c.Bars[bar].To || c.Bars[bar].Lane != m.Lane) {
			t.Errorf("seed %d: sign %s at %d is not on its bar", seed, glyphs[m.Kind].Name, m.At)
		}
	}
	for sign, want := range map[Sign]int{
		SignLapse: count[story.Lapsed], SignWrite: count[story.Wrote], SignRefuse: count[story.Refused],
		SignFail: count[story.Failed], SignDeadlock: count[story.Deadlock], SignLook: count[story.Inspected],
	} {
		if signs[sign] != want {
			t.Errorf("seed %d: %d signs %s, want %d", seed, signs[sign], glyphs[sign].Name, want)
		}
	}
	if ends := signs[SignRelease] + signs[SignWithdraw] + signs[SignAbort]; ends != count[story.Released]+count[story.Withdrawn] {
		t.Errorf("seed %d: %d ends, want %d", seed, ends, count[story.Released]+count[story.Withdrawn])
	}
	if renews := signs[SignRenew] + signs[SignShorten]; renews != count[story.Renewed] {
		t.Errorf("seed %d: %d renewals, want %d", seed, renews, count[story.Renewed])
	}
}

// A window shows the same bars as the whole chart, those that reach into it.
func TestWindows(t *testing.T) {
	few := 0
	for seed := range uint64(60) {
		log := sample.Log(seed, shapes[seed%3])
		all := whole(t, log)
		from := all.From + lease.Instant(seed%7)*10
		to := from + 40
		part := draw(t, log, from, to)
		var want, got []string
		for _, bar := range all.Bars {
			if bar.From <= to && (bar.To >= from || bar.End == Open) {
				want = append(want, barText(all, bar))
			}
		}
		for _, bar := range part.Bars {
			got = append(got, barText(part, bar))
		}
		if !slices.Equal(got, want) {
			t.Fatalf("seed %d from %d to %d: bars\n%q, want\n%q", seed, from, to, got, want)
		}
		for _, m := range part.Marks {
			if m.At < from || m.At > to || part.Notes[m.Note].At != m.At {
				t.Errorf("seed %d: a mark at %d, its note at %d, from %d to %d", seed, m.At, part.Notes[m.Note].At, from, to)
			}
		}
		if part.From != from || part.Last != to || part.To < to {
			t.Errorf("seed %d: from %d, last %d, to %d; want %d and %d", seed, part.From, part.Last, part.To, from, to)
		}
		if len(want) < 3 {
			few++
		}
	}
	if few > 20 {
		t.Errorf("%d windows of 60 show hardly anything", few)
	}
}

func barText(c *Chart, bar Bar) string {
	return fmt.Sprintf("%s %s %v %d from %d: %s", c.Lanes[bar.Lane].Lock, c.Clients[bar.Client], bar.Wait, bar.Token, bar.From, c.Notes[bar.Begin].Text)
}

// What happened before a window is forgotten as it goes, however long that was.
func TestLongBeforeAWindow(t *testing.T) {
	b := NewBuilder(telling.Clock{}, 1e6, lease.Never)
	s := story.New(lease.Plain, func(e *story.Event) {
		if err := b.Add(e); err != nil {
			t.Fatal(err)
		}
	})
	s.Do(&lease.Operation{Kind: lease.Acquire, At: 0, Client: "a", Lock: "kept", TTL: 86_400})
	for i := range 10 * fewNotes {
		s.Do(&lease.Operation{Kind: lease.Write, At: lease.Instant(i), Lock: "L", Key: "k", Value: "v", Token: 1})
		if n := len(b.chart.Notes); n > 3*fewNotes {
			t.Fatalf("%d notes after %d writes", n, i)
		}
	}
	s.Do(&lease.Operation{Kind: lease.Write, At: 1e6, Lock: "L", Key: "k", Value: "v", Token: 1})
	c, err := b.Chart("log")
	if err != nil || len(c.Notes) != 1 || len(c.Lanes) != 1 || c.Lanes[0].Lock != "L" {
		t.Errorf("%+v, %v", c, err)
	}
}

func TestNothingAndTooMuch(t *testing.T) {
	if _, err := NewBuilder(telling.Clock{}, lease.Dawn, lease.Never).Chart("log"); !errors.Is(err, ErrNothing) {
		t.Errorf("of no event: %v", err)
	}
	b := NewBuilder(telling.Clock{}, lease.Dawn, lease.Never)
	b.chart.Notes = make([]Note, MostNotes-1)
	e := &story.Event{Kind: story.Wrote, Lock: "L"}
	if err := b.Add(e); err != nil {
		t.Errorf("of the last event there is room for: %v", err)
	}
	if err := b.Add(e); err == nil || err.Error() != "more than 1000000 events for one timeline; choose some of them with --lock, --client, --from and --to" {
		t.Errorf("of one more: %v", err)
	}
}

// A chart reaches as far as the log does and no further, whatever part of it is asked for;
// and it knows whether the log ends where the chart does.
func TestAChartEndsWhereItsPartOfTheLogDoes(t *testing.T) {
	const log = `["acquire",10,"a","L",20]
["acquire",12,"b","M",100]
["release",14,"b","M"]
["status",25,"a"]
`
	for _, test := range []struct {
		from, to       lease.Instant
		first, last    lease.Instant
		end            lease.Instant // of the chart
		whole, ongoing bool          // ongoing: of a's lease
	}{
		{lease.Dawn, lease.Never, 10, 25, 28, true, true},
		{lease.Dawn, 1000, 10, 25, 28, true, true},
		{-1000, 1000, 10, 25, 28, true, true},
		{lease.Dawn, 24, 10, 24, 26, false, true},
		{13, 13, 13, 13, 14, false, true},
		{25, lease.Never, 25, 25, 26, true, true},
	} {
		c := draw(t, log, test.from, test.to)
		if c.From != test.first || c.Last != test.last || c.To != test.end || c.Whole != test.whole {
			t.Errorf("from %d to %d: it is from %d to %d and %d, whole %v; want %+v", test.from, test.to, c.From, c.Last, c.To, c.Whole, test)
		}
		if bar := c.Bars[0]; (bar.End == Open) != test.ongoing || bar.To != 30 {
			t.Errorf("from %d to %d: the lease is %+v", test.from, test.to, bar)
		}
	}
	for _, none := range [][2]lease.Instant{{26, lease.Never}, {26, 1000}, {lease.Dawn, 9}, {-5, 9}} {
		b := NewBuilder(telling.Clock{}, none[0], none[1])
		tell(t, log, func(telling.Clock) {}, func(e *story.Event) { b.Add(e) })
		if _, err := b.Chart("log"); !errors.Is(err, ErrNothing) {
			t.Errorf("from %d to %d: %v", none[0], none[1], err)
		}
	}
}

// Of one lock, the chart goes to the end of the log where its lease does.
func TestAChartOfOneLockKnowsTheEndOfTheLog(t *testing.T) {
	const log = `["acquire",0,"a","L",1000]
["acquire",1,"b","M",5]
["release",2,"b","M"]
["status",100,"a"]
`
	for lock, last := range map[string]lease.Instant{"L": 100, "M": 2} {
		b := NewBuilder(telling.Clock{}, lease.Dawn, lease.Never)
		tell(t, log, func(telling.Clock) {}, func(e *story.Event) {
			if b.See(e.At, e.Noticed); e.Lock == lock {
				b.Add(e)
			}
		})
		c, err := b.Chart("log")
		if err != nil || c.Last != last || c.Whole != (lock == "L") {
			t.Errorf("of %s: it ends at %d, whole %v, %v", lock, c.Last, c.Whole, err)
		}
	}
}
