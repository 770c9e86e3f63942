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
// of facts. What was wrong before is not told again where something is new.
func (m *matter) judge() (rule, why string) {
	rule, why = m.decide()
	known := m.taint.lent(m) != 0 || m.got.is("released") && m.taint.living(m) != nil
	add := func(of, because string) {
		if known {
			rule, why, known = of, because, false
			return
		}
		why += "; besides, " + because
	}
	if m.want.fails(lease.NotHolder) && m.taint.misnamed(m) {
		add(m.mistaken())
	}
	if m.lends() && m.endsOtherwise() && (m.want.form != m.got.form || m.want.token != m.got.token) {
		add(m.end())
	}
	return rule, why
}

// decide is judge for whatever the answers differ in first.
func (m *matter) decide() (rule, why string) {
	if rule, why := m.form(); rule != "" {
		return rule, why
	}
	if m.event(story.Again) != nil || m.want.fails(lease.IDReused) || m.got.fails(lease.IDReused) {
		return m.request()
	}
	if !m.shaped() && !(m.op.Kind == lease.Write && m.got.form == formError) { // F2 has more to say of that
		return m.odd()
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
	case lease.Inspect, lease.Status:
		return m.viewed()
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
		f := oplog.FormOf(m.op, m.text, m.dialect)
		return f.Rule, fmt.Sprintf("%s, so the operation is refused with %q, whatever the state of any lock", telling.Form(f), m.want.code)
	}
	rule, formal := formCodes[m.got.code]
	if m.got.form != formError || !formal {
		return "", ""
	}
	if m.op.Kind == lease.Repeat {
		return "R3", "count, step and template of the repeat are as they should be, so the repeat is not to be refused"
	}
	why = fmt.Sprintf("the %v is well-formed and not to be refused with %q", m.op.Kind, m.got.code)
	if rule == "O7" && (m.op.Kind == lease.Acquire || m.op.Kind == lease.Renew) {
		why = fmt.Sprintf("the ttl of %d is within %d..%d, so the %v is not to be refused with %q", m.op.TTL, m.dialect.MinTTL(), m.dialect.MaxTTL(), m.op.Kind, m.got.code)
	}
	return rule, why
}

// oddRules are the rules that say which answers an operation has, by its kind.
var oddRules = map[lease.Kind]string{
	lease.Acquire: "D7", lease.Renew: "L2", lease.Release: "L4", lease.Evict: "E4", lease.Inspect: "T1", lease.Status: "C3",
	lease.Write: "F1", lease.Read: "F2", lease.Repeat: "R2", lease.Tick: "E2", lease.Bump: "E4", lease.Forget: "E4", lease.Close: "E4",
}

// odd is about an answer that no operation of the kind can have.
func (m *matter) odd() (rule, why string) {
	if m.got.form == formError {
		return "O8", fmt.Sprintf("%s is no error that the rules have for operations like this %v", escape.Quoted(m.got.code), m.op.Kind)
	}
	if m.op.Expect != 0 && m.got.is("withdrawn") {
		return "E3", "a release that names a token never withdraws a request"
	}
	why = fmt.Sprintf("what was recorded is no answer to operations like this %v, whatever the state", m.op.Kind)
	if n := fraction(m.got.value); n != "" && m.got.form == formUnknown {
		is := "is no integer"
		if !strings.ContainsAny(n, ".eE") {
			is = "is beyond 64 bits"
		}
		why += fmt.Sprintf("; %s in it %s", telling.Answer(n), is)
	}
	return oddRules[m.op.Kind], why
}

// request is about operations with a request id.
func (m *matter) request() (rule, why string) {
	if e := m.event(story.Again); e != nil {
		return "E3", fmt.Sprintf("the request id is that of the same operation %s, whose answer is given again", telling.Place(e.First))
	}
	if e := m.event(story.Failed); e != nil && e.Code == lease.IDReused {
		return "E3", fmt.Sprintf("the request id is that of operation %s, which asked for something else, so nothing is done", telling.Place(e.First))
	}
	return "E3", m.client() + " has not used this request id in the last 24 h or 1024 requests"
}

// expectation is about a renew or release that says which token its lease has.
func (m *matter) expectation() (rule, why string) {
	has := "neither holds nor awaits " + m.lock()
	if c := m.had(); c != nil {
		has = m.clock.Claim(c)
	}
	return "E3", fmt.Sprintf("the %v is about the lease with token %d, and %s %s", m.op.Kind, m.op.Expect, m.client(), has)
}

// mistaken is about a renew or release that was to be refused even if its client had what was
// recorded.
func (m *matter) mistaken() (rule, why string) {
	token := m.got.token
	if b := m.taint.living(m); m.got.form != "renewed" {
		token = b.token
	}
	return "E3", fmt.Sprintf("the %v is about the lease with token %d, and the one that is recorded has token %d", m.op.Kind, m.op.Expect, token)
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

func (m *matter) client() string { return escape.Quoted(m.op.Client) }

func (m *matter) lock() string { return escape.Quoted(m.op.Lock) }

// latest says how what anybody had of the lock ended last.
func (m *matter) latest() string {
	if end := m.story.Book().Latest(m.op.Lock); end != nil {
		return m.clock.Ending(end)
	}
	if by := m.story.Book().Forgotten(m.op.Lock); by != (story.Place{}) {
		return fmt.Sprintf("nobody had held or awaited %s since it was forgotten (%s)", m.lock(), telling.Place(by))
	}
	return "nobody had ever held or awaited " + m.lock()
}

// held says who has the lock now, and who waits for it.
func (m *matter) held() string {
	in := m.story.Book().Crowd(m.op.Lock, most)
	var holders, queue []string
	for _, c := range in.Holders {
		holders = append(holders, m.clock.Lease(&c))
	}
	for _, c := range in.Queue {
		queue = append(queue, escape.Quoted(c.Client))
	}
	text := "nobody holds " + m.lock()
	if in.Held > 0 {
		text = m.lock() + " is held by " + some(holders, in.Held)
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
