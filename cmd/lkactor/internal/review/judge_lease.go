package review

import (
	"fmt"

	"github.com/leasekeeper/lkactor/actors/lease"
	"github.com/leasekeeper/lkactor/actors/story"
	"github.com/leasekeeper/lkactor/cmd/lkactor/internal/telling"
)

func (m *matter) renew() (rule, why string) {
	e := m.event(story.Renewed)
	switch {
	case e == nil && m.want.fails(lease.NotHolder):
		return m.notHolder("L3", "renewed")
	case m.got.form != "renewed":
		return "T2", fmt.Sprintf("%s held %s under token %d from %s until %s, so at %s there was a lease to renew",
			m.client(), m.lock(), e.Token, m.clock.Instant(e.Since), m.clock.Instant(e.Was), m.clock.Instant(e.At))
	case m.want.token != m.got.token:
		return "L2", fmt.Sprintf("a renewal changes nothing but the end of the lease, and %s holds %s under token %d", m.client(), m.lock(), e.Token)
	}
	return "L2", fmt.Sprintf("the lease is renewed at %s for %s from then, so it ends at %s (it was until %s)",
		m.clock.Instant(e.At), m.clock.Span(e.At, e.Until), m.clock.Instant(e.Until), m.clock.Instant(e.Was))
}

// endsOtherwise tells whether the end of the lease in a recorded grant or renewal is not what
// the instant and the ttl make it.
func (m *matter) endsOtherwise() bool {
	if m.want.form == m.got.form {
		return m.want.until != m.got.until
	}
	return !m.shownInstant()
}

// end is about the end of a lease that begins or is renewed, whoever has it.
func (m *matter) end() (rule, why string) {
	rule, done := "L2", "renewed"
	if m.got.form == "granted" {
		rule, done = "T2", "granted"
	}
	now := m.now()
	until := now + lease.Instant(m.op.TTL)
	return rule, fmt.Sprintf("whatever is %s at %s for %s ends at %s", done, m.clock.Instant(now), m.clock.Span(now, until), m.clock.Instant(until))
}

func (m *matter) release() (rule, why string) {
	switch {
	case m.want.fails(lease.NotHolder):
		return m.notHolder("L5", "released")
	case m.want.is("withdrawn"):
		return "L5", fmt.Sprintf("%s %s, so the release takes the request of %s out of the queue", m.client(), m.clock.Claim(m.had()), m.client())
	}
	return "L4", fmt.Sprintf("%s %s, so there is a lease to end", m.client(), m.clock.Claim(m.had()))
}

// notHolder is about a renew or release by somebody who does not hold the lock: who
// did and whose lease has ended is told when it ended.
func (m *matter) notHolder(rule, done string) (string, string) {
	e := m.event(story.Failed)
	switch {
	case e.Claim != nil:
		return rule, fmt.Sprintf("%s is no holder: %s %s", m.client(), m.client(), m.clock.Claim(e.Claim))
	case e.Cause == nil:
		return rule, telling.Never(m.client(), m.lock(), e.Forgot)
	case e.Cause.Kind == story.Lapsed:
		return "T2", fmt.Sprintf("%s, so at %s there was nothing to be %s any more (%s had asked for the lease); %s",
			m.clock.Ending(e.Cause), m.clock.Instant(e.Noticed), done, telling.Place(e.Cause.Asked), m.held())
	}
	return rule, fmt.Sprintf("%s does not hold %s any more: %s", m.client(), m.lock(), m.clock.Ending(e.Cause))
}
