package chance

import (
	"slices"
	"strings"
)

// Moves are what profiles are made of: each lets time pass and adds one
// operation or a few.

// acquire asks for some lock.
func (m *maker) acquire() {
	m.tick()
	client, _ := m.find(idles)
	m.ask(client, m.lock(), m.percent(m.p.shared))
}

// overreach lets a client that holds something ask for more.
func (m *maker) overreach() {
	m.tick()
	client, _ := m.find(func(s situation) bool { return idles(s) && holds(s) })
	m.ask(client, m.lock(), m.percent(m.p.shared))
}

// close lets a holder that somebody waits for ask for what that somebody holds:
// if both are still there, a ring closes.
func (m *maker) close() {
	m.tick()
	_, waiter := m.find(func(s situation) bool { return waits(s) && holds(s) })
	holder, _ := m.find(func(s situation) bool { return idles(s) && slices.Contains(s.holds, waiter.waiting) })
	m.ask(holder, m.oneOf(waiter.holds), m.percent(m.p.shared))
}

// ask adds an acquire, in any of the ways a mode can be written.
func (m *maker) ask(client, lock string, shared bool) {
	ttl := m.ttl()
	args := []any{client, lock, ttl}
	switch {
	case shared:
		args = append(args, "shared")
	case m.percent(30):
		args = append(args, "exclusive")
	}
	if result := m.emit("acquire", args...); strings.HasPrefix(result, `"error`) {
		return
	}
	m.asked[lock] = max(m.asked[lock], m.forgotten) + 1
	m.freeAt[lock] = max(m.freeAt[lock], m.now) + ttl
}

// renewOwn renews a lease that is held, as a rule.
func (m *maker) renewOwn() {
	m.tick()
	client, s := m.find(holds)
	m.renew(client, m.oneOf(s.holds))
}

func (m *maker) renewAny() {
	m.tick()
	m.renew(m.client(), m.lock())
}

func (m *maker) renew(client, lock string) {
	ttl := m.ttl()
	m.emit("renew", client, lock, ttl)
	m.freeAt[lock] = max(m.freeAt[lock], m.now+ttl)
}

// releaseOwn ends a lease that is held, as a rule.
func (m *maker) releaseOwn() {
	m.tick()
	client, s := m.find(holds)
	m.emit("release", client, m.oneOf(s.holds))
}

// withdraw takes back a request that waits, as a rule.
func (m *maker) withdraw() {
	m.tick()
	client, s := m.find(waits)
	lock := s.waiting
	if lock == "" {
		lock = m.lock()
	}
	m.emit("release", client, lock)
}

func (m *maker) releaseAny() {
	m.tick()
	m.emit("release", m.client(), m.lock())
}

// oneOf gives one of some locks, or any if there are none.
func (m *maker) oneOf(locks []string) string {
	if len(locks) == 0 {
		return m.lock()
	}
	return pick(m, locks)
}

func (m *maker) inspect() {
	m.tick()
	m.emit("inspect", m.lock())
}

func (m *maker) status() {
	m.tick()
	m.emit("status", m.client())
}

// write uses a token that was given, one of the latest as a rule, or one a little
// too high.
func (m *maker) write() {
	m.tick()
	at := pair{m.lock(), m.key()}
	if len(m.written) > 0 && m.percent(50) {
		at = pick(m, m.written)
	}
	token := 1 + m.rng.Int64N(m.asked[at.first]+1)
	if m.percent(50) {
		token = max(1, m.asked[at.first]-m.rng.Int64N(3))
	}
	m.emit("write", at.first, at.second, "v"+m.text(len(m.ops)), token)
	m.written = append(m.written, at)
	if len(m.written) > mostWritten {
		m.written = m.written[1:]
	}
}

// read asks for what was written not long ago, as a rule.
func (m *maker) read() {
	m.tick()
	at := pair{m.lock(), m.key()}
	if len(m.written) > 0 && m.percent(knowing) {
		at = pick(m, m.written)
	}
	m.emit("read", at.first, at.second)
}

// hop lets enough time pass for a few leases to end one after the other.
func (m *maker) hop() {
	m.now += (2 + m.rng.Int64N(12)) * m.p.unit()
	m.emit("inspect", m.lock())
}

// jump lets all leases end, the awaited ones too: to the instant, just not, or
// with time to spare.
func (m *maker) jump() {
	end := m.now
	for _, lock := range m.locks {
		end = max(end, m.freeAt[lock])
	}
	m.now = max(m.now, end+pick(m, []int64{-1, 0, 0, 1, 1000 * m.p.unit()}))
	m.emit("inspect", m.lock())
}

// goBack makes time go back, until the log has caught up with itself.
func (m *maker) goBack() {
	m.now -= (1 + m.rng.Int64N(30)) * m.p.unit()
	m.emit("inspect", m.lock())
}

// transact takes one more lock for some client's transaction, or ends the
// transaction when it has all of them, or gives up.
func (m *maker) transact() {
	m.tick()
	client, s := m.find(idles)
	plan, begun := m.plans[client]
	switch {
	case !begun:
		plan = m.some(m.locks, min(len(m.locks), 2+m.rng.IntN(3)))
	case len(plan) == 0 || m.percent(3):
		delete(m.plans, client)
		for _, lock := range s.holds {
			m.emit("release", client, lock)
		}
		return
	}
	m.ask(client, plan[0], m.percent(m.p.shared))
	m.plans[client] = plan[1:]
}
