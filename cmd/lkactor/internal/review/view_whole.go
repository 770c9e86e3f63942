package review

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/leasekeeper/lkactor/actors/lease"
	"github.com/leasekeeper/lkactor/cmd/lkactor/internal/escape"
)

// What a view shows is looked at as a whole, too: whether its lines can stand side by side,
// and in that order.

// kept explains why somebody still waits who should have been handed the lock: by a lease
// that should not be there, is known, and cannot be shared with it (L1).
func (c *comparer) kept(points []point) {
	for _, by := range points {
		if by.after == 0 || by.got.has != hasLease || c.right[by.of.client] != nil {
			continue
		}
		for i := range points {
			p := &points[i]
			e, asks := c.right[p.of.client], c.requested[p.of.client]
			if p.after != 0 || p.never || e == nil || asks == nil || c.shown[e.name] != nil || asks.mode != e.mode || !c.m.waited[p.of] {
				continue
			}
			if b := c.t.believed(p.of); b != nil && b.has == hasRequest && !b.moded(asks.mode) {
				continue // it asked in another mode when it was last seen
			}
			if by.got.mode == lease.Exclusive.String() || e.mode == lease.Exclusive.String() {
				p.after = by.after
			}
		}
		return // of several, the first is as good
	}
}

// apart tells of leases that are shown and never stand together (L1), or of a queue whose
// head nothing keeps from the lock (Q3); it gives nothing where there may be all that is shown.
func apart(holders []lent, queue []waiter) string {
	shared := !slices.ContainsFunc(holders, func(h lent) bool { return h.mode != lease.Shared.String() })
	if len(queue) > 0 && shared && (len(holders) == 0 || queue[0].mode == lease.Shared.String()) {
		return "nobody who is shown keeps " + escape.Quoted(queue[0].client) + " waiting (Q3)"
	}
	if len(holders) > 1 && !shared {
		return "who holds the lock in exclusive mode holds it alone (L1)"
	}
	return ""
}

// forbid marks a view of a lock that by the rules no state has, unless what is known to be
// wrong explains it: a lease that should not be there, or not in that mode, or a request at the
// head of the queue that should not be there; but not if the lock has been shown since then,
// and was in order. What is new in it is to be told then, if anything is. It tells whether it
// has marked anything.
func (c *comparer) forbid(points []point, queue []waiter) (marked bool) {
	seen := c.t.viewed[party{false, c.m.op.Lock}]
	if slices.ContainsFunc(points, func(p point) bool {
		return p.after > seen && !p.value && (p.got.has == hasLease || len(queue) > 0 && p.of.client == queue[0].client)
	}) {
		return false
	}
	news := slices.ContainsFunc(points, func(p point) bool { return p.after == 0 && !p.value })
	for i := range points {
		if p := &points[i]; !p.value && (p.after == 0 || !news) {
			p.never, p.after, marked = true, 0, true
		}
	}
	return marked
}

// order gives the points about the order in which a view lists those that are right.
func (c *comparer) order(got []lent, asked, asks []waiter) (points []point) {
	m := c.m
	byName := func(a, b lent) int { return cmp.Compare(a.name, b.name) }
	byToken := func(a, b lent) int { return cmp.Compare(a.token, b.token) }
	switch {
	case m.op.Kind == lease.Status && !slices.IsSortedFunc(got, byName):
		points = append(points, point{never: true, tell: func() (string, string) {
			return "O10", "holds are listed by the names of the locks, in code-point order, each once"
		}})
	case m.op.Kind == lease.Inspect && !slices.IsSortedFunc(got, byToken):
		points = append(points, point{never: true, tell: func() (string, string) {
			return "Q2", "holders are listed by their tokens, the lowest first"
		}})
	}
	if inOtherOrder(asked, asks) {
		return append(points, point{tell: func() (string, string) {
			return "Q1", "waiters are listed in the order in which they came: " + m.held()
		}})
	}
	return append(points, c.overtaken(asks)...)
}

// overtaken gives points about those who stand ahead of somebody whose request, by production's
// own answers, came before theirs.
func (c *comparer) overtaken(asks []waiter) (points []point) {
	m := c.m
	for i := 1; i < len(asks); i++ {
		ahead, behind := asks[i-1].client, asks[i].client
		late, early := c.t.came[c.of(ahead)], c.t.came[c.of(behind)]
		if late <= early || early == 0 || c.awaited[ahead] != nil && c.awaited[behind] != nil {
			continue // in which order the latter are is known
		}
		p := point{tell: func() (string, string) {
			return "Q1", fmt.Sprintf("%s asked for %s (#%d) before %s did (#%d), and nobody is overtaken",
				escape.Quoted(behind), m.lock(), early, escape.Quoted(ahead), late)
		}}
		if seen := c.t.queues[m.op.Lock]; slices.Index(seen.names, ahead) < slices.Index(seen.names, behind) && slices.Contains(seen.names, ahead) {
			p.after = seen.number
		}
		points = append(points, p)
	}
	return points
}

// inOtherOrder tells whether those who wait by both lists do so in another order.
func inOtherOrder(want, got []waiter) bool {
	places := make(map[string]int, len(want))
	for i, e := range want {
		places[e.client] = i
	}
	last := -1
	for _, g := range got {
		at, both := places[g.client]
		if both && at < last {
			return true
		}
		if both {
			last = at
		}
	}
	return false
}
