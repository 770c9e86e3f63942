package review

import (
	"bytes"

	"github.com/leasekeeper/lkactor/actors/lease"
	"github.com/leasekeeper/lkactor/actors/oplog"
	"github.com/leasekeeper/lkactor/actors/story"
	"github.com/leasekeeper/lkactor/cmd/lkactor/internal/telling"
)

// Finding is an operation whose recorded answer is not that of the rules.
type Finding struct {
	Number    int64  // of the operation in the log, from 1
	Operation string // its text, as it stands in the log
	Recorded  string // the text of the answer that was recorded
	Expected  string // and of that of the rules
	Rule      string // the rule that decides it: "T2"
	Why       string // one sentence, with the facts
	Standing  Standing
	// After is the operation of an earlier finding that this one follows from, or may.
	// Zero for a cause.
	After int64
}

// Review goes through a log and its recorded answers. Make one with [New].
type Review struct {
	story   *story.Story
	clock   telling.Clock
	dialect lease.Dialect

	events []*story.Event // of the operation in hand

	writes     map[cell]*story.Event   // the last that was accepted
	refused    map[cell]*story.Event   // the last that was not
	accepted   map[string]*story.Event // by lock: the last that was accepted
	before     *story.Event            // what that was before the operation in hand
	waited     map[tenure]bool         // leases that came out of the queue
	bumped     map[string]*story.Event // by lock: the last bump since it was forgotten
	registered map[string]story.Place  // by which acquire a client was
	taint      taint

	text []byte
}

// cell is one stored value: that of a key under a lock.
type cell struct{ lock, key string }

// New begins the review of a log with that header; nil for a plain log.
func New(h *oplog.Header) *Review {
	r := &Review{
		clock: telling.ClockOf(h), dialect: h.Dialect(),
		writes: map[cell]*story.Event{}, refused: map[cell]*story.Event{}, accepted: map[string]*story.Event{},
		waited: map[tenure]bool{}, bumped: map[string]*story.Event{}, registered: map[string]story.Place{}, taint: newTaint(),
	}
	r.story = story.New(r.dialect, r.see)
	return r
}

func (r *Review) see(e *story.Event) {
	r.events = append(r.events, e)
	switch e.Kind {
	case story.Wrote:
		r.writes[cell{e.Lock, e.Key}] = e
		r.before, r.accepted[e.Lock] = r.accepted[e.Lock], e
	case story.Refused:
		r.refused[cell{e.Lock, e.Key}] = e
	case story.Granted:
		r.waited[tenure{e.Lock, e.Client}] = e.FromQueue
		r.register(e)
	case story.Queued:
		r.register(e)
	case story.Bumped:
		r.bumped[e.Lock] = e
	case story.Forgotten:
		delete(r.bumped, e.Lock)
	case story.Aborted, story.Closed:
		delete(r.registered, e.Client)
	}
}

// register takes note of the acquire that has registered a client (C2).
func (r *Review) register(e *story.Event) {
	if _, known := r.registered[e.Client]; !known {
		r.registered[e.Client] = e.Place
	}
}

// Steps is how much the review has looked at so far, claims in queues and links between
// locks and clients: the work there was beside running the log and reading the answers.
func (r *Review) Steps() int64 { return r.taint.groups.steps + r.story.Book().Looked() }

// Do runs the next operation, which was decoded from the text given, and compares the text
// of the recorded answer; empty if none was recorded. It gives nil where they agree.
func (r *Review) Do(number int64, op *lease.Operation, text, recorded string) *Finding {
	r.events = r.events[:0]
	result := r.story.DoForm(op, oplog.FormOf(op, text, r.dialect))
	r.text = oplog.AppendResult(r.text[:0], &result)
	c := &matter{Review: r, op: op, number: number, text: text}
	r.taint.meet(c)
	defer r.taint.blur(c)
	if recorded == "" {
		return nil
	}
	if bytes.Equal(r.text, []byte(recorded)) {
		r.taint.pass(c)
		return nil
	}
	c.want, c.got = parse(string(r.text)), parse(recorded)
	if c.want.same(&c.got) {
		r.taint.pass(c)
		return nil
	}
	f := &Finding{Number: number, Operation: text, Recorded: recorded, Expected: string(r.text)}
	c.points = r.taint.compare(c)
	f.Rule, f.Why = c.judge()
	f.Standing, f.After = r.taint.place(c, number)
	return f
}

// matter is one difference: the operation, what the rules answer and what was
// recorded.
type matter struct {
	*Review
	op        *lease.Operation
	number    int64
	text      string // of the operation
	want, got answer
	points    []point // in which a view differs
	group     int     // of whom it concerns
	fresh     bool    // of whom nobody was named before
	apart     string  // why no lock is ever as a view shows it, unless something before explains it
}

// event gives the first event of a kind that the operation brought about; nil if
// there is none.
func (m *matter) event(kind story.Kind) *story.Event {
	for _, e := range m.events {
		if e.Kind == kind {
			return e
		}
	}
	return nil
}

// noticed gives the last lapse that this operation was the first to notice on the lock
// it names; nil if there is none.
func (m *matter) noticed() *story.Event {
	for i := len(m.events) - 1; i >= 0; i-- {
		if e := m.events[i]; e.Kind == story.Lapsed && e.Lock == m.op.Lock {
			return e
		}
	}
	return nil
}
