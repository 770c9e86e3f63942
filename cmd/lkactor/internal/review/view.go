package review

import (
	"slices"

	"github.com/leasekeeper/lkactor/actors/lease"
	"github.com/leasekeeper/lkactor/cmd/lkactor/internal/telling"
)

// A view, the answer to an inspect or a status, shows many things at once, of which some
// may be known to be wrong while others are wrong for the first time. So it is taken
// apart: each point in which it is not that of the rules is explained by itself.

// point is one thing in which a recorded view is not that of the rules.
type point struct {
	of    tenure // empty for what is not about one lease or request
	got   stake  // what the view shows there
	after int64  // the finding that explains it; zero if it is new
	never bool   // by the rules no state has it, and it is new
	value bool   // it is a token or an end, which are nothing to those who share or wait
	tell  func() (rule, why string)
}

// isView tells whether both answers are views of the same kind.
func (m *matter) isView() bool {
	return (m.got.form == formLock || m.got.form == formClient) && m.want.form == m.got.form && m.shaped()
}

// known gives the earliest finding that a view follows from; zero if there is anything
// new in it.
func (m *matter) known() (first int64) {
	for _, p := range m.points {
		if p.after == 0 {
			return 0
		}
		first = earliest(first, p.after)
	}
	return first
}

// viewed says what is new in a view, or, if nothing is, what is wrong: first what no
// state has.
func (m *matter) viewed() (rule, why string) {
	var first *point
	news := 0
	for i := range m.points {
		p := &m.points[i]
		if p.after == 0 {
			news++
		}
		if first == nil || p.after == 0 && (first.after != 0 || p.never && !first.never) {
			first = p
		}
	}
	if first == nil {
		return m.odd() // for the sake of completeness: views without a point are the same
	}
	rule, why = first.tell()
	if rest := news - 1; rest > 0 {
		why += "; the view differs in " + telling.Many(rest, "more point")
	}
	if news > 0 && news < len(m.points) {
		why += "; what else is wrong in it was so before"
	}
	if m.apart != "" {
		why += "; no lock is ever as it is shown: " + m.apart
	}
	return rule, why
}

// comparer goes through two views. Those of a lock name clients, those of a client
// name locks.
type comparer struct {
	m        *matter
	t        *taint
	from, to lease.Instant // when production may have handled the operation
	of       func(name string) tenure

	right, shown       map[string]*lent
	awaited, requested map[string]*waiter // as it should be, and as it is shown
}

// compare takes a view apart.
func (t *taint) compare(m *matter) []point {
	if !m.isView() {
		return nil
	}
	c := &comparer{m: m, t: t}
	c.from, c.to = t.handled(m)
	want, got := m.want.holders, m.got.holders
	asked, asks := m.want.queue, m.got.queue
	c.of = func(client string) tenure { return tenure{m.op.Lock, client} }
	if m.op.Kind == lease.Status {
		want, got, asked, asks = m.want.holds, m.got.holds, m.want.waits(), m.got.waits()
		c.of = func(lock string) tenure { return tenure{lock, m.op.Client} }
	}
	c.right, c.shown = byName(want), byName(got)
	c.awaited, c.requested = inQueue(asked), inQueue(asks)
	points := slices.Concat(c.leases(want, got), c.queue(asked, asks))
	if m.op.Kind == lease.Status {
		points = append(points, c.age()...)
	}
	points = append(points, c.order(got, asked, asks)...)
	if m.op.Kind == lease.Inspect {
		c.kept(points)
		if why := apart(got, asks); why != "" && !t.torn[m.op.Lock] && c.forbid(points, asks) {
			m.apart = why
		}
	}
	return points
}

// waits gives what a client waits for as if it were a queue of locks, without modes.
func (a *answer) waits() []waiter {
	if a.waiting == "" {
		return nil
	}
	return []waiter{{client: a.waiting}}
}

// byName finds the leases of a view by the name that stands with each; of several with
// one name the first.
func byName(leases []lent) map[string]*lent {
	all := make(map[string]*lent, len(leases))
	for i := range leases {
		if l := &leases[i]; all[l.name] == nil {
			all[l.name] = l
		}
	}
	return all
}

// inQueue is byName for a queue.
func inQueue(queue []waiter) map[string]*waiter {
	all := make(map[string]*waiter, len(queue))
	for i := range queue {
		if w := &queue[i]; all[w.client] == nil {
			all[w.client] = w
		}
	}
	return all
}

// stake gives what the recorded view shows under a name.
func (c *comparer) stake(name string) stake {
	if l := c.shown[name]; l != nil {
		return stake{hasLease, l.mode, l.token, l.until}
	}
	if w := c.requested[name]; w != nil {
		return stake{has: hasRequest, mode: w.mode}
	}
	return stake{}
}

// point makes one about a lease or a request. known tells whether what is believed of
// it explains it; what no state has is explained by nothing but the same, seen before.
func (c *comparer) point(name string, never bool, known func(b *belief) bool, tell func() (rule, why string)) point {
	p := point{of: c.of(name), got: c.stake(name), never: never, tell: tell}
	if b := c.t.believed(p.of); b != nil && known(b) && (!never || b.stake == p.got) {
		p.after, p.never = b.number, false
	}
	return p
}

