package story_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/leasekeeper/lkactor/actors/lease"
	"github.com/leasekeeper/lkactor/actors/story"
)

// checker works out results from events alone: it keeps leases, queues and values
// as the events say, and knows no rule about them. It complains where an event does
// not fit what came before.
type checker struct {
	locks map[string]*lock
	ages  map[string]lease.Age

	place   story.Place
	doing   lease.Kind
	answer  string // of the operation in hand; empty while there is none
	asks    string // the client of an acquire that has been told of
	of      string // and the lock
	victims []string
	granted string // its grant

	results  []string
	tally    map[string]int
	runs     int
	aborted  int
	problems []string
	last     lease.Instant

	had map[[2]string]story.Place // by lock and client: where what it had ended last, forgotten or not
}

type lock struct {
	holders, queue []story.Event // grants and queueings
	values         map[string]string
	accepted       lease.Token

	wrote  *story.Event            // the write that was accepted last
	owners map[lease.Token]string  // who was granted what
	latest *story.Event            // the lapse, release or withdrawal that came last
	ended  map[string]*story.Event // likewise, of each client
}

func newChecker() *checker {
	return &checker{locks: map[string]*lock{}, ages: map[string]lease.Age{}, last: lease.Dawn, had: map[[2]string]story.Place{}}
}

func (c *checker) complain(format string, args ...any) {
	c.problems = append(c.problems, fmt.Sprintf("at %+v: ", c.place)+fmt.Sprintf(format, args...))
}

func text(v any) string {
	b := new(strings.Builder)
	e := json.NewEncoder(b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic(err)
	}
	// The encoder escapes these two for the sake of scripts; results do not.
	return strings.NewReplacer(`\u2028`, "\u2028", `\u2029`, "\u2029", `\u007f`, "\u007f").Replace(strings.TrimSpace(b.String()))
}

func (c *checker) lock(name string) *lock {
	l := c.locks[name]
	if l == nil {
		l = &lock{values: map[string]string{}, owners: map[lease.Token]string{}, ended: map[string]*story.Event{}}
		c.locks[name] = l
	}
	return l
}

func (c *checker) see(e *story.Event) {
	if e.Place != c.place {
		c.finish()
		if next := c.place.Operation + 1; e.Operation != next && (e.Operation != c.place.Operation || e.Run > 1 && e.Run != c.place.Run+1) {
			c.complain("then %+v", e.Place)
		}
		c.place, c.doing = e.Place, e.Doing
	}
	if e.At < c.last || e.Noticed < e.At {
		c.complain("%v is of %d, after %d, noticed at %d", e.Kind, e.At, c.last, e.Noticed)
	}
	c.last = e.At
	if !c.change(e) && c.answered(e) {
		c.finish()
	}
}

// finish closes the operation in hand.
func (c *checker) finish() {
	if c.asks != "" {
		c.answerAcquire()
	}
	if c.answer != "" {
		if c.place.Run > 0 {
			c.count(c.answer)
		} else {
			for int64(len(c.results)) < c.place.Operation-1 {
				c.results = append(c.results, "nothing")
			}
			c.results = append(c.results, c.answer)
		}
	}
	c.answer, c.asks, c.granted, c.victims = "", "", "", nil
}

func (c *checker) answerAcquire() {
	victims := ""
	if len(c.victims) > 0 {
		victims = "," + text(c.victims)
	}
	position := func(e story.Event) bool { return e.Client == c.asks }
	switch {
	case slices.Contains(c.victims, c.asks):
		c.reply(`["deadlock"` + victims + `]`)
	case c.granted != "":
		c.reply(`["granted",` + c.granted + victims + `]`)
	default:
		at := slices.IndexFunc(c.lock(c.of).queue, position) + 1
		c.reply(fmt.Sprintf(`["queued",%d%s]`, at, victims))
	}
}

func (c *checker) reply(answer string) {
	if c.answer != "" {
		c.complain("answered %s, then %s", c.answer, answer)
	}
	c.answer = answer
}

