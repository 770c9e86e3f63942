package telling

import (
	"fmt"
	"strings"

	"github.com/leasekeeper/lkactor/actors/lease"
	"github.com/leasekeeper/lkactor/actors/story"
	"github.com/leasekeeper/lkactor/cmd/lkactor/internal/escape"
)

// name shows a name in a sentence.
func name(text string) string { return escape.Quoted(text) }

// Many writes a count with its noun, which has its plural by an s.
func Many[N ~int | ~int64 | ~uint64](n N, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// Place writes where in a log an operation stands: #7, or #7.3 for the third run of a
// repeat.
func Place(p story.Place) string {
	if p.Run > 0 {
		return fmt.Sprintf("#%d.%d", p.Operation, p.Run)
	}
	return fmt.Sprintf("#%d", p.Operation)
}

// Lease describes a claim that is a lease: "etl-a (token 1 until 30)".
func (c Clock) Lease(held *story.Claim) string {
	return fmt.Sprintf("%s (%stoken %d until %s)", name(held.Client), shared(held.Mode), held.Token, c.Instant(held.Until))
}

// Claim describes what a client has of a lock, the lock named.
func (c Clock) Claim(claim *story.Claim) string {
	if claim.Holds() {
		return fmt.Sprintf("holds %s under %stoken %d until %s (%s)", name(claim.Lock), shared(claim.Mode), claim.Token, c.Instant(claim.Until), Place(claim.Asked))
	}
	return fmt.Sprintf("has waited for %s since %s (%s)", name(claim.Lock), c.Instant(claim.Since), Place(claim.Asked))
}

// Ending describes how a claim ended: "token 1 of etl-a lapsed at 30".
func (c Clock) Ending(e *story.Ending) string {
	who, at := name(e.Client), c.Instant(e.At)
	what := fmt.Sprintf("token %d of %s", e.Token, who)
	if !e.Holds() {
		what = "the request of " + who
	}
	switch {
	case e.Kind == story.Lapsed:
		return fmt.Sprintf("%s lapsed at %s", what, at)
	case e.Abort:
		return fmt.Sprintf("%s was aborted at %s in a deadlock (%s)", who, at, Place(e.By))
	case e.Operator:
		return fmt.Sprintf("an operator took %s away at %s (%s)", what, at, Place(e.By))
	case e.Kind == story.Withdrawn:
		return fmt.Sprintf("%s withdrew at %s (%s)", who, at, Place(e.By))
	}
	return fmt.Sprintf("%s released token %d at %s (%s)", who, e.Token, at, Place(e.By))
}

// shared marks what is not exclusive, which is the default.
func shared(m lease.Mode) string {
	if m == lease.Shared {
		return "shared "
	}
	return ""
}

// owner says whose token it is, where that is known.
func owner(client string) string {
	if client == "" {
		return ""
	}
	return " of " + name(client)
}

// mostAnswer is how many bytes of an answer are shown.
const mostAnswer = 400

// Answer shows the JSON text of an answer: as it is, with what cannot be seen
// escaped, and cut where it is very long.
func Answer(text string) string {
	if len(text) > mostAnswer {
		return fmt.Sprintf("%s... (%d bytes)", escape.JSON(nil, []byte(strings.ToValidUTF8(text[:mostAnswer], ""))), len(text))
	}
	return string(escape.JSON(nil, []byte(text)))
}

// most is how many of a list are named in a sentence.
const most = 3

// listed joins the first of a list, and says how many more there are of count.
func listed(items []string, count int) string {
	if len(items) > most {
		items = items[:most]
	}
	text := joined(items)
	if more := count - len(items); more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

func joined(items []string) string { return strings.Join(items, ", ") }

// Never says that somebody has had nothing of a lock, as far back as that is known: to the
// operation that last forgot the lock, if there is one.
func Never(who, lock string, forgot story.Place) string {
	if forgot == (story.Place{}) {
		return fmt.Sprintf("%s never held or awaited %s", who, lock)
	}
	return fmt.Sprintf("%s has not held or awaited %s since it was forgotten (%s)", who, lock, Place(forgot))
}
