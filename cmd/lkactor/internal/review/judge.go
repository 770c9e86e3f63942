package review

import (
	"fmt"
	"strings"

	"github.com/leasekeeper/lkactor/actors/lease"
	"github.com/leasekeeper/lkactor/actors/oplog"
	"github.com/leasekeeper/lkactor/actors/story"
	"github.com/leasekeeper/lkactor/cmd/lkactor/internal/escape"
	"github.com/leasekeeper/lkactor/cmd/lkactor/internal/telling"
)

// judge gives the rule that decides between the two answers, and why, in a sentence
// of facts.
func (m *matter) judge() (rule, why string) {
	if rule, why := m.form(); rule != "" {
		return rule, why
	}
	if m.event(story.Again) != nil || m.want.fails(lease.IDReused) || m.got.fails(lease.IDReused) {
		return m.request()
	}
	if m.got.form == formUnknown {
		return "O", "what was recorded is no answer that rule O knows"
	}
	if m.want.fails(lease.StaleLease) || m.got.fails(lease.StaleLease) {
		return m.expectation()
	}
	switch m.op.Kind {
	case lease.Acquire:
		return m.acquire()
	case lease.Renew:
		return m.renew()
	case lease.Release, lease.Evict:
		return m.release()
	case lease.Inspect:
		return m.inspect()
	case lease.Status:
		return m.status()
	case lease.Write:
		return m.write()
	case lease.Read:
		return m.read()
	case lease.Repeat:
		return m.repeat()
	case lease.Tick:
		return "E2", "a tick only settles what is due, and its answer is null"
	}
	return m.verb()
}

// formCodes are the codes of the checks of form, with the rule that a recorded one
// would be about.
var formCodes = map[string]string{
	lease.UnknownOperation.Error(): "O2",
	lease.InvalidArguments.Error(): "O6",
	lease.InvalidTTL.Error():       "O7",
}

// form is about operations that fail a check of their form in one of the two answers.
func (m *matter) form() (rule, why string) {
	if m.op.Check(m.dialect) != lease.OK {
		return oplog.FailedCheck(m.text, m.dialect), fmt.Sprintf("the operation itself is refused with %q before the state of any lock is asked", m.want.code)
	}
	rule, formal := formCodes[m.got.code]
	if m.got.form != formError || !formal {
		return "", ""
	}
	if m.op.Kind == lease.Repeat {
		return "R3", "count, step and template of the repeat are as they should be"
	}
	why = fmt.Sprintf("it is a well-formed %v, so it is not to be refused with %q", m.op.Kind, m.got.code)
	if rule == "O7" && (m.op.Kind == lease.Acquire || m.op.Kind == lease.Renew) {
		why = fmt.Sprintf("its ttl of %d is within %d..%d", m.op.TTL, m.dialect.MinTTL(), m.dialect.MaxTTL())
	}
	return rule, why
}

// request is about operations with a request id.
func (m *matter) request() (rule, why string) {
	if e := m.event(story.Again); e != nil {
		return "E3", fmt.Sprintf("the request id is that of the same operation %s, whose answer it gets again", telling.Place(e.First))
	}
	if e := m.event(story.Failed); e != nil && e.Code == lease.IDReused {
		return "E3", fmt.Sprintf("the request id is that of operation %s, which asked for something else", telling.Place(e.First))
	}
	return "E3", "the request id has not been used by this client in the last 24 h or 1024 requests"
}

// expectation is about a renew or release that says which token its lease has.
func (m *matter) expectation() (rule, why string) {
	has := "has nothing of the lock"
	if c := m.had(); c != nil {
		has = m.clock.Claim(c)
	}
	return "E3", fmt.Sprintf("the operation is about token %d, and %s %s", m.op.Expect, m.client(), has)
}

// had gives what the client of a renew, release or evict had of the lock when the
// operation came.
func (m *matter) had() *story.Claim {
	for _, e := range m.events {
		switch {
		case e.Lock != m.op.Lock || e.Client != m.op.Client || e.Abort:
		case e.Kind == story.Failed:
			return e.Claim
		case e.Kind == story.Renewed:
			c := m.story.Book().Claim(m.op.Lock, m.op.Client)
			c.Until = e.Was
			return c
		case e.Kind == story.Released || e.Kind == story.Withdrawn:
			return &m.story.Book().Last(m.op.Lock, m.op.Client).Claim
		}
	}
	return nil
}

func (m *matter) client() string { return escape.Terminal(m.op.Client) }

func (m *matter) lock() string { return escape.Terminal(m.op.Lock) }

// latest says how what anybody had of the lock ended last.
func (m *matter) latest() string {
	if end := m.story.Book().Latest(m.op.Lock); end != nil {
		return m.clock.Ending(end)
	}
	return "nobody had ever had it"
}

// held says who has the lock now, and who waits for it.
func (m *matter) held() string {
	in := m.story.Book().Crowd(m.op.Lock, most)
	var holders, queue []string
	for _, c := range in.Holders {
		holders = append(holders, m.clock.Lease(&c))
	}
	for _, c := range in.Queue {
		queue = append(queue, escape.Terminal(c.Client))
	}
	text := "nobody holds it"
	if in.Held > 0 {
		text = "it is held by " + some(holders, in.Held)
	}
	if in.Queued > 0 {
		text += " and awaited by " + some(queue, in.Queued)
	}
	return text
}

// most is how many of a list a sentence names.
const most = 4

// some joins the first of so many.
func some(parts []string, count int) string {
	parts = parts[:min(len(parts), most)]
	if rest := count - len(parts); rest > 0 {
		return fmt.Sprintf("%s and %d more", strings.Join(parts, ", "), rest)
	}
	return strings.Join(parts, ", ")
}