// count adds the result of a run to the tally of its repeat.
func (c *checker) count(result string) {
	if c.tally == nil {
		c.tally = map[string]int{}
	}
	c.runs++
	c.aborted += len(c.victims)
	var v any
	if err := json.Unmarshal([]byte(result), &v); err != nil {
		panic(err)
	}
	switch v := v.(type) {
	case string:
		c.tally[v]++
	case []any:
		c.tally[v[0].(string)]++
	default:
		c.tally["other"]++
	}
}

// change takes an effect over; false if the event is none.
func (c *checker) change(e *story.Event) bool {
	switch e.Kind {
	case story.Granted:
		l := c.lock(e.Lock)
		if e.FromQueue {
			q := c.pull(&l.queue, e)
			if q.At != e.Since || e.Cause == nil || e.Cause.At != e.At || !isEnd(e.Cause, l.latest) {
				c.complain("granted %+v after it was queued as %+v and %+v", *e, q, l.latest)
			}
		} else {
			c.acquired(e)
		}
		c.ages[e.Client] = e.Age
		l.holders = append(l.holders, *e)
		l.owners[e.Token] = e.Client
		if e.Client == c.asks && e.Lock == c.of {
			c.granted = fmt.Sprintf("%d,%d", e.Token, e.Until)
		}
	case story.Queued:
		l := c.lock(e.Lock)
		c.acquired(e)
		c.ages[e.Client] = e.Age
		c.checkBlockers(l, e)
		l.queue = append(l.queue, *e)
		if e.Position != len(l.queue) {
			c.complain("position %d, in a queue of %d", e.Position, len(l.queue))
		}
	case story.Renewed:
		c.renewed(e)
	case story.Lapsed, story.Released, story.Withdrawn:
		c.ended(e)
	case story.Deadlock:
		c.deadlock(e)
	case story.Aborted:
		delete(c.ages, e.Client)
		c.victims = append(c.victims, e.Client)
	default:
		return false
	}
	return true
}

func (c *checker) acquired(e *story.Event) {
	if c.asks != "" || e.Doing != lease.Acquire || e.Late() {
		c.complain("a second acquire, or none: %+v", *e)
	}
	c.asks, c.of = e.Client, e.Lock
}

func (c *checker) checkBlockers(l *lock, e *story.Event) {
	behind := ""
	if e.Behind != nil {
		behind = e.Behind.Client
	}
	want := ""
	if len(l.queue) > 0 {
		want = l.queue[len(l.queue)-1].Client
	}
	if behind != want || e.HolderCount != len(l.holders) || len(e.Holders) != min(len(l.holders), story.MostHolders) {
		c.complain("queued behind %q, %d holders; want %q, %d", behind, e.HolderCount, want, len(l.holders))
	}
	for i, h := range e.Holders {
		if held := l.holders[i]; h.Client != held.Client || h.Token != held.Token || h.Until != held.Until {
			c.complain("holder %d is %+v, want %+v", i, h, held)
		}
	}
}

func (c *checker) renewed(e *story.Event) {
	l := c.lock(e.Lock)
	i := slices.IndexFunc(l.holders, func(h story.Event) bool { return h.Client == e.Client })
	if i < 0 || l.holders[i].Until != e.Was || l.holders[i].Token != e.Token || e.Shortened() != (e.Until < e.Was) {
		c.complain("renewed %+v of %+v", *e, l.holders)
		return
	}
	l.holders[i].Until = e.Until
	c.reply(fmt.Sprintf(`["renewed",%d,%d]`, e.Token, e.Until))
}

func (c *checker) ended(e *story.Event) {
	l := c.lock(e.Lock)
	from, word := &l.holders, `"released"`
	if e.Kind == story.Withdrawn {
		from, word = &l.queue, `"withdrawn"`
	}
	if was := c.pull(from, e); was.At != e.Since || was.Token != e.Token || e.Kind == story.Lapsed && (was.Until != e.At || e.Until != e.At) {
		c.complain("%v %+v, which began as %+v", e.Kind, *e, was)
	}
	l.latest, l.ended[e.Client], c.had[[2]string{e.Lock, e.Client}] = e, e, e.Place
	if e.Kind == story.Lapsed || e.Abort {
		return
	}
	if e.Operator != (e.Doing == lease.Evict) {
		c.complain("by an operator: %v", e.Operator)
	}
	c.reply(word)
}

