package claim

import (
	"slices"

	"github.com/leasekeeper/lkactor/actors/lease"
)

// Phase is how far a holder may rely on its lease.
type Phase uint8

// The phases, in their order.
const (
	// Valid: the holder works.
	Valid Phase = iota
	// Closing: the lease is about to end, and the holder should be done. It never
	// becomes Valid again, even if it is renewed: what was told to stop has
	// stopped.
	Closing
	// Over: the holder has no lease any more, or must assume so.
	Over
)

// Terms are what a lease is taken under.
type Terms struct {
	TTL    lease.Duration
	Margin lease.Duration // Closing begins so long before the end
	Keep   bool           // renew until it is over
}

// Due is what a holder has to do now.
type Due struct {
	Close bool // tell those who work under the lease to stop
	Lose  bool // tell that the lease is lost: its time is up
	Renew bool // send a renew, the keeper's, and tell what comes of it
}

// Term is for how long a lease may be relied on, by its holder's own clock and
// by what the service has answered. The holder's idea of the end is never later
// than the service's: it counts from before the request was sent.
//
// Make one with [Begin]; after each change look at it again, at the latest at
// Next.
type Term struct {
	Terms
	phase Phase
	until lease.Instant // by the last word of the service
	at    lease.Instant // which it gave at that instant, by its own clock
	seq   uint64        // see Word

	sent   int     // how many renews
	bounds []bound // of those under way

	renewing bool          // a renew of the keeper's is on its way
	renewAt  lease.Instant // when to send the next
}

// bound is what a renew under way may make of the lease: it need not lengthen it,
// and what lengthens it may come first.
type bound struct {
	n     int
	until lease.Instant
	// after, once nobody will tell what has become of the renew, is how many had been
	// sent by then; zero before.
	after int
}

// Word is what the service has said of how long a lease lasts.
type Word struct {
	At   lease.Instant  // when it was granted or renewed, by the service's clock
	Seq  uint64         // of the operation that did it; zero if that is not known
	Sent lease.Instant  // when its holder asked, by the holder's clock
	Left lease.Duration // how long it lasts from an instant not before that
}

// Begin gives the term of a lease that has been granted. chance, from 0 to 1,
// spreads the renewals.
func Begin(t Terms, w Word, chance float64) Term {
	term := Term{Terms: t}
	term.hold(w, chance)
	return term
}

func (t *Term) hold(w Word, chance float64) {
	t.at, t.seq = w.At, w.Seq
	t.until = w.Sent + lease.Instant(w.Left)
	// Not counted from Sent: a lease out of a queue was asked for long before.
	span := min(t.TTL, w.Left)
	t.renewAt = t.until - lease.Instant(span-renewDelay(span, chance))
}

// renewDelay is after how long a lease is renewed that lasts for so long: a third of
// that, and up to a fifth earlier, so that leases taken together are not renewed
// together for ever.
func renewDelay(span lease.Duration, chance float64) lease.Duration {
	third := span / 3
	return third - lease.Duration(chance*float64(third/5))
}

// Phase is that at the last Look.
func (t *Term) Phase() Phase { return t.phase }

// Expiry is when the lease ends as far as its holder knows; by the service it may
// end later, never earlier.
func (t *Term) Expiry() lease.Instant {
	expiry := t.until
	for _, b := range t.bounds {
		expiry = min(expiry, b.until)
	}
	return expiry
}

// Next is when something is due without any news; [lease.Never] if nothing is.
func (t *Term) Next() lease.Instant {
	if t.phase == Over {
		return lease.Never
	}
	next := t.Expiry()
	if t.phase == Valid {
		next -= lease.Instant(t.Margin)
	}
	if t.keeps() {
		next = min(next, t.renewAt)
	}
	return next
}

// keeps tells whether a renew is to be sent at renewAt. A lease that is about to
// end is let go: nobody works under it any more.
func (t *Term) keeps() bool { return t.Keep && !t.renewing && t.phase == Valid }

// Look moves the holder's clock to now and tells what is due.
func (t *Term) Look(now lease.Instant) Due {
	due := t.Pass(now)
	due.Renew = t.keeps() && now >= t.renewAt
	t.renewing = t.renewing || due.Renew
	return due
}

// Pass is Look for who does not send renews.
func (t *Term) Pass(now lease.Instant) (due Due) {
	expiry := t.Expiry()
	if t.phase == Valid && now >= expiry-lease.Instant(t.Margin) {
		t.phase = Closing
		due.Close = true
	}
	if t.phase == Closing && now >= expiry {
		t.phase = Over
		due.Lose = true
	}
	return due
}

// Sent takes note that a renew for ttl is sent at now, and gives its number. From
// then on, until its answer, the lease may be as short as that makes it (L2).
func (t *Term) Sent(now lease.Instant, ttl lease.Duration) (n int) {
	t.sent++
	t.bounds = append(t.bounds, bound{n: t.sent, until: now + lease.Instant(ttl)})
	return t.sent
}

// Untaken takes the news that the n-th renew was not taken by the service, or was
// refused.
func (t *Term) Untaken(n int) {
	t.bounds = slices.DeleteFunc(t.bounds, func(b bound) bool { return b.n == n })
}

// Unanswered takes the news that nobody will tell what has become of the n-th renew.
// It was handled by now or never will be, so a later one makes up for it.
func (t *Term) Unanswered(n int) {
	for i := range t.bounds {
		if t.bounds[i].n == n {
			t.bounds[i].after = t.sent
		}
	}
}

// Renewed takes the answer to the n-th renew. Answers come in any order. ttl and margin
// are those of the lease from now on.
func (t *Term) Renewed(n int, w Word, ttl, margin lease.Duration, chance float64) {
	t.bounds = slices.DeleteFunc(t.bounds, func(b bound) bool { return b.n == n || b.after > 0 && b.after < n })
	if t.phase == Over || !t.outdatedBy(w) {
		// It has changed nothing, and is not to be sent again at once.
		t.renewAt = max(t.renewAt, w.Sent+lease.Instant(renewDelay(t.TTL, chance)))
		return
	}
	t.TTL, t.Margin = ttl, margin
	t.hold(w, chance)
}

// outdatedBy tells whether the service has said w later than what the term knows. What
// was lost and is answered from memory has no number that would tell, but an instant; of
// two at the same instant the shorter one counts then.
func (t *Term) outdatedBy(w Word) bool {
	switch {
	case w.At != t.at:
		return w.At > t.at
	case w.Seq > 0 && t.seq > 0:
		return w.Seq > t.seq
	default:
		return w.Sent+lease.Instant(w.Left) < t.until
	}
}

// Kept takes the news that the keeper's renew has been answered; what it says comes
// by Renewed.
func (t *Term) Kept() { t.renewing = false }

// Failed takes the news at now that the keeper's renew came to nothing, although
// the lease may be alive. The next is sent after a tenth of the usual time.
func (t *Term) Failed(now lease.Instant, chance float64) {
	t.renewing = false
	t.renewAt = now + max(1, lease.Instant(renewDelay(t.TTL, chance)/10))
}

// Shift changes whether the lease is kept, from now on.
func (t *Term) Shift(keep bool) { t.Keep = keep }

// Finish ends the term now: by a release, or by news that the lease has ended. It
// tells whether it was not over before.
func (t *Term) Finish() bool {
	if t.phase == Over {
		return false
	}
	t.phase = Over
	return true
}
