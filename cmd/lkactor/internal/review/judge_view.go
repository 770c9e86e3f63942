package review

import (
	"fmt"

	"github.com/leasekeeper/lkactor/actors/lease"
	"github.com/leasekeeper/lkactor/actors/story"
	"github.com/leasekeeper/lkactor/cmd/lkactor/internal/escape"
	"github.com/leasekeeper/lkactor/cmd/lkactor/internal/telling"
)

func (m *matter) inspect() (rule, why string) {
	if m.got.form != formLock {
		return m.odd()
	}
	lock := m.op.Lock
	want, got := byName(m.want.holders), byName(m.got.holders)
	for _, h := range m.got.holders {
		if right := want[h.name]; right == nil {
			return m.tooMuch(lock, h.name)
		} else if *right != h {
			return m.wrongLease(lock, h.name, *right, h)
		}
	}
	for _, h := range m.want.holders {
		if got[h.name] == nil {
			return m.tooLittle(lock, h.name)
		}
	}
	return m.queue()
}

// byName finds the leases of a view by the name that stands with each; of several with
// one name the first.
func byName(leases []lent) map[string]*lent {
	all := make(map[string]*lent, len(leases))
	for i := range leases {
		if l := &leases[i]; all[l.name] == nil {
			all[l.name] = l
		}
	}
	return all
}

// tooMuch is about a lease that is shown and is not there.
func (m *matter) tooMuch(lock, client string) (rule, why string) {
	who, what := escape.Quoted(client), escape.Quoted(lock)
	if c := m.story.Book().Claim(lock, client); c != nil {
		return "L1", fmt.Sprintf("%s is no holder of %s: %s %s", who, what, who, m.clock.Claim(c))
	}
	end := m.story.Book().Last(lock, client)
	switch {
	case end == nil:
		return "L1", fmt.Sprintf("%s never held or awaited %s", who, what)
	case end.Abort:
		return "D5", m.clock.Ending(end)
	case end.Kind == story.Lapsed:
		return "T2", fmt.Sprintf("%s, so at %s there is no such lease", m.clock.Ending(end), m.clock.Instant(m.now()))
	case end.Kind == story.Withdrawn:
		return "L5", m.clock.Ending(end)
	}
	return "L4", m.clock.Ending(end)
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
	who := escape.Quoted(client)
	switch {
	case c == nil:
		return "T1", fmt.Sprintf("%s holds %s at %s", who, escape.Quoted(lock), m.clock.Instant(m.now()))
	case want.token != got.token:
		return "Q2", m.counter(want.token, &story.Event{Lock: lock})
	case want.mode != got.mode:
		return "L2", fmt.Sprintf("%s asked for the lock in %v mode (%s), and a lease keeps its mode", who, c.Mode, telling.Place(c.Asked))
	case began.Until != c.Until:
		return "L2", fmt.Sprintf("the lease of %s was last renewed to end at %s", who, m.clock.Instant(c.Until))
	case began.waited:
		text := fmt.Sprintf("the lease of %s began at %s, when %s was handed over, and ends at %s", who, m.clock.Instant(c.Since), escape.Quoted(lock), m.clock.Instant(c.Until))
		if got.until-want.until == m.now()-c.Since {
			text += fmt.Sprintf("; the recorded one begins at %s, when somebody looked", m.clock.Instant(m.now()))
		}
		return "T3", text
	}
	return "T2", fmt.Sprintf("the lease of %s was granted at %s for %s and ends at %s", who, m.clock.Instant(c.Since), m.clock.Span(c.Since, c.Until), m.clock.Instant(c.Until))
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

// queue is about who waits for the lock of an inspect.
func (m *matter) queue() (rule, why string) {
	want, got := waiters(m.want.queue), waiters(m.got.queue)
	for _, w := range m.want.queue {
		if !got[w.client] {
			c := m.story.Book().Claim(m.op.Lock, w.client)
			return "Q1", fmt.Sprintf("%s %s", escape.Quoted(w.client), m.clock.Claim(c))
		}
	}
	for _, w := range m.got.queue {
		if !want[w.client] {
			rule, why := m.tooMuch(m.op.Lock, w.client)
			if c := m.story.Book().Claim(m.op.Lock, w.client); c != nil && c.Holds() {
				return "Q3", fmt.Sprintf("%s waits no longer and %s", escape.Quoted(w.client), m.clock.Claim(c))
			}
			return rule, why
		}
	}
	return "Q1", "waiters are listed in the order in which they came, each in the mode it asked for: " + m.held()
}

// waiters gives the names in a queue.
func waiters(queue []waiter) map[string]bool {
	all := make(map[string]bool, len(queue))
	for _, w := range queue {
		all[w.client] = true
	}
	return all
}

func (m *matter) status() (rule, why string) {
	if m.got.form != formClient {
		return m.odd()
	}
	want, got := byName(m.want.holds), byName(m.got.holds)
	for _, h := range m.got.holds {
		if right := want[h.name]; right == nil {
			return m.tooMuch(h.name, m.op.Client)
		} else if *right != h {
			return m.wrongLease(h.name, m.op.Client, *right, h)
		}
	}
	for _, h := range m.want.holds {
		if got[h.name] == nil {
			return m.tooLittle(h.name, m.op.Client)
		}
	}
	if m.want.waiting != m.got.waiting {
		return m.waits()
	}
	if m.want.age != m.got.age {
		return m.age()
	}
	return "O10", "holds are listed by the names of the locks, in code-point order, each once"
}

// waits is about what the client of a status waits for.
func (m *matter) waits() (rule, why string) {
	if c := m.story.Book().Waiting(m.op.Client); c != nil {
		return "C1", fmt.Sprintf("%s %s", m.client(), m.clock.Claim(c))
	}
	if rule, why := m.tooMuch(m.got.waiting, m.op.Client); rule != "L1" {
		return rule, why
	}
	if c := m.story.Book().Claim(m.got.waiting, m.op.Client); c != nil {
		return "Q3", fmt.Sprintf("%s waits for nothing and %s", m.client(), m.clock.Claim(c))
	}
	return "C1", fmt.Sprintf("%s waits for nothing", m.client())
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
