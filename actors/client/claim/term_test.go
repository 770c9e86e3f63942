package claim_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/leasekeeper/lkactor/actors/client/claim"
	"github.com/leasekeeper/lkactor/actors/lease"
)

func begin(keep bool) claim.Term {
	return claim.Begin(claim.Terms{TTL: 900, Margin: 90, Keep: keep}, claim.Word{Seq: 1, Sent: 1000, Left: 900}, 0)
}

// look has the term look at now and compares what is due.
func look(t *testing.T, term *claim.Term, now lease.Instant, want claim.Due) {
	t.Helper()
	if got := term.Look(now); got != want {
		t.Fatalf("due at %d: %+v, want %+v", now, got, want)
	}
}

func next(t *testing.T, term *claim.Term, want lease.Instant) {
	t.Helper()
	if got := term.Next(); got != want {
		t.Fatalf("next at %d, want %d", got, want)
	}
}

// Without renewals a lease closes by its margin before the end and is lost at the
// end, both told once.
func TestTermRunsOut(t *testing.T) {
	term := begin(false)
	next(t, &term, 1810)
	look(t, &term, 1809, claim.Due{})
	look(t, &term, 1810, claim.Due{Close: true})
	next(t, &term, 1900)
	look(t, &term, 1899, claim.Due{})
	look(t, &term, 1900, claim.Due{Lose: true})
	look(t, &term, 1901, claim.Due{})
	next(t, &term, lease.Never)
}

// Who looks late is told everything at once.
func TestTermSeenLate(t *testing.T) {
	term := begin(true)
	look(t, &term, 5000, claim.Due{Close: true, Lose: true})
}

// The keeper renews at a third of the ttl, one renew at a time, counted from when
// it was sent.
func TestTermIsKept(t *testing.T) {
	term := begin(true)
	next(t, &term, 1300)
	look(t, &term, 1299, claim.Due{})
	look(t, &term, 1300, claim.Due{Renew: true})
	term.Sent(1301, 900)
	next(t, &term, 1810) // nothing is renewed while a renew is under way
	look(t, &term, 1700, claim.Due{})
	term.Kept()
	term.Renewed(1, claim.Word{Seq: 2, Sent: 1301, Left: 900}, 900, 90, 0)
	if term.Expiry() != 2201 {
		t.Fatalf("expiry %d", term.Expiry())
	}
	next(t, &term, 1601)
	look(t, &term, 1702, claim.Due{Renew: true})
	term.Failed(1703, 0)
	next(t, &term, 1733) // a tenth of a third
	look(t, &term, 1733, claim.Due{Renew: true})
	term.Shift(false)
	term.Failed(1734, 0)
	next(t, &term, 2111)
}

// A renew that nobody answers loses the lease at its expiry, and what is answered
// after that does not bring it back.
func TestTermWithoutAnswers(t *testing.T) {
	term := begin(true)
	look(t, &term, 1300, claim.Due{Renew: true})
	look(t, &term, 1810, claim.Due{Close: true})
	look(t, &term, 1900, claim.Due{Lose: true})
	term.Kept()
	term.Renewed(1, claim.Word{Seq: 2, Sent: 1300, Left: 900}, 900, 90, 0)
	if term.Phase() != claim.Over || term.Expiry() != 1900 {
		t.Fatal("a lost lease came back")
	}
	look(t, &term, 1901, claim.Due{})
	if term.Finish() {
		t.Fatal("it ended twice")
	}
}

// A lease that was about to end goes on when it is renewed, but not for those who
// were told to stop; and the keeper lets it go.
func TestTermRenewedLate(t *testing.T) {
	term := begin(true)
	look(t, &term, 1300, claim.Due{Renew: true})
	look(t, &term, 1850, claim.Due{Close: true})
	term.Kept()
	term.Renewed(1, claim.Word{Seq: 2, Sent: 1300, Left: 900}, 900, 90, 0)
	if term.Phase() != claim.Closing || term.Expiry() != 2200 {
		t.Fatalf("phase %d, expiry %d", term.Phase(), term.Expiry())
	}
	next(t, &term, 2200)
	look(t, &term, 2199, claim.Due{})
	look(t, &term, 2200, claim.Due{Lose: true})
}

