package review

import (
	"fmt"

	"github.com/leasekeeper/lkactor/actors/lease"
	"github.com/leasekeeper/lkactor/actors/story"
	"github.com/leasekeeper/lkactor/cmd/lkactor/internal/escape"
	"github.com/leasekeeper/lkactor/cmd/lkactor/internal/telling"
)

func (m *matter) write() (rule, why string) {
	if e := m.event(story.Refused); e != nil && !m.got.is("ok") {
		return "F2", fmt.Sprintf("a write is accepted or refused as stale, and nothing else, since the store knows nothing of leases; %s", m.clock.Newer(e.Newer))
	} else if e != nil {
		return "F1", fmt.Sprintf("token %d%s is lower than one that was accepted before: %s", e.Token, of(e.Owner), m.clock.Newer(e.Newer))
	}
	e := m.event(story.Wrote)
	if !m.got.fails(lease.StaleToken) {
		return "F2", "a write is accepted or refused as stale, and nothing else, since the store knows nothing of leases"
	}
	before := m.before
	switch {
	case before == nil:
		return "F1", fmt.Sprintf("nothing was ever written to %s before, so any token is high enough", m.lock())
	case before.Token == e.Token:
		return "F1", fmt.Sprintf("token %d%s has been the highest accepted since %s, and many writes may be made under one token", e.Token, of(e.Owner), telling.Place(before.Place))
	}
	return "F1", fmt.Sprintf("token %d%s is higher than the highest accepted, %d (%s)", e.Token, of(e.Owner), before.Token, telling.Place(before.Place))
}

func of(owner string) string {
	if owner == "" {
		return ""
	}
	return " of " + escape.Quoted(owner)
}

func (m *matter) read() (rule, why string) {
	at := cell{m.op.Lock, m.op.Key}
	key := escape.Quoted(m.op.Key)
	if e := m.refused[at]; e != nil && m.got.form != formNull && m.got.text == e.Value {
		return "F1", fmt.Sprintf("the recorded value is that of the write %s, which had to be refused as stale under token %d: %s",
			telling.Place(e.Place), e.Token, m.clock.Newer(e.Newer))
	}
	if e := m.writes[at]; e != nil {
		return "F2", fmt.Sprintf("the last write of %s that was accepted is %s, at %s under token %d%s",
			key, telling.Place(e.Place), m.clock.Instant(e.At), e.Token, of(e.Owner))
	}
	return "F2", fmt.Sprintf("no write of %s to %s was ever accepted", key, m.lock())
}