func (c *checker) pull(from *[]story.Event, e *story.Event) story.Event {
	i := slices.IndexFunc(*from, func(h story.Event) bool { return h.Client == e.Client })
	if i < 0 {
		c.complain("%v of what is not there: %+v", e.Kind, *e)
		return story.Event{}
	}
	was := (*from)[i]
	*from = slices.Delete(*from, i, i+1)
	return was
}

// deadlock sees that every edge of the cycles is one: the waiter in the queue, the
// blocker a holder or ahead of it.
func (c *checker) deadlock(e *story.Event) {
	d := e.Deadlock
	if d.Requester != c.asks || d.Lock != c.of || d.Round != len(c.victims)+1 || d.Victim.Client != e.Client || d.Members[len(d.Members)-1] != d.Victim || d.Count != len(d.Members) || d.Unexplained {
		c.complain("deadlock %+v in the acquire of %q", *d, c.asks)
	}
	for _, edges := range [][]story.Edge{d.Edges, d.Through} {
		for i, edge := range edges {
			l := c.lock(edge.Lock)
			waits := slices.IndexFunc(l.queue, func(q story.Event) bool { return q.Client == edge.Waiter })
			line := l.holders
			if edge.Token == 0 {
				line = l.queue[:max(waits, 0)]
			}
			blocks := func(b story.Event) bool {
				return b.Client == edge.Blocker && b.Token == edge.Token && b.Mode == edge.Mode
			}
			if waits < 0 || !slices.ContainsFunc(line, blocks) || edges[(i+1)%len(edges)].Waiter != edge.Blocker || c.ages[edge.Blocker] != edge.Age {
				c.complain("no such edge: %+v", edge)
			}
		}
	}
}

// answered takes an answer over; true if it closes the operation at once, since the
// place of a repeat comes twice.
func (c *checker) answered(e *story.Event) bool {
	l := c.lock(e.Lock)
	switch e.Kind {
	case story.Wrote:
		if e.Token < l.accepted || e.Owner != l.owners[e.Token] {
			c.complain("wrote under %d of %q after %d", e.Token, e.Owner, l.accepted)
		}
		l.accepted, l.wrote = e.Token, e
		l.values[e.Key] = e.Value
		c.reply(`"ok"`)
	case story.Refused:
		if !isWrite(e.Newer, l.wrote) || e.Token >= l.accepted || e.Owner != l.owners[e.Token] {
			c.complain("refused because of %+v; accepted is %d", e.Newer, l.accepted)
		}
		c.reply(`"error: stale token"`)
	case story.Read:
		value, ok := l.values[e.Key]
		if c.reply("null"); ok {
			c.answer = text(value)
		}
	case story.Inspected:
		c.reply(inspected(l))
	case story.Reported:
		c.reply(c.reported(e.Client))
	case story.Failed:
		c.checkFacts(l, e)
		c.reply(text("error: " + e.Code.Error()))
	case story.Again:
		c.reply(c.results[e.First.Operation-1])
	case story.Ticked:
		c.reply("null")
	case story.Bumped:
		c.reply(fmt.Sprintf(`["bumped",%d]`, e.Token))
	case story.Forgotten:
		if len(l.holders)+len(l.queue)+len(l.values) > 0 {
			c.complain("forgotten: %+v", *l)
		}
		delete(c.locks, e.Lock)
		c.reply(`"forgotten"`)
	case story.Closed:
		delete(c.ages, e.Client)
		c.reply(`"closed"`)
	case story.Repeated:
		result := fmt.Sprintf(`{"ops":%d,"results":%s`, c.runs, text(c.tally))
		if c.aborted > 0 {
			result += fmt.Sprintf(`,"aborted":%d`, c.aborted)
		}
		c.reply(result + "}")
		c.tally, c.runs, c.aborted = nil, 0, 0
	default:
		c.complain("an event of kind %d", e.Kind)
	}
	return true
}