// leases gives the points about the leases that are shown, and about those that are not.
func (c *comparer) leases(want, got []lent) (points []point) {
	m := c.m
	for i := range got {
		g := &got[i]
		of := c.of(g.name)
		switch e := c.right[g.name]; {
		case c.shown[g.name] != g:
			points = append(points, point{never: true, tell: func() (string, string) { return m.twice("holds", of) }})
		case e != nil:
			points = append(points, c.fields(e, g)...)
		default:
			points = append(points, c.point(g.name, c.absurd(g), func(b *belief) bool { return c.is(b, g) },
				func() (string, string) { return m.tooMuch(of.lock, of.client) }))
		}
	}
	for _, e := range want {
		if of := c.of(e.name); c.shown[e.name] == nil {
			points = append(points, c.point(e.name, false, func(b *belief) bool { return c.left(b, e.name, hasLease) },
				func() (string, string) { return m.tooLittle(of.lock, of.client) }))
		}
	}
	return points
}

// is tells whether a lease that is shown is the one that is believed to be there.
func (c *comparer) is(b *belief, g *lent) bool {
	return b.has == hasLease && b.token == g.token && b.until == g.until && b.mode == g.mode && !b.ended(c.m.now())
}

// left tells whether a lease or request that is not shown was missing before, going by what
// is believed to be there. If the client was believed to have the other of the two and that
// is not shown either, something has come of it since, and the belief explains nothing;
// unless it now waits elsewhere, which is a point of its own, and a new one.
func (c *comparer) left(b *belief, name string, missing has) bool {
	switch b.now(c.m.now()) {
	case missing:
		return false
	case hasNothing:
		return true
	}
	if c.stake(name).has != hasNothing {
		return true
	}
	elsewhere := c.m.got.waiting
	if elsewhere == "" || elsewhere == c.m.want.waiting {
		return false
	}
	wait := c.t.believed(c.of(elsewhere))
	return wait == nil || wait.has != hasRequest
}

// fields gives the points about a lease that is shown other than it is: token, mode and
// end. Where it is known to be wrong and has become so in another way, only that is new. If
// it is not the known one any more, or what has changed has come out right, nothing explains
// what is left.
func (c *comparer) fields(e, g *lent) (points []point) {
	m, of := c.m, c.of(g.name)
	b := c.t.believed(of)
	same := b != nil && b.now(m.now()) == hasLease && b.token == g.token
	add := func(before, never bool, only lent) {
		p := c.point(g.name, never, func(*belief) bool { return same && before },
			func() (string, string) { return m.wrongLease(of.lock, of.client, *e, only) })
		p.value = only.mode == e.mode
		points = append(points, p)
	}
	if e.token != g.token {
		add(true, g.token < 1, lent{e.name, e.mode, g.token, e.until})
	}
	if e.mode != g.mode {
		add(same && b.mode == g.mode, !moded(g.mode), lent{e.name, g.mode, e.token, e.until})
	}
	if e.until != g.until {
		add(same && b.until == g.until, c.over(g), lent{e.name, e.mode, e.token, g.until})
	}
	if news := slices.ContainsFunc(points, func(p point) bool { return p.after == 0 }); same && !news && !c.is(b, g) {
		for i := range points {
			points[i].after = 0
		}
	}
	return points
}

// absurd tells whether no lease of any lock ever looks like this.
func (c *comparer) absurd(g *lent) bool {
	return g.name == "" || g.token < 1 || !moded(g.mode) || c.over(g)
}

// over tells whether a lease is shown that has ended (T1), or that ends later than any
// ttl would let it.
func (c *comparer) over(g *lent) bool {
	return g.until <= c.from || g.until > plus(c.to, lease.Instant(c.m.dialect.MaxTTL()))
}

func moded(text string) bool {
	_, ok := lease.ParseMode(text)
	return ok
}

// queue gives the points about those who wait.
func (c *comparer) queue(want, got []waiter) (points []point) {
	m := c.m
	modes := m.op.Kind == lease.Inspect // they are shown
	for _, e := range want {
		if of := c.of(e.client); c.requested[e.client] == nil {
			points = append(points, c.point(e.client, false, func(b *belief) bool { return c.left(b, e.client, hasRequest) },
				func() (string, string) { return m.unheard(of) }))
		}
	}
	for i := range got {
		g := &got[i]
		of := c.of(g.client)
		known := func(b *belief) bool { return b.has == hasRequest && b.moded(g.mode) }
		never := g.client == "" || modes && !moded(g.mode)
		switch e := c.awaited[g.client]; {
		case c.requested[g.client] != g:
			points = append(points, point{never: true, tell: func() (string, string) { return m.twice("waits for", of) }})
		case c.shown[g.client] != nil:
			points = append(points, point{of: of, got: c.stake(g.client), never: true, tell: func() (string, string) { return m.both(of) }})
		case e == nil:
			points = append(points, c.point(g.client, never, known, func() (string, string) { return m.intruder(of) }))
		case e.mode != g.mode:
			points = append(points, c.point(g.client, never, func(b *belief) bool { return known(b) && b.mode != "" },
				func() (string, string) { return m.asked(of) }))
		}
	}
	return points
}

// age gives the point about the registration number of a client: who holds or waits has
// one.
func (c *comparer) age() []point {
	m := c.m
	if m.want.age == m.got.age {
		return nil
	}
	never := m.got.age < 0 || m.got.age == 0 && len(m.got.holds)+len(m.got.waits()) > 0
	return []point{{never: never, tell: m.age}}
}
