package review

import (
	"cmp"
	"slices"

	"github.com/leasekeeper/lkactor/actors/lease"
	"github.com/leasekeeper/lkactor/actors/story"
)

// What an earlier answer had wrong may be seen again, by itself or in others: the
// same lease shown by an inspect, renewed once more or given back, the next token just
// as far off, the value of a write that should not have been accepted. Such an answer
// is known to follow. Of a view every point has to be explained so; see view.go.

// belief is what production, by its own answers, says that a client has of a lock, where
// the rules have it otherwise.
type belief struct {
	stake
	number int64 // the finding that first said so
	seen   int64 // the operation that said so last
}

// has tells what a client has of a lock.
type has uint8

const (
	hasNothing has = iota
	hasLease
	hasRequest // a place in the queue
)

// stake is what a client has of a lock, as an answer shows it.
type stake struct {
	has   has
	mode  string // empty where the answer does not show it
	token lease.Token
	until lease.Instant
}

// ended tells whether it is a lease that is over by itself.
func (s *stake) ended(now lease.Instant) bool { return s.has == hasLease && s.until <= now }

// now gives what is left of it at an instant.
func (s *stake) now(at lease.Instant) has {
	if s.ended(at) {
		return hasNothing
	}
	return s.has
}

// moded tells whether a mode that is shown is no other than that of the belief.
func (s *stake) moded(mode string) bool { return s.mode == "" || mode == "" || s.mode == mode }

// believed gives the belief about a client and a lock; nil if there is none. The last
// view of either shows all of it, so what was said before that and is not in it has gone.
func (t *taint) believed(of tenure) *belief {
	b := t.beliefs[of]
	if b == nil || b.seen < t.viewed[party{false, of.lock}] || b.seen < t.viewed[party{true, of.client}] {
		return nil
	}
	return b
}

// believe keeps what an answer says. The first finding that said so stays.
func (t *taint) believe(of tenure, s stake, finding, operation int64) {
	if old := t.beliefs[of]; old != nil && old.has == s.has && old.token == s.token && old.until == s.until && old.moded(s.mode) {
		finding = old.number
		if s.mode == "" {
			s.mode = old.mode
		}
	}
	t.beliefs[of] = &belief{stake: s, number: finding, seen: operation}
}

// explained gives the operation of the finding that this answer follows from; zero if
// that is not known.
func (t *taint) explained(m *matter) int64 {
	want, got := &m.want, &m.got
	switch {
	case m.isView():
		return m.known()
	case m.event(story.Again) != nil:
		return t.given(m)
	case !slices.Equal(want.victims, got.victims) || want.fails(lease.IDReused) || t.misnamed(m):
		return 0
	case got.form == "granted" || got.form == "renewed":
		if m.endsOtherwise() {
			return 0
		}
		return t.lent(m)
	case m.op.Kind == lease.Read && got.form == formText:
		if v := t.values[cell{m.op.Lock, m.op.Key}]; v.value == got.text {
			return v.number
		}
	case got.is("released") && (want.fails(lease.NotHolder) || want.fails(lease.StaleLease)), got.fails(lease.ClientBusy):
		if b := t.living(m); b != nil {
			return b.number
		}
	}
	return 0
}

// given gives the finding whose wrong answer is given again, as that of the same request (E3).
func (t *taint) given(m *matter) int64 {
	if first := t.answers[m.event(story.Again).First]; first.answer.same(&m.got) {
		return first.number
	}
	return 0
}

// misnamed tells whether the recorded answer is that of a lease under another token than the
// one that the operation names, so that it was to be refused whoever has the lock (E3).
func (t *taint) misnamed(m *matter) bool {
	if m.op.Expect == 0 {
		return false
	}
	b := t.living(m)
	return m.got.form == "renewed" && m.got.token != m.op.Expect || m.got.is("released") && b != nil && b.token != m.op.Expect
}

// lent gives the finding that explains the lease of a grant or renewal, whatever its end.
func (t *taint) lent(m *matter) int64 {
	want, got := &m.want, &m.got
	if off := t.offsets[m.op.Lock]; got.form == "granted" {
		if want.form == got.form && off.by != 0 && got.token-want.token == off.by {
			return off.number
		}
	} else if b := t.living(m); b != nil && got.token == b.token {
		return b.number
	}
	return 0
}

// living gives the belief that the client of an operation holds its lock; nil if there is
// none.
func (t *taint) living(m *matter) *belief {
	b := t.believed(tenure{m.op.Lock, m.op.Client})
	if b == nil || b.has != hasLease || b.ended(m.now()) {
		return nil
	}
	return b
}