// A renew may shorten the lease (L2): from when it is sent, since nobody knows
// when it is handled. A longer one counts when it is answered.
func TestTermShortened(t *testing.T) {
	term := begin(false)
	expect := func(want lease.Instant) {
		t.Helper()
		if term.Expiry() != want {
			t.Fatalf("expiry %d, want %d", term.Expiry(), want)
		}
	}
	long := term.Sent(1090, 900)
	expect(1900)
	short := term.Sent(1100, 50)
	expect(1150)
	term.Renewed(long, claim.Word{Seq: 4, Sent: 1090, Left: 900}, 900, 90, 0)
	expect(1150) // the short one comes after it
	term.Renewed(short, claim.Word{Seq: 5, Sent: 1100, Left: 52}, 50, 5, 0)
	expect(1152)
	term.Renewed(long, claim.Word{Seq: 4, Sent: 1090, Left: 900}, 900, 90, 0) // once more, too late
	expect(1152)
	if term.TTL != 50 {
		t.Fatalf("ttl %d", term.TTL)
	}
	refused := term.Sent(1110, 10)
	expect(1120)
	term.Untaken(refused)
	expect(1152)
	silent, before := term.Sent(1115, 10), term.Sent(1116, 900)
	expect(1125)
	term.Renewed(before, claim.Word{Seq: 9, Sent: 1116, Left: 900}, 900, 90, 0)
	expect(1125) // the other one may come after it
	before = term.Sent(1117, 900)
	term.Unanswered(silent)
	term.Renewed(before, claim.Word{Seq: 10, Sent: 1117, Left: 900}, 900, 90, 0)
	expect(1125)
	later := term.Sent(1118, 900)
	term.Renewed(later, claim.Word{Seq: 11, Sent: 1118, Left: 900}, 900, 90, 0)
	expect(2018)
}

// Whatever happens, the holder's expiry is never later than the service's, nothing
// is renewed when it is over, and a loss is told once. The holder's clock is behind
// the service's by a constant.
func TestTermNeverOutlivesTheService(t *testing.T) {
	for seed := range uint64(3000) {
		r := rand.New(rand.NewPCG(seed, 1))
		holderCourse(t, seed, r)
		if t.Failed() {
			return
		}
	}
}

// renewal is a renew under way.
type renewal struct {
	n      int
	sent   lease.Instant
	ttl    lease.Duration
	keeper bool
}

func holderCourse(t *testing.T, seed uint64, r *rand.Rand) {
	ahead := lease.Instant(r.Int64N(1_000_000)) // of the service's clock
	now := lease.Instant(r.Int64N(1000))
	sent := now
	now += lease.Instant(r.Int64N(50))
	ttl := 300 + lease.Duration(r.Int64N(600))
	until := now + ahead + lease.Instant(ttl) // by the service
	term := claim.Begin(claim.Terms{TTL: ttl, Margin: ttl / 10, Keep: r.IntN(3) > 0},
		claim.Word{Seq: 1, Sent: sent, Left: lease.Duration(until - now - ahead)}, r.Float64())
	seq, lost := uint64(1), 0
	var under []renewal // sent, not handled
	for range 60 {
		now += lease.Instant(r.Int64N(80))
		if r.IntN(3) == 0 {
			now = max(now, min(term.Next(), now+1000))
		}
		due := term.Look(now)
		if due.Lose {
			lost++
		}
		if due.Renew {
			under = append(under, renewal{term.Sent(now, term.TTL), now, term.TTL, true})
		} else if term.Phase() != claim.Over && r.IntN(12) == 0 {
			ttl := 100 + lease.Duration(r.Int64N(900))
			under = append(under, renewal{term.Sent(now, ttl), now, ttl, false})
		}
		if len(under) > 0 && r.IntN(2) == 0 { // the service handles one, and answers
			i := r.IntN(len(under)) // one that was lost and sent again comes after others
			one := under[i]
			under = slices.Delete(under, i, i+1)
			seq++
			if until > now+ahead && r.IntN(5) > 0 {
				until = now + ahead + lease.Instant(one.ttl)
				handled := now
				now += lease.Instant(r.Int64N(60))
				if r.IntN(5) == 0 { // the answer never comes, and that may be found out
					if r.IntN(2) == 0 {
						term.Unanswered(one.n)
					}
					continue
				}
				if one.keeper {
					term.Kept()
				}
				term.Renewed(one.n, claim.Word{Seq: seq, Sent: one.sent, Left: lease.Duration(until - handled - ahead)},
					one.ttl, one.ttl/10, r.Float64())
			} else {
				term.Untaken(one.n)
				if one.keeper {
					term.Failed(now, r.Float64())
				}
			}
		}
		if term.Phase() != claim.Over && term.Expiry()+ahead > until {
			t.Errorf("seed %d: the holder relies on its lease until %d, the service until %d", seed, term.Expiry()+ahead, until)
			return
		}
	}
	if lost > 1 || lost == 1 && term.Phase() != claim.Over {
		t.Errorf("seed %d: lost %d times", seed, lost)
	}
}

func TestBackoff(t *testing.T) {
	b := claim.Backoff{First: 10, Most: 100}
	for n, want := range []struct{ least, most lease.Duration }{1: {5, 10}, {10, 20}, {20, 40}, {40, 80}, {50, 100}, {50, 100}} {
		if n == 0 {
			continue
		}
		if least, most := b.Delay(n, 0), b.Delay(n, 1); least != want.least || most != want.most {
			t.Errorf("before repetition %d: %d to %d, want %v", n, least, most, want)
		}
	}
	huge := claim.Backoff{First: 1 << 61, Most: 1<<63 - 1}
	if d := huge.Delay(1000, 1); d <= 0 || d > huge.Most {
		t.Errorf("%d after many repetitions", d)
	}
}
