package review

import (
	"slices"

	"github.com/leasekeeper/lkactor/actors/lease"
)

// What an earlier answer had wrong may be seen again, by itself or in others: the
// same lease shown by an inspect, renewed once more or given back, the next token just
// as far off, the value of a write that should not have been accepted. Such an answer
// is known to follow.

// explained gives the operation of the finding that this answer follows from; zero if
// that is not known.
func (t *taint) explained(m *matter) int64 {
	want, got := &m.want, &m.got
	if !slices.Equal(want.victims, got.victims) {
		return 0
	}
	w, known := t.leases[tenure{m.op.Lock, m.op.Client}]
	lives := known && w.until > m.now()
	switch got.form {
	case "granted":
		off := t.offsets[m.op.Lock]
		if want.form == got.form && want.until == got.until && off.by != 0 && got.token-want.token == off.by {
			return off.number
		}
	case "renewed":
		if lives && got.token == w.token && (want.form != got.form || want.until == got.until) {
			return w.number
		}
	case formLock:
		return t.shown(want.holders, got.holders, m.now(), func(client string) tenure { return tenure{m.op.Lock, client} })
	case formClient:
		if want.form == got.form && want.age == got.age && want.waiting == got.waiting {
			return t.shown(want.holds, got.holds, m.now(), func(lock string) tenure { return tenure{lock, m.op.Client} })
		}
	case formText:
		if m.op.Kind == lease.Read {
			if v := t.values[cell{m.op.Lock, m.op.Key}]; v.value == got.text {
				return v.number
			}
		} else if got.text == "released" && lives && want.fails(lease.NotHolder) {
			return w.number
		}
	}
	return 0
}

// shown tells whether all leases in a view that the rules do not have are such as
// were recorded before and have not ended yet, and gives the first finding that had one.
func (t *taint) shown(want, got []lent, now lease.Instant, of func(name string) tenure) (number int64) {
	right := byName(want)
	for _, g := range got {
		e := right[g.name]
		if e != nil && *e == g {
			continue
		}
		w, known := t.leases[of(g.name)]
		same := known && g.token == w.token && g.until == w.until && w.until > now
		// Its token may be the wrong one, and its end right by now.
		partly := known && e != nil && e.mode == g.mode && (g.token == e.token || g.token == w.token) && (g.until == e.until || g.until == w.until)
		if !same && !partly {
			return 0
		}
		if number == 0 || w.number < number {
			number = w.number
		}
	}
	return number
}

// remember keeps what this answer had wrong.
func (t *taint) remember(m *matter, number int64) {
	keep := func(of tenure, w wrong) {
		if old, known := t.leases[of]; known && old.token == w.token && old.until == w.until {
			return // the first that showed it stays
		}
		t.leases[of] = w
	}
	switch got := &m.got; got.form {
	case formText:
		if m.op.Kind == lease.Write && got.text == "ok" {
			t.values[cell{m.op.Lock, m.op.Key}] = stored{m.op.Value, number}
		}
	case "granted", "renewed":
		keep(tenure{m.op.Lock, m.op.Client}, wrong{got.token, got.until, number})
		if m.want.form == "granted" && got.form == "granted" {
			if by := got.token - m.want.token; by != t.offsets[m.op.Lock].by {
				t.offsets[m.op.Lock] = offset{by, number}
			}
		}
	case formLock:
		right := byName(m.want.holders)
		for _, h := range got.holders {
			if e := right[h.name]; e == nil || *e != h {
				keep(tenure{m.op.Lock, h.name}, wrong{h.token, h.until, number})
			}
		}
	case formClient:
		right := byName(m.want.holds)
		for _, h := range got.holds {
			if e := right[h.name]; e == nil || *e != h {
				keep(tenure{h.name, m.op.Client}, wrong{h.token, h.until, number})
			}
		}
	}
	if m.op.Kind == lease.Release || m.op.Kind == lease.Evict {
		delete(t.leases, tenure{m.op.Lock, m.op.Client})
	}
}
