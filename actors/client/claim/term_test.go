package claim_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/leasekeeper/lkactor/actors/client/claim"
	"github.com/leasekeeper/lkactor/actors/lease"
)

func begin(keep bool) claim.Term {
	return claim.Begin(claim.Terms{TTL: 900, Margin: 90, Keep: keep}, claim.Word{At: 1, Sent: 1000, Left: 900}, 0)
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
	term.Renewed(1, claim.Word{At: 2, Sent: 1301, Left: 900}, 900, 90, 0)
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

// A lease out of a queue is renewed at a third of its ttl from its grant, however long
// ago it was asked for.
func TestTermOutOfAQueue(t *testing.T) {
	term := claim.Begin(claim.Terms{TTL: 900, Margin: 90, Keep: true}, claim.Word{At: 1, Sent: 1000, Left: 50_900}, 0)
	next(t, &term, 51_300)
	look(t, &term, 51_299, claim.Due{})
	look(t, &term, 51_300, claim.Due{Renew: true})
}

// A renew that changes nothing, since it was handled at the instant of the grant, is
// not sent again at once.
func TestTermRenewedInVain(t *testing.T) {
	term := begin(true)
	look(t, &term, 1300, claim.Due{Renew: true})
	n := term.Sent(1300, 900)
	term.Kept()
	term.Renewed(n, claim.Word{At: 1, Sent: 1300, Left: 900}, 900, 90, 0)
	next(t, &term, 1600)
}

// Of two words of the same instant the later one counts, where that is known.
func TestTermAtOneInstant(t *testing.T) {
	grant := claim.Word{At: 1, Seq: 5, Sent: 1000, Left: 900}
	for _, c := range []struct {
		seq  uint64
		left lease.Duration
		want lease.Instant
	}{{6, 5000, 6000}, {6, 100, 1100}, {4, 5000, 1900}, {4, 100, 1900}, {0, 5000, 1900}, {0, 100, 1100}} {
		term := claim.Begin(claim.Terms{TTL: 900, Margin: 90}, grant, 0)
		n := term.Sent(1000, c.left)
		term.Renewed(n, claim.Word{At: 1, Seq: c.seq, Sent: 1000, Left: c.left}, c.left, 10, 0)
		if term.Expiry() != c.want {
			t.Errorf("seq %d, %d left: until %d, want %d", c.seq, c.left, term.Expiry(), c.want)
		}
	}
}

// A renew that nobody answers loses the lease at its expiry, and what is answered
// after that does not bring it back.
func TestTermWithoutAnswers(t *testing.T) {
	term := begin(true)
	look(t, &term, 1300, claim.Due{Renew: true})
	look(t, &term, 1810, claim.Due{Close: true})
	look(t, &term, 1900, claim.Due{Lose: true})
	term.Kept()
	term.Renewed(1, claim.Word{At: 2, Sent: 1300, Left: 900}, 900, 90, 0)
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
	term.Renewed(1, claim.Word{At: 2, Sent: 1300, Left: 900}, 900, 90, 0)
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
	term.Renewed(long, claim.Word{At: 4, Sent: 1090, Left: 900}, 900, 90, 0)
	expect(1150) // the short one comes after it
	term.Renewed(short, claim.Word{At: 5, Sent: 1100, Left: 52}, 50, 5, 0)
	expect(1152)
	term.Renewed(long, claim.Word{At: 4, Sent: 1090, Left: 900}, 900, 90, 0) // once more, too late
	expect(1152)
	term.Renewed(long, claim.Word{At: 5, Sent: 1090, Left: 900}, 900, 90, 0) // at the same instant as the short one
	expect(1152)
	if term.TTL != 50 {
		t.Fatalf("ttl %d", term.TTL)
	}
	term.Renewed(long, claim.Word{At: 5, Seq: 3, Sent: 1090, Left: 900}, 900, 90, 0) // which cannot be told from it
	expect(1152)
	refused := term.Sent(1110, 10)
	expect(1120)
	term.Untaken(refused)
	expect(1152)
	silent, before := term.Sent(1115, 10), term.Sent(1116, 900)
	expect(1125)
	term.Renewed(before, claim.Word{At: 9, Sent: 1116, Left: 900}, 900, 90, 0)
	expect(1125) // the other one may come after it
	before = term.Sent(1117, 900)
	term.Unanswered(silent)
	term.Renewed(before, claim.Word{At: 10, Sent: 1117, Left: 900}, 900, 90, 0)
	expect(1125)
	later := term.Sent(1118, 900)
	term.Renewed(later, claim.Word{At: 11, Sent: 1118, Left: 900}, 900, 90, 0)
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
	at     lease.Instant // when it was handled, by the service
}

// take takes one of them out.
func take(r *rand.Rand, from *[]renewal) renewal {
	i := r.IntN(len(*from))
	one := (*from)[i]
	*from = slices.Delete(*from, i, i+1)
	return one
}

func holderCourse(t *testing.T, seed uint64, r *rand.Rand) {
	ahead := lease.Instant(r.Int64N(1_000_000)) // of the service's clock
	now := lease.Instant(r.Int64N(1000))
	sent := now
	now += lease.Instant(r.Int64N(50))
	ttl := 300 + lease.Duration(r.Int64N(600))
	until := now + ahead + lease.Instant(ttl) // by the service
	term := claim.Begin(claim.Terms{TTL: ttl, Margin: ttl / 10, Keep: r.IntN(3) > 0},
		claim.Word{At: now + ahead, Sent: sent, Left: lease.Duration(until - now - ahead)}, r.Float64())
	lost := 0
	var under, handled []renewal // sent and not handled, handled and not answered
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
			under = append(under, renewal{n: term.Sent(now, term.TTL), sent: now, ttl: term.TTL, keeper: true})
		} else if term.Phase() != claim.Over && r.IntN(12) == 0 {
			ttl := 100 + lease.Duration(r.Int64N(900))
			under = append(under, renewal{n: term.Sent(now, ttl), sent: now, ttl: ttl})
		}
		if len(under) > 0 && r.IntN(2) == 0 { // the service handles one; one that was lost comes after others
			one := take(r, &under)
			if until > now+ahead && r.IntN(5) > 0 {
				one.at = now + ahead
				until = one.at + lease.Instant(one.ttl)
				handled = append(handled, one)
			} else {
				term.Untaken(one.n)
				if one.keeper {
					term.Failed(now, r.Float64())
				}
			}
		}
		if len(handled) > 0 && r.IntN(2) == 0 { // it answers one; one that was lost is asked for again
			one, asked := take(r, &handled), now
			if r.IntN(2) == 0 {
				one.sent = now
			}
			now += lease.Instant(r.Int64N(60))
			switch r.IntN(10) {
			case 0: // the answer never comes, and that is found out
				term.Unanswered(one.n)
				continue
			case 1: // or not
				continue
			}
			if one.keeper {
				term.Kept()
			}
			if one.sent < asked {
				asked = one.at - ahead // it is the first answer
			}
			left := one.at + lease.Instant(one.ttl) - (asked + ahead)
			term.Renewed(one.n, claim.Word{At: one.at, Sent: one.sent, Left: lease.Duration(left)}, one.ttl, one.ttl/10, r.Float64())
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
