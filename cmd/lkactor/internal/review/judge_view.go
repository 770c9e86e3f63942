package review

import (
	"fmt"

	"github.com/leasekeeper/lkactor/actors/lease"
	"github.com/leasekeeper/lkactor/actors/story"
	"github.com/leasekeeper/lkactor/cmd/lkactor/internal/escape"
	"github.com/leasekeeper/lkactor/cmd/lkactor/internal/telling"
)

// tooMuch is about a lease that is shown and is not there.
func (m *matter) tooMuch(lock, client string) (rule, why string) {
	who, what := escape.Quoted(client), escape.Quoted(lock)
	if c := m.story.Book().Claim(lock, client); c != nil {
		return "L1", fmt.Sprintf("%s is no holder of %s: %s %s", who, what, who, m.clock.Claim(c))
	}
	end := m.story.Book().Last(lock, client)
	if end == nil {
		return "L1", telling.Never(who, what, m.story.Book().Forgotten(lock))
	}
	why = m.clock.Ending(end)
	if m.op.Kind == lease.Status { // which may show many locks
		why = fmt.Sprintf("as to %s, %s", what, why)
	}
	switch {
	case end.Abort:
		return "D5", why
	case end.Kind == story.Lapsed:
		return "T2", fmt.Sprintf("%s, so at %s there is no such lease", why, m.clock.Instant(m.now()))
	case end.Kind == story.Withdrawn:
		return "L5", why
	}
	return "L4", why
}

// tooLittle is about a lease that is there and is not shown.
func (m *matter) tooLittle(lock, client string) (rule, why string) {
	c, began := m.began(lock, client)
	if c == nil {
		return "T1", fmt.Sprintf("%s holds %s at %s", escape.Quoted(client), escape.Quoted(lock), m.clock.Instant(m.now()))
	}
	rule = "T2"
	if began.waited {
		rule = "T3"
	}
	return rule, fmt.Sprintf("%s %s, a lease that began at %s", escape.Quoted(client), m.clock.Claim(c), m.clock.Instant(c.Since))
}

// wrongLease is about a lease that is shown other than it is.
func (m *matter) wrongLease(lock, client string, want, got lent) (rule, why string) {
	c, began := m.began(lock, client)
	who, what := escape.Quoted(client), "the lock"
	whose := "the lease of " + who
	if m.op.Kind == lease.Status {
		what = escape.Quoted(lock)
		whose += " on " + what
	}
	switch {
	case c == nil:
		return "T1", fmt.Sprintf("%s holds %s at %s", who, escape.Quoted(lock), m.clock.Instant(m.now()))
	case want.token != got.token:
		return "Q2", m.counter(want.token, &story.Event{Lock: lock})
	case want.mode != got.mode:
		return "L2", fmt.Sprintf("%s asked for %s in %v mode (%s), and a lease keeps its mode", who, what, c.Mode, telling.Place(c.Asked))
	case began.Until != c.Until:
		return "L2", fmt.Sprintf("%s was last renewed to end at %s", whose, m.clock.Instant(c.Until))
	case began.waited:
		text := fmt.Sprintf("%s began at %s, when %s was handed over, and ends at %s", whose, m.clock.Instant(c.Since), escape.Quoted(lock), m.clock.Instant(c.Until))
		if got.until-want.until == m.now()-c.Since {
			text += fmt.Sprintf("; the recorded one begins at %s, when somebody looked", m.clock.Instant(m.now()))
		}
		return "T3", text
	}
	return "T2", fmt.Sprintf("%s was granted at %s for %s and ends at %s", whose, m.clock.Instant(c.Since), m.clock.Span(c.Since, c.Until), m.clock.Instant(c.Until))
}

// start is how a lease began.
type start struct {
	story.Claim
	waited bool // it came out of the queue
}

// began gives a lease as it is, and as it was when it was granted; nil if there is
// none.
func (m *matter) began(lock, client string) (now *story.Claim, then start) {
	now = m.story.Book().Claim(lock, client)
	if now == nil || !now.Holds() {
		return nil, start{}
	}
	granted, _ := m.story.Book().Grant(lock, now.Token)
	return now, start{granted, m.waited[tenure{lock, client}]}
}

// twice is about a client that is shown twice with one lock.
func (m *matter) twice(verb string, of tenure) (rule, why string) {
	return "C1", fmt.Sprintf("%s is shown twice where it %s %s, and a client has one lease or request of a lock", escape.Quoted(of.client), verb, escape.Quoted(of.lock))
}

// both is about a client that is shown as holding a lock and waiting for it.
func (m *matter) both(of tenure) (rule, why string) {
	return "C1", fmt.Sprintf("%s is shown as holding %s and waiting for it, and a client has one lease or request of a lock", escape.Quoted(of.client), escape.Quoted(of.lock))
}

// unheard is about a request that is not shown.
func (m *matter) unheard(of tenure) (rule, why string) {
	rule = "Q1"
	if m.op.Kind == lease.Status {
		rule = "C1"
	}
	return rule, fmt.Sprintf("%s %s", escape.Quoted(of.client), m.clock.Claim(m.story.Book().Claim(of.lock, of.client)))
}

// intruder is about a request that is shown and is not there.
func (m *matter) intruder(of tenure) (rule, why string) {
	who, wait := escape.Quoted(of.client), "waits no longer"
	if m.op.Kind == lease.Status {
		wait = "waits for nothing"
		if c := m.story.Book().Waiting(of.client); c != nil {
			return "C1", fmt.Sprintf("%s %s", who, m.clock.Claim(c))
		}
	}
	if c := m.story.Book().Claim(of.lock, of.client); c != nil && c.Holds() {
		return "Q3", fmt.Sprintf("%s %s and %s", who, wait, m.clock.Claim(c))
	}
	rule, why = m.tooMuch(of.lock, of.client)
	if rule == "L1" && m.op.Kind == lease.Status {
		return "C1", fmt.Sprintf("%s %s", who, wait)
	}
	return rule, why
}

// asked is about a request that is shown other than it is.
func (m *matter) asked(of tenure) (rule, why string) {
	c := m.story.Book().Claim(of.lock, of.client)
	return "Q1", fmt.Sprintf("%s asked for %s in %v mode (%s), and has not got it yet", escape.Quoted(of.client), escape.Quoted(of.lock), c.Mode, telling.Place(c.Asked))
}

// age is about the registration number of a client.
func (m *matter) age() (rule, why string) {
	if m.want.age != 0 {
		return "C2", fmt.Sprintf("%s was the client number %d to be registered, by %s", m.client(), m.want.age, telling.Place(m.registered[m.op.Client]))
	}
	return "C3", fmt.Sprintf("%s is not registered", m.client())
}

// now is the instant at which the operation in hand is handled.
func (m *matter) now() lease.Instant { return m.events[len(m.events)-1].Noticed }
