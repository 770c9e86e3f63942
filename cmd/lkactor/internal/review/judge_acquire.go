package review

import (
	"fmt"
	"slices"

	"github.com/leasekeeper/lkactor/actors/lease"
	"github.com/leasekeeper/lkactor/actors/story"
	"github.com/leasekeeper/lkactor/cmd/lkactor/internal/escape"
	"github.com/leasekeeper/lkactor/cmd/lkactor/internal/telling"
)

func (m *matter) acquire() (rule, why string) {
	want, got := &m.want, &m.got
	if want.fails(lease.ClientBusy) || got.fails(lease.ClientBusy) {
		return m.busy()
	}
	if !slices.Equal(want.victims, got.victims) || (want.form == "deadlock") != (got.form == "deadlock") {
		return m.victims()
	}
	switch want.form + " " + got.form {
	case "granted granted":
		return m.lease()
	case "queued granted":
		return m.doubleGrant()
	case "granted queued":
		return m.missingGrant()
	case "queued queued":
		return "Q1", fmt.Sprintf("%s takes position %d: %s", m.client(), want.position, m.ahead(want.position))
	}
	return m.odd() // for the sake of completeness: no other pair is left
}

// busy is about C1: whether the client waits somewhere, or has this lock.
func (m *matter) busy() (rule, why string) {
	if m.want.fails(lease.ClientBusy) {
		e := m.event(story.Failed)
		if e == nil || e.Claim == nil {
			return "C1", m.client() + " waits for a lock, or has this one"
		}
		return "C1", fmt.Sprintf("%s %s, so %s may not ask for %s", m.client(), m.clock.Claim(e.Claim), m.client(), m.lock())
	}
	why = fmt.Sprintf("%s waits for no lock and does not hold %s", m.client(), m.lock())
	if end := m.story.Book().Last(m.op.Lock, m.op.Client); end != nil {
		why += ": " + m.clock.Ending(end)
	}
	return "C1", why
}

// lease is about two grants that differ in their numbers.
func (m *matter) lease() (rule, why string) {
	e := m.granted()
	if m.want.token != m.got.token {
		return "Q2", m.counter(m.want.token, e)
	}
	if e.FromQueue {
		return "D5", fmt.Sprintf("the aborts made room for %s at %s, when the acquire was handled, and for a ttl of %s from then the lease ends at %s",
			m.client(), m.clock.Instant(e.At), m.clock.Span(e.At, e.Until), m.clock.Instant(e.Until))
	}
	return "T2", fmt.Sprintf("the lease is granted at %s for a ttl of %s and ends at %s",
		m.clock.Instant(e.At), m.clock.Span(e.At, e.Until), m.clock.Instant(e.Until))
}

// granted gives the grant that the acquire in hand came to; nil if it came to none. An
// earlier request of the client may have been granted, and have lapsed, unnoticed.
func (m *matter) granted() *story.Event {
	for _, e := range slices.Backward(m.events) {
		if e.Kind == story.Granted && e.Client == m.op.Client && e.Lock == m.op.Lock {
			return e
		}
	}
	return nil
}

// counter says why a grant has its token: which grant had the one before.
func (m *matter) counter(token lease.Token, granted *story.Event) string {
	lock := escape.Quoted(granted.Lock)
	if before, ok := m.story.Book().Grant(granted.Lock, token-1); ok {
		text := fmt.Sprintf("the tokens of %s go up by one with each grant, and token %d went to %s (%s)",
			lock, before.Token, escape.Quoted(before.Client), telling.Place(before.Asked))
		if c := m.story.Book().Claim(granted.Lock, before.Client); c == nil || c.Token != before.Token {
			text += "; that this lease has ended brings no token back"
		}
		return text
	}
	if token == 1 {
		return fmt.Sprintf("this is the first grant of %s, and tokens start at 1", lock)
	}
	if b := m.bumped[granted.Lock]; b != nil {
		return fmt.Sprintf("the counter of %s stood at %d after a bump (%s), so the next token is %d", lock, b.Token, telling.Place(b.Place), token)
	}
	return fmt.Sprintf("the counter of %s starts afresh, at one more than the highest token of all locks that have been forgotten, %d (E4)", lock, token-1)
}

// doubleGrant is about a grant to somebody who has to wait.
func (m *matter) doubleGrant() (rule, why string) {
	e := m.event(story.Queued)
	for _, h := range e.Holders {
		if h.Mode == lease.Exclusive || e.Mode == lease.Exclusive {
			return "L1", fmt.Sprintf("%s holds %s in %v mode since %s (%s), and %s asks for %s mode, so %s has to wait",
				m.clock.Lease(&h), m.lock(), h.Mode, m.clock.Instant(h.Since), telling.Place(h.Asked), m.client(), e.Mode, m.client())
		}
	}
	return "Q1", fmt.Sprintf("others wait for %s already, and nobody overtakes them: %s", m.lock(), m.ahead(m.want.position))
}

// missingGrant is about a grant that was not made.
func (m *matter) missingGrant() (rule, why string) {
	if e := m.granted(); e.FromQueue {
		return "D5", fmt.Sprintf("the aborts let %s in: %s", m.client(), m.latest())
	}
	if e := m.noticed(); e != nil {
		return "T2", fmt.Sprintf("token %d of %s lapsed at %s, so at %s nothing kept %s from %s",
			e.Token, escape.Quoted(e.Client), m.clock.Instant(e.At), m.clock.Instant(e.Noticed), m.client(), m.lock())
	}
	if others := m.others(); others != "" {
		return "L1", fmt.Sprintf("%s shares %s with %s, and nobody waits", m.client(), m.lock(), others)
	}
	return "Q1", fmt.Sprintf("%s was free: %s", m.lock(), m.latest())
}

// others names those who hold the lock beside the client.
func (m *matter) others() string {
	in := m.story.Book().Crowd(m.op.Lock, most+1)
	var names []string
	count := in.Held
	for _, c := range in.Holders {
		if c.Client != m.op.Client {
			names = append(names, escape.Quoted(c.Client))
		}
	}
	if m.story.Book().Claim(m.op.Lock, m.op.Client) != nil {
		count--
	}
	return some(names, count)
}

// ahead says who stands ahead of the client in the queue, at the position it has, and who
// holds the lock.
func (m *matter) ahead(position int) string {
	if position == 1 {
		return fmt.Sprintf("%s is the first in the queue, and %s", m.client(), m.held())
	}
	var names []string
	for _, c := range m.story.Book().Crowd(m.op.Lock, min(most, position-1)).Queue {
		names = append(names, escape.Quoted(c.Client))
	}
	return fmt.Sprintf("ahead of %s in the queue: %s", m.client(), some(names, position-1))
}
