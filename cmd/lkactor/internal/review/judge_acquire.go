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
		return "Q1", fmt.Sprintf("%s stands at position %d: %s", m.client(), want.position, m.ahead(want.position))
	}
	return "O", fmt.Sprintf("%s is no answer to an acquire", escape.Terminal(fmt.Sprint(got.value)))
}

// busy is about C1: whether the client waits somewhere, or has this lock.
func (m *matter) busy() (rule, why string) {
	if m.want.fails(lease.ClientBusy) {
		e := m.event(story.Failed)
		if e == nil || e.Claim == nil {
			return "C1", m.client() + " is busy"
		}
		return "C1", fmt.Sprintf("%s %s, so it may not ask for %s", m.client(), m.clock.Claim(e.Claim), m.lock())
	}
	why = fmt.Sprintf("%s waits for no lock and has nothing of %s", m.client(), m.lock())
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
		return "D5", fmt.Sprintf("the lease was granted by the aborts, so it starts at %s, when the acquire was handled, and lasts %d",
			m.clock.Instant(e.At), m.op.TTL)
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
	lock := escape.Terminal(granted.Lock)
	if before, ok := m.story.Book().Grant(granted.Lock, token-1); ok {
		text := fmt.Sprintf("tokens of %s go up by one and are never issued twice: token %d went to %s (%s)",
			lock, before.Token, escape.Terminal(before.Client), telling.Place(before.Asked))
		if c := m.story.Book().Claim(granted.Lock, before.Client); c == nil || c.Token != before.Token {
			text += ", whatever became of that lease since"
		}
		return text
	}
	if token == 1 {
		return fmt.Sprintf("nothing of %s was ever granted before, and tokens start at 1", lock)
	}
	return fmt.Sprintf("the counter of %s stood at %d", lock, token-1)
}

// doubleGrant is about a grant to somebody who has to wait.
func (m *matter) doubleGrant() (rule, why string) {
	e := m.event(story.Queued)
	for _, h := range e.Holders {
		if h.Mode == lease.Exclusive || e.Mode == lease.Exclusive {
			return "L1", fmt.Sprintf("%s is held by %s since %s (%s), and the request of %s is %s",
				m.lock(), m.clock.Lease(&h), m.clock.Instant(h.Since), telling.Place(h.Asked), m.client(), e.Mode)
		}
	}
	return "Q1", fmt.Sprintf("%s is awaited already and nobody overtakes: %s", m.lock(), m.ahead(m.want.position))
}

// missingGrant is about a grant that was not made.
func (m *matter) missingGrant() (rule, why string) {
	if e := m.granted(); e.FromQueue {
		return "D5", fmt.Sprintf("the aborts let %s in: %s", m.client(), m.latest())
	}
	if e := m.noticed(); e != nil {
		return "T2", fmt.Sprintf("token %d of %s lapsed at %s, so nothing stands in the way at %s",
			e.Token, escape.Terminal(e.Client), m.clock.Instant(e.At), m.clock.Instant(e.Noticed))
	}
	if others := m.others(); others != "" {
		return "L1", fmt.Sprintf("%s and %s share %s, and nobody waits for it", m.client(), others, m.lock())
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
			names = append(names, escape.Terminal(c.Client))
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
		return "it is the first in the queue, and " + m.held()
	}
	var names []string
	for _, c := range m.story.Book().Crowd(m.op.Lock, min(most, position-1)).Queue {
		names = append(names, escape.Terminal(c.Client))
	}
	return "ahead of it in the queue is " + some(names, position-1)
}
