package timeline

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/leasekeeper/lkactor/actors/lease"
	"github.com/leasekeeper/lkactor/actors/story"
	"github.com/leasekeeper/lkactor/cmd/lkactor/internal/telling"
)

// MostNotes is how many events a chart holds at most: a browser takes some seconds to
// open that many.
const MostNotes = 1_000_000

// errTooMany is the answer to the event that is one too many.
var errTooMany = fmt.Errorf("more than %d events for one timeline; choose some of them with --lock, --client, --from and --to", MostNotes)

// Builder makes a chart of events. It is for one goroutine. Make one with
// [NewBuilder].
type Builder struct {
	chart  Chart
	window window

	lanes   map[string]int
	clients map[string]int
	rows    []rows       // of each lane
	open    map[have]int // the bar of each lease and request there is now
}

// have is what a client has of a lock: one lease or one request (C1).
type have struct{ lane, client int }

// NewBuilder begins a chart of a log with that clock. Of what happened before from only
// what had not ended by then is shown, of what happened after to nothing;
// [lease.Dawn] and [lease.Never] are no limits.
func NewBuilder(clock telling.Clock, from, to lease.Instant) *Builder {
	return &Builder{
		chart:  Chart{Clock: clock, From: math.MaxInt64, Last: math.MinInt64, To: math.MinInt64},
		window: window{from: from, to: to, begin: math.MaxInt64, end: math.MinInt64},
		lanes:  map[string]int{}, clients: map[string]int{}, open: map[have]int{},
	}
}

// See takes note of how far the log reaches: every event of it is to be shown, with the
// instants at which it happened and was noticed, also those that are not of interest.
func (b *Builder) See(at, noticed lease.Instant) {
	if noticed > lease.Dawn {
		b.window.begin, b.window.end = min(b.window.begin, at, noticed), max(b.window.end, noticed)
	}
}

// Add puts the next event of the story on the chart. Events come as they are told;
// those that are not of interest may be left out, but of a client and a lock either
// all or none. The error is that there are too many.
func (b *Builder) Add(e *story.Event) error {
	b.See(e.At, e.Noticed)
	if e.At == lease.Dawn || e.At > b.window.to {
		return nil // it has no place in time, or none on the chart
	}
	if e.At >= b.window.from {
		b.chart.From, b.chart.Last = min(b.chart.From, e.At), max(b.chart.Last, min(e.Noticed, b.window.to))
	}
	if b.window.full(len(b.chart.Notes)) {
		b.forget()
	}
	if e.Lock == "" {
		return nil // a question about a client, or the end of a repeat
	}
	if len(b.chart.Notes) == MostNotes {
		return errTooMany
	}
	lane := b.lane(e.Lock)
	client := -1
	if e.Client != "" {
		client = b.client(e.Client)
	}
	whose := client
	if e.Owner != "" { // a write names no client, and is that of its token's owner
		whose = b.client(e.Owner)
	}
	note := len(b.chart.Notes)
	b.chart.Notes = append(b.chart.Notes, Note{
		At: e.At, Place: e.Place, Kind: e.Kind, Lane: lane, Client: whose, Text: b.chart.Clock.Told(e),
	})
	b.draw(e, have{lane, client}, note)
	return nil
}

// draw makes what stands for an event.
func (b *Builder) draw(e *story.Event, h have, note int) {
	switch e.Kind {
	case story.Queued:
		b.begin(h, Bar{Wait: true, Mode: e.Mode, From: e.At, Begin: note})
	case story.Granted:
		if e.FromQueue {
			b.end(h, e.At, Granted, note)
		}
		b.begin(h, Bar{Mode: e.Mode, Token: e.Token, From: e.At, To: e.Until, Begin: note})
	case story.Renewed:
		sign := SignRenew
		if e.Shortened() {
			sign = SignShorten
		}
		bar := b.open[h]
		b.chart.Bars[bar].To = e.Until
		b.mark(sign, h.lane, bar, e.At, note)
	case story.Lapsed, story.Released, story.Withdrawn:
		end, sign := ending(e)
		b.mark(sign, h.lane, b.end(h, e.At, end, note), e.At, note)
	case story.Deadlock:
		b.knot(e.Deadlock, h.lane, e.At, note)
		b.mark(SignDeadlock, h.lane, NoBar, e.At, note)
	default:
		b.mark(signs[e.Kind], h.lane, NoBar, e.At, note)
	}
}

