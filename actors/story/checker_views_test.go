package story_test

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/leasekeeper/lkactor/actors/lease"
	"github.com/leasekeeper/lkactor/actors/story"
)

// isEnd tells whether an ending is that of an event; both may be nil.
func isEnd(end *story.Ending, e *story.Event) bool {
	if end == nil || e == nil {
		return (end == nil) == (e == nil)
	}
	return end.Kind == e.Kind && end.At == e.At && end.Client == e.Client && end.Token == e.Token && end.By == e.Place &&
		end.Abort == e.Abort && end.Operator == e.Operator && end.Since == e.Since
}

// isWrite tells whether a write is that of an event; both may be nil.
func isWrite(w *story.Write, e *story.Event) bool {
	if w == nil || e == nil {
		return (w == nil) == (e == nil)
	}
	return w.Token == e.Token && w.At == e.At && w.By == e.Place && w.Owner == e.Owner
}

// checkFacts compares what a refusal says besides with what the events before it said.
func (c *checker) checkFacts(l *lock, e *story.Event) {
	var has *story.Event // what the client has of the lock
	for _, line := range [][]story.Event{l.holders, l.queue} {
		for i := range line {
			if line[i].Client == e.Client {
				has = &line[i]
			}
		}
	}
	isClaim := func(claim *story.Claim, of *story.Event) bool {
		if claim == nil || of == nil {
			return (claim == nil) == (of == nil)
		}
		return claim.Client == of.Client && claim.Lock == of.Lock && claim.Token == of.Token && claim.Until == of.Until && claim.Since == of.At && claim.Mode == of.Mode
	}
	switch e.Code {
	case lease.NotHolder, lease.StaleLease:
		if !isClaim(e.Claim, has) || !isEnd(e.Cause, l.ended[e.Client]) {
			c.complain("%v says %+v and %+v; want %+v and %+v", e.Code, e.Claim, e.Cause, has, l.ended[e.Client])
		}
		c.checkNothing(e)
	case lease.ClientBusy:
		if e.Claim == nil || e.Claim.Client != e.Client || has != nil && !isClaim(e.Claim, has) {
			c.complain("busy says %+v, want %+v", e.Claim, has)
		}
	case lease.LockInUse:
		if len(l.holders)+len(l.queue) > 0 && (e.Claim == nil || e.Claim.Lock != e.Lock) || !isWrite(e.Newer, l.wrote) {
			c.complain("in use says %+v and %+v, want %+v", e.Claim, e.Newer, l.wrote)
		}
	case lease.IDReused:
		if e.First.Operation == 0 || e.First.Operation >= e.Operation {
			c.complain("the request id is of %+v", e.First)
		}
	}
}

// checkNothing sees to it that who is said to have had nothing of a lock, ever or since the lock
// was forgotten, has had nothing.
func (c *checker) checkNothing(e *story.Event) {
	if e.Claim != nil || e.Cause != nil {
		return
	}
	had, some := c.had[[2]string{e.Lock, e.Client}]
	if by := e.Forgot.Operation; by == 0 && some || by != 0 && (had.Operation > by || c.results[by-1] != `"forgotten"`) {
		c.complain("%q had something of %q at %+v, and is said to have had nothing since %+v", e.Client, e.Lock, had, e.Forgot)
	}
}

func inspected(l *lock) string {
	holders, queue := []any{}, []any{}
	for _, h := range l.holders {
		holders = append(holders, []any{h.Client, h.Mode.String(), h.Token, h.Until})
	}
	for _, q := range l.queue {
		queue = append(queue, []any{q.Client, q.Mode.String()})
	}
	return `{"holders":` + text(holders) + `,"queue":` + text(queue) + `}`
}

func (c *checker) reported(client string) string {
	var held []story.Event
	waiting := "null"
	for name, l := range c.locks {
		for _, h := range l.holders {
			if h.Client == client {
				held = append(held, h)
			}
		}
		for _, q := range l.queue {
			if q.Client == client {
				waiting = text(name)
			}
		}
	}
	slices.SortFunc(held, func(a, b story.Event) int { return cmp.Compare(a.Lock, b.Lock) })
	holds := []any{}
	for _, h := range held {
		holds = append(holds, []any{h.Lock, h.Mode.String(), h.Token, h.Until})
	}
	age := "null"
	if a := c.ages[client]; a != 0 {
		age = fmt.Sprint(a)
	}
	return `{"age":` + age + `,"holds":` + text(holds) + `,"waiting":` + waiting + `}`
}

// checkBook compares what the book says of the lock and client of an event with what
// the events so far make of them.
func (c *checker) checkBook(b *story.Book, e *story.Event) {
	l := c.locks[e.Lock]
	if known := slices.Contains(b.Locks(), e.Lock); known != (l != nil) && (known || len(l.holders)+len(l.queue)+len(l.values) > 0) {
		c.complain("the book knows %q: %v", e.Lock, known)
	}
	if l == nil {
		return
	}
	same := func(claim story.Claim, e story.Event) bool {
		return claim.Client == e.Client && claim.Token == e.Token && claim.Until == e.Until && claim.Since == e.At && claim.Mode == e.Mode
	}
	if got := b.Holders(e.Lock); !slices.EqualFunc(got, l.holders, same) {
		c.complain("holders are %+v in the book, want %+v", got, l.holders)
	}
	if got := b.Queue(e.Lock); !slices.EqualFunc(got, l.queue, same) {
		c.complain("the queue is %+v in the book, want %+v", got, l.queue)
	}
	if w := b.Accepted(e.Lock); (w != nil) != (l.accepted > 0) || w != nil && w.Token != l.accepted {
		c.complain("accepted is %+v in the book, want %d", w, l.accepted)
	}
	held, waits := 0, false
	for _, l := range c.locks {
		held += len(l.holders) - len(slices.DeleteFunc(slices.Clone(l.holders), func(h story.Event) bool { return h.Client == e.Client }))
		waits = waits || slices.ContainsFunc(l.queue, func(q story.Event) bool { return q.Client == e.Client })
	}
	if e.Client != "" && (len(b.Holding(e.Client)) != held || (b.Waiting(e.Client) != nil) != waits) {
		c.complain("%q holds %v and waits for %v in the book; want %d, %v", e.Client, b.Holding(e.Client), b.Waiting(e.Client), held, waits)
	}
}
