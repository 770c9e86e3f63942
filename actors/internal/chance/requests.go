package chance

import (
	"fmt"
	"slices"
	"strings"
)

// request is an operation with an id (E3).
type request struct {
	name  string
	args  []any // without the object
	id    string
	token int64 // the expected one, zero for none
	at    int64 // when the id was first used
}

// day is for how long an id is remembered, mostIDs how many of one client (E3).
const (
	day     = 24 * 3600 * 1000 * millisecond
	mostIDs = 1024
)

// recent is how far back, in requests, a maker looks for one to ask again.
const recent = 12

// The operations that name a client.
var ofClients = []string{"acquire", "renew", "release", "status", "evict", "close"}

// request adds one operation to a live log as emit does, now and then with an id
// or a token.
func (m *maker) request(name string, args []any) string {
	if !slices.Contains(ofClients, name) {
		return m.plainly(name, args)
	}
	r := request{name: name, args: args, at: m.now}
	if (name == "renew" || name == "release") && m.percent(m.p.expects) {
		r.token = m.expected(args[0].(string), args[1].(string))
	}
	if !m.percent(m.p.ids) {
		return m.send(r)
	}
	if len(m.requests) > 0 && m.percent(4) {
		r.id = pick(m, m.requests).id // perhaps of another client
		return m.send(r)
	}
	r.id = m.freshID()
	m.requests = append(m.requests, r)
	return m.send(r)
}

// freshID gives an id that nobody has used.
func (m *maker) freshID() string {
	n := len(m.requests)
	if m.percent(5) {
		return fmt.Sprint(pick(m, strangeNames), n)
	}
	return fmt.Sprint("r", n)
}

// expected gives a token for a lease: the right one as a rule, where there is
// one.
func (m *maker) expected(client, lock string) int64 {
	s := m.situation(client)
	if i := slices.Index(s.holds, lock); i >= 0 && m.percent(knowing) {
		return max(1, s.tokens[i]+pick(m, []int64{0, 0, 0, 0, -1, 1}))
	}
	return 1 + m.rng.Int64N(m.asked[lock]+2)
}

// send adds the operation of a request.
func (m *maker) send(r request) string {
	args := r.args
	var members []string
	if r.id != "" {
		members = append(members, `"id":`+m.text(r.id))
	}
	if r.token != 0 {
		members = append(members, `"token":`+m.text(r.token))
	}
	if len(members) > 0 {
		if m.percent(30) {
			slices.Reverse(members)
		}
		args = append(slices.Clone(args), raw("{"+strings.Join(members, ",")+"}"))
	}
	return m.plainly(r.name, args)
}

// retry asks for something again, as a client does that has heard no answer.
func (m *maker) retry() {
	m.tick()
	if r := m.earlier(); r != nil {
		m.again(*r)
	}
}

// retryChanged uses the id of a request for something else, if only a little.
func (m *maker) retryChanged() {
	m.tick()
	r := m.earlier()
	if r == nil {
		return
	}
	other := *r
	other.args = slices.Clone(r.args)
	switch last := len(r.args) - 1; m.rng.IntN(5) {
	case 0:
		other.name = pick(m, []string{"release", "evict"}) // the arguments may be too many
	case 1:
		other.args[last] = m.lock() // in the place of a lock, if not of something else
	case 2:
		other.token = m.rng.Int64N(3)
	case 3:
		if ttl, ok := other.args[last].(int64); ok {
			other.args[last] = ttl + millisecond
		} else {
			other.args[0] = m.client()
		}
	case 4:
		if r.name == "acquire" {
			other.args = append(other.args[:3:3], pick(m, []any{"shared", "exclusive"}))
		} else {
			other.name = pick(m, []string{"status", "close"})
			other.args = other.args[:1]
		}
	}
	m.send(other)
}

// nextDay lets time pass until a request is forgotten, or just not yet, and asks
// it again.
func (m *maker) nextDay() {
	r := m.earlier()
	if r == nil {
		return
	}
	m.now = max(m.now, r.at+day+pick(m, []int64{-1, 0, 0, 1, millisecond}))
	m.again(*r)
	if m.now >= r.at+day {
		r.at = m.now
	}
}

// again sends a request a second time, sometimes written in another way.
func (m *maker) again(r request) {
	if r.name == "acquire" && len(r.args) == 3 && m.percent(30) {
		r.args = append(r.args[:3:3], "exclusive") // the default
	}
	if m.percent(15) {
		r.args = slices.Clone(r.args)
		for i, arg := range r.args {
			if name, ok := arg.(string); ok {
				r.args[i] = raw(spell(m.text(name)))
			}
		}
	}
	m.send(r)
}

// earlier gives one of the latest requests as a rule; nil if there is none.
func (m *maker) earlier() *request {
	n := len(m.requests)
	if n == 0 {
		m.acquire()
		return nil
	}
	switch {
	case m.percent(30):
		return &m.requests[n-1]
	case m.percent(knowing):
		return &m.requests[n-1-m.rng.IntN(min(recent, n))]
	}
	return &m.requests[m.rng.IntN(n)]
}

// useID is a small request of the one client of whom there are enough to be
// forgotten. Once there are, the oldest come again.
func (m *maker) useID() {
	m.tick()
	n := len(m.requests)
	if n > mostIDs-3 && m.percent(50) {
		i := max(0, n-mostIDs+pick(m, []int{-1, 0, 0, 1, 2}))
		r := m.requests[i]
		m.again(r)
		if i < n-mostIDs {
			r.at = m.now
			m.requests = append(m.requests, r) // used anew
		}
		return
	}
	client, lock := m.clients[0], m.lock()
	if m.percent(1) { // another's ids, which are not counted with those
		m.send(request{name: "status", args: []any{"other"}, id: m.freshID()})
		return
	}
	switch m.rng.IntN(8) {
	case 0:
		m.emit("acquire", client, lock, m.ttl())
	case 1:
		m.emit("release", client, lock)
	case 2, 3:
		m.emit("renew", client, lock, m.ttl())
	case 4:
		m.emit("close", client)
	default:
		m.emit("status", client)
	}
}