// remember keeps what this answer had wrong. finding is the one that it is put down to.
func (t *taint) remember(m *matter, finding int64) {
	got := &m.got
	if m.event(story.Again) != nil && t.given(m) != 0 {
		return // it says nothing of how things stand now
	}
	if m.op.ID != "" {
		t.answers[story.Place{Operation: m.number}] = reply{m.got, finding}
	}
	if m.isView() {
		latest := map[tenure]int64{} // of the points about one lease
		for _, p := range m.points {
			latest[p.of] = max(latest[p.of], cmp.Or(p.after, m.number))
		}
		t.view(m)
		if m.op.Kind == lease.Inspect {
			t.queues[m.op.Lock] = line{clientsOf(got.queue), cmp.Or(finding, m.number)}
		}
		for _, p := range m.points {
			if p.of != (tenure{}) {
				t.believe(p.of, p.got, latest[p.of], m.number)
			}
		}
		return
	}
	if !m.shaped() {
		return // whatever it means
	}
	for _, victim := range got.victims {
		t.bereft(party{true, victim}, m.number)
	}
	of := tenure{m.op.Lock, m.op.Client}
	if got.form == "queued" {
		t.came[of] = m.number
	}
	if m.op.Kind == lease.Acquire && (m.granted() != nil) != (got.form == "granted") {
		delete(t.offsets, m.op.Lock) // one counter has gone up and the other has not
	}
	switch {
	case got.is("closed"):
		t.bereft(party{true, m.op.Client}, m.number)
	case got.is("forgotten"):
		t.bereft(party{false, m.op.Lock}, m.number)
		delete(t.offsets, m.op.Lock)
	case got.form == "bumped" && m.want.form == "bumped":
		t.offsets[m.op.Lock] = offset{got.token - m.want.token, finding}
	case m.op.Kind == lease.Write && got.is("ok"):
		t.values[cell{m.op.Lock, m.op.Key}] = stored{m.op.Value, finding}
	case got.form == "granted":
		t.believe(of, stake{hasLease, m.op.Mode.String(), got.token, got.until}, finding, m.number)
		if by := got.token - m.want.token; m.want.form == "granted" && by != t.offsets[m.op.Lock].by {
			t.offsets[m.op.Lock] = offset{by, finding}
		}
	case got.form == "renewed":
		t.believe(of, stake{hasLease, t.mode(m), got.token, got.until}, finding, m.number)
	case got.form == "queued" && m.want.form != "queued":
		t.believe(of, stake{has: hasRequest, mode: m.op.Mode.String()}, finding, m.number)
	case m.op.Kind == lease.Renew && got.fails(lease.NotHolder):
		s := stake{}
		if m.waited[of] { // and may be waiting still (L3)
			s.has = hasRequest
		}
		t.believe(of, s, finding, m.number)
	case m.op.Kind == lease.Acquire && got.fails(lease.ClientBusy) && t.busy(of, m.now()):
		// which it would not be without what is believed
	case m.op.Kind == lease.Acquire || m.op.Kind == lease.Release || m.op.Kind == lease.Evict:
		delete(t.beliefs, of)
	}
}

// busy tells whether a client cannot ask for a lock, going by what it is believed to have of
// it (C1).
func (t *taint) busy(of tenure, now lease.Instant) bool {
	b := t.believed(of)
	return b != nil && b.now(now) != hasNothing
}

// mode gives the mode of a lease that was recorded as renewed, which a renewal does not
// change (L2); empty if it is not known.
func (t *taint) mode(m *matter) string {
	of := tenure{m.op.Lock, m.op.Client}
	book := m.story.Book()
	if b := t.believed(of); b != nil && b.has == hasLease && b.token == m.got.token {
		return b.mode
	}
	if c := book.Claim(of.lock, of.client); c != nil {
		return c.Mode.String()
	}
	if end := book.Last(of.lock, of.client); end != nil {
		return end.Claim.Mode.String()
	}
	return ""
}

// bereft takes note that by the recorded answer a client has nothing any more, since it was
// aborted (D5) or closed, or nobody anything of a lock, since it was forgotten (E4): what was
// believed before explains nothing that comes later.
func (t *taint) bereft(whom party, number int64) {
	if t.first != 0 { // otherwise nothing is believed
		t.viewed[whom] = number
	}
}

// view takes note of a view: from now on nothing is known of its lock or client but what
// it says.
func (t *taint) view(m *matter) {
	switch {
	case t.first == 0: // nothing has differed, so nothing is believed
	case m.op.Kind == lease.Inspect:
		delete(t.queues, m.op.Lock)
		t.viewed[party{false, m.op.Lock}] = m.number
		if delete(t.torn, m.op.Lock); m.isView() && apart(m.got.holders, m.got.queue) != "" {
			t.torn[m.op.Lock] = true
		}
	case m.op.Kind == lease.Status:
		t.viewed[party{true, m.op.Client}] = m.number
	}
}

func clientsOf(queue []waiter) (names []string) {
	for _, w := range queue {
		names = append(names, w.client)
	}
	return names
}
