package review

import (
	"slices"

	"github.com/leasekeeper/lkactor/actors/lease"
)

// shapes are the answers that an operation can have at all, by the rules and from
// whatever state: forms and words, and the codes of errors (O8). A read has any string.
var shapes = map[lease.Kind]struct{ forms, codes []string }{
	lease.Acquire: {[]string{"granted", "queued", "deadlock"}, codes(lease.ClientBusy)},
	lease.Renew:   {[]string{"renewed"}, codes(lease.NotHolder, lease.StaleLease)},
	lease.Release: {[]string{"released", "withdrawn"}, codes(lease.NotHolder, lease.StaleLease)},
	lease.Evict:   {[]string{"released", "withdrawn"}, codes(lease.NotHolder)},
	lease.Inspect: {[]string{formLock}, nil},
	lease.Status:  {[]string{formClient}, nil},
	lease.Write:   {[]string{"ok"}, codes(lease.StaleToken)},
	lease.Repeat:  {[]string{formTally}, codes(lease.InvalidArguments)},
	lease.Tick:    {[]string{formNull}, nil},
	lease.Bump:    {[]string{"bumped"}, nil},
	lease.Forget:  {[]string{"forgotten"}, codes(lease.LockInUse)},
	lease.Close:   {[]string{"closed"}, codes(lease.ClientBusy)},
}

func codes(all ...lease.Code) (texts []string) {
	for _, code := range all {
		texts = append(texts, code.Error())
	}
	return texts
}

// shaped tells whether the recorded answer is one that an operation like this can have.
func (m *matter) shaped() bool {
	got := &m.got
	switch {
	case got.form == formUnknown:
		return false
	case m.op.Kind == lease.Read:
		return got.form == formText || got.form == formError || got.form == formNull
	case got.fails(lease.IDReused):
		return m.op.ID != ""
	case got.noVictims: // they are listed where there are any (D7)
		return false
	case got.fails(lease.StaleLease) && m.op.Expect == 0, got.is("withdrawn") && m.op.Expect != 0: // E3
		return false
	case got.form == formError:
		return slices.Contains(shapes[m.op.Kind].codes, got.code)
	case got.form == formText:
		return slices.Contains(shapes[m.op.Kind].forms, got.text)
	}
	return slices.Contains(shapes[m.op.Kind].forms, got.form)
}

// coherent tells whether the recorded answer may be true by itself: positions count from 1 (Q1),
// a bump leaves at least what it asks for (E4), and who asked is the last of the victims and
// answered with a deadlock, or none of them (D7).
func (m *matter) coherent() bool {
	got := &m.got
	switch got.form {
	case "bumped":
		return got.token >= m.op.Token
	case "deadlock":
		return len(got.victims) > 0 && slices.Index(got.victims, m.op.Client) == len(got.victims)-1
	case "granted", "queued":
		return (got.form == "granted" || got.position > 0) && !slices.Contains(got.victims, m.op.Client)
	}
	return true
}

// impossible tells whether the operation cannot have had the recorded answer, whatever the
// state, so that the answer is a fault of its own. States that the rules do not have count as
// well: an earlier fault may have led to one. So of a view nothing but its form is impossible.
func (m *matter) impossible(t *taint) bool {
	if m.op.Check(m.dialect) != lease.OK || !m.shaped() || !m.coherent() { // O1..O7 ask for no state
		return true
	}
	return m.got.form == "renewed" && t.misnamed(m) || m.lends() && !t.ends(m)
}

// lends tells whether the recorded answer has the end of a lease that begins or is renewed
// with the operation. One that was remembered may be older.
func (m *matter) lends() bool {
	return (m.got.form == "granted" || m.got.form == "renewed") && m.shaped() && m.op.ID == "" && m.op.Check(m.dialect) == lease.OK
}

// ends tells whether the end of a lease may be the recorded one: it comes of nothing but
// the instant and the ttl (T2, L2).
func (t *taint) ends(m *matter) bool {
	from, to := t.handled(m)
	ttl := lease.Instant(m.op.TTL)
	return m.got.until >= plus(from, ttl) && m.got.until <= plus(to, ttl)
}

// handled gives the first and the last instant at which production may have handled the
// operation: that of the rules, or as far from it as its clock may be.
func (t *taint) handled(m *matter) (from, to lease.Instant) {
	switch {
	case t.world != 0:
		return lease.Dawn, lease.Never
	case t.clock != 0:
		return min(m.op.At, plus(m.now(), -t.behind)), plus(m.now(), t.ahead)
	}
	return m.now(), m.now()
}

// clocked takes note of an answer that does not show that production's clock is right. If
// it has the end of a lease, that tells by how much the clock may be wrong. If it has none,
// and is a cause, the clock may be ahead by any time: it may have been moved, and never goes
// back (O11).
func (t *taint) clocked(m *matter, cause bool) {
	if !m.lends() {
		if cause {
			t.ahead = lease.Never
		}
		return
	}
	shown := plus(m.got.until, -lease.Instant(m.op.TTL))
	t.ahead = max(t.ahead, plus(shown, -m.now()))
	t.behind = max(t.behind, plus(m.now(), -max(shown, -lease.Never)))
}

// plus adds instants, which may be anything that was recorded, without going round.
func plus(a, b lease.Instant) lease.Instant {
	switch sum := a + b; {
	case a > 0 && b > 0 && sum < 0:
		return lease.Never
	case a < 0 && b < 0 && sum >= 0:
		return lease.Dawn
	default:
		return sum
	}
}