// signs are those of the events that are on a lane and on no bar.
var signs = map[story.Kind]Sign{
	story.Wrote: SignWrite, story.Refused: SignRefuse, story.Failed: SignFail, story.Read: SignLook,
	story.Inspected: SignLook, story.Again: SignLook, story.Bumped: SignOperator, story.Forgotten: SignOperator,
}

// ending tells how what ended came to its end.
func ending(e *story.Event) (End, Sign) {
	switch {
	case e.Kind == story.Lapsed:
		return Lapsed, SignLapse
	case e.Abort:
		return Aborted, SignAbort
	case e.Operator:
		return Evicted, SignEvict
	case e.Kind == story.Withdrawn:
		return Withdrew, SignWithdraw
	}
	return Released, SignRelease
}

func (b *Builder) mark(sign Sign, lane, bar int, at lease.Instant, note int) {
	b.chart.Marks = append(b.chart.Marks, Mark{Kind: sign, Lane: lane, Bar: bar, At: at, Note: note})
}

// begin adds a bar in the first row that is free.
func (b *Builder) begin(h have, bar Bar) {
	bar.Lane, bar.Client, bar.Finish = h.lane, h.client, NoNote
	bar.Row = b.rows[h.lane].take(bar.Wait)
	b.open[h] = len(b.chart.Bars)
	b.chart.Bars = append(b.chart.Bars, bar)
}

// end ends the bar of what a client has of a lock, and gives its number.
func (b *Builder) end(h have, at lease.Instant, end End, note int) int {
	i := b.open[h]
	delete(b.open, h)
	bar := &b.chart.Bars[i]
	bar.To, bar.End, bar.Finish = at, end, note
	b.rows[h.lane].free(bar.Wait, bar.Row)
	return i
}

func (b *Builder) knot(c *story.Cycle, lane int, at lease.Instant, note int) {
	k := Knot{Lane: lane, At: at, Note: note, Victim: b.client(c.Victim.Client), Lines: b.chart.Clock.Cycle(c)}
	edges := c.Edges
	if !c.Direct() {
		edges = slices.Concat(c.Edges, c.Through)
	}
	for _, e := range edges {
		k.Edges = append(k.Edges, Edge{b.lane(e.Lock), b.client(e.Waiter), b.client(e.Blocker), e.Token})
	}
	b.chart.Knots = append(b.chart.Knots, k)
}

func (b *Builder) lane(lock string) int {
	lane, known := b.lanes[lock]
	if !known {
		lane = len(b.lanes)
		b.lanes[lock] = lane
		b.chart.Lanes = append(b.chart.Lanes, Lane{Lock: lock})
		b.rows = append(b.rows, rows{})
	}
	return lane
}

func (b *Builder) client(name string) int {
	client, known := b.clients[name]
	if !known {
		client = len(b.clients)
		b.clients[name] = client
		b.chart.Clients = append(b.chart.Clients, name)
	}
	return client
}

// ErrNothing is the answer for a chart that nothing is on.
var ErrNothing = errors.New("nothing to draw")

// Chart gives the chart of the events so far, which is finished by that: the builder
// cannot be used any more. The error is [ErrNothing].
func (b *Builder) Chart(title string) (*Chart, error) {
	if b.window.from > lease.Dawn {
		b.forget()
	}
	c := &b.chart
	c.Title = title
	if b.window.misses() || len(c.Notes) == 0 {
		return nil, ErrNothing
	}
	c.frame(b.window)
	for i := range c.Bars {
		if bar := &c.Bars[i]; bar.End == Open && bar.Wait {
			bar.To = c.To
		}
	}
	c.settle()
	return c, nil
}
