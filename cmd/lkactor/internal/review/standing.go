package review

import (
	"slices"

	"github.com/leasekeeper/lkactor/actors/lease"
	"github.com/leasekeeper/lkactor/actors/story"
)

// Standing is how a finding stands to those before it.
type Standing uint8

const (
	// Cause: no earlier difference can have led to this one.
	Cause Standing = iota
	// Follows: the answer agrees with what an earlier finding had answered wrongly: the
	// same lease is seen again, tokens are off by as much, or a value is read that should
	// not have been accepted. Of a view that is so in every point in which it is wrong.
	Follows
	// Unclear: an earlier difference can have led to this one. Whether it did, or this is
	// a fault of its own, cannot be known from answers.
	Unclear
)

var standingNames = [...]string{Cause: "cause", Follows: "follows", Unclear: "unclear"}

// String gives the standing in one word.
func (s Standing) String() string { return standingNames[s] }

// taint is what an earlier difference may have led to, by the number of its finding.
//
// A fault may be older than the first answer that shows it: a release that is answered
// as it should be, and not done, is seen when the next client asks. So taint does not go
// by who had what when a difference was found, but by what state can pass from where to
// where at all. It errs to one side: what is not in it has, by the rules, the same state
// in both. What it relies on is that a fault is one of the operation's own business: the
// lock and the client that it names, and who has to do with them.
//
//   - Between locks state is passed on only by clients, which hold one and wait for another:
//     groups joins who ever had to do with whom.
//   - A store learns nothing from leases (F2): stores has those by themselves.
//   - Registration numbers decide who is aborted (D4), and numbers are given to all
//     clients in turn: a difference in ages or victims may come from any group. If it is
//     the first to be seen, what led to it may be seen in any other group later: ages.
//   - The latest instant reached (O11) is one for all: clock.
//   - Counters of forgotten locks are remembered for all others, and whether a lock may be
//     forgotten is a matter of its store, too (E4): forgot. A difference in tokens may then
//     come from anywhere, in the same way: counters.
type taint struct {
	groups groups
	stores map[string]int64

	first  int64 // the first finding of all
	state  int64 // the first that is not about a store alone
	world  int64 // the first since which anything may differ
	clock  int64 // the first since which no answer has shown that the clock is right
	forgot bool  // a lock has been forgotten
	// The first difference in registration numbers, and in tokens after a lock was forgotten,
	// that nothing seen before can have led to.
	ages, counters int64
	// By how much production's clock may be ahead or behind, going by what was recorded
	// since then; lease.Never for any time.
	ahead, behind lease.Instant

	beliefs map[tenure]*belief    // what was shown wrongly of leases and requests; see again.go
	viewed  map[party]int64       // by lock and by client: the operation that showed all of it last
	torn    map[string]bool       // by lock: its last view was one that no state leads to
	offsets map[string]offset     // by lock: by how much tokens are off
	values  map[cell]stored       // what was accepted and should not have been
	answers map[story.Place]reply // to requests with an id
	came    map[tenure]int64      // the acquire that was last answered with a place in the queue
	queues  map[string]line       // by lock: the queue of the last view, if that was wrong
}

// line is who waits, as a finding shows it.
type line struct {
	names  []string
	number int64
}

// reply is a recorded answer that was wrong.
type reply struct {
	answer answer
	number int64 // of the finding that it is put down to
}

// tenure is whose lease of what.
type tenure struct{ lock, client string }

// stored is a value that was recorded as accepted.
type stored struct {
	value  string
	number int64
}

// offset is by how much a counter was off when that was last seen.
type offset struct {
	by     lease.Token
	number int64
}

func newTaint() taint {
	return taint{
		groups: newGroups(), stores: map[string]int64{},
		beliefs: map[tenure]*belief{}, viewed: map[party]int64{}, torn: map[string]bool{}, offsets: map[string]offset{}, values: map[cell]stored{},
		answers: map[story.Place]reply{}, came: map[tenure]int64{}, queues: map[string]line{},
	}
}

// meet takes note of whom an operation brings together, whatever its answer.
func (t *taint) meet(m *matter) {
	switch m.op.Kind {
	case lease.Forget:
		t.forgot = true
	case lease.Bump: // it may bring counters together again; its answer shows whether it does
		delete(t.offsets, m.op.Lock)
	}
	if isStore(m.op.Kind) {
		return
	}
	m.fresh = m.strangers(&t.groups)
	m.group = m.named(&t.groups)
	if !m.fresh {
		t.blur(m)
	}
}

// blur takes note that the clock may be wrong by which the operation was handled, and so the
// state of whom it concerns. Of strangers there has been no state yet: of them it is noted when
// the operation is done with.
func (t *taint) blur(m *matter) {
	if t.clock != 0 && !isStore(m.op.Kind) {
		t.groups.mark(m.group, t.clock)
	}
}

// isStore tells operations that concern the store of a lock and nothing else.
func isStore(k lease.Kind) bool { return k == lease.Write || k == lease.Read }

// pass takes note of an operation whose answers agree.
func (t *taint) pass(m *matter) {
	if m.event(story.Again) != nil {
		return // nothing is done, and how things stand is not seen
	}
	if m.instant() {
		t.clock, t.ahead, t.behind = 0, 0, 0
	}
	for _, e := range m.events {
		if e.Kind == story.Aborted || e.Kind == story.Closed {
			t.bereft(party{true, e.Client}, m.number)
		}
	}
	if m.event(story.Queued) != nil && m.op.Kind == lease.Acquire {
		t.came[tenure{m.op.Lock, m.op.Client}] = m.number
	}
	switch m.op.Kind {
	case lease.Acquire, lease.Renew, lease.Release, lease.Evict:
		if !m.busied() {
			delete(t.beliefs, tenure{m.op.Lock, m.op.Client})
		}
	case lease.Inspect, lease.Status:
		t.view(m)
	case lease.Forget:
		if m.event(story.Failed) == nil {
			t.bereft(party{false, m.op.Lock}, m.number)
			delete(t.offsets, m.op.Lock)
		}
	case lease.Write:
		delete(t.values, cell{m.op.Lock, m.op.Key})
	}
	if m.op.Kind == lease.Acquire && m.granted() != nil {
		delete(t.offsets, m.op.Lock)
	}
}

// place says how a finding stands, and takes note of it.
func (t *taint) place(m *matter, number int64) (s Standing, after int64) {
	root := t.depends(m)
	if m.impossible(t) {
		s = Cause // even if it agrees with what was wrong before
	} else if from := t.explained(m); from != 0 {
		s, after = Follows, from
	} else if root != 0 {
		s, after = Unclear, root
	}
	t.spread(m, earliest(root, number))
	if root == 0 && !m.impossible(t) {
		t.unsettle(m, number)
	}
	t.first = earliest(t.first, number)
	if s == Follows {
		number = after
	}
	t.remember(m, number)
	return s, after
}

// unsettle takes note of a cause that may be a consequence itself, of a fault elsewhere that
// no answer has shown yet.
func (t *taint) unsettle(m *matter, number int64) {
	if m.numbersClients() {
		t.ages = earliest(t.ages, number)
	}
	if t.forgot && m.otherTokens() {
		t.counters = earliest(t.counters, number)
	}
}

// depends gives a finding that can have led to this one, the earliest of those that did so
// in the most direct way; zero if none can.
func (t *taint) depends(m *matter) int64 {
	if m.impossible(t) {
		return 0
	}
	ways := []int64{t.stores[m.op.Lock], t.world, t.counters}
	if !isStore(m.op.Kind) {
		ways = []int64{t.groups.marked(m.mentioned(&t.groups)), t.world}
		if !m.fresh || m.got.form == "granted" {
			ways = append(ways, t.clock, t.ages, t.counters)
		}
		if m.op.Kind == lease.Forget {
			ways = append(ways, t.stores[m.op.Lock])
		}
		if m.numbersClients() {
			ways = append(ways, t.state)
		}
		if t.forgot && m.numbersLeases() || m.op.Kind == lease.Repeat { // of its runs the answers are not known
			ways = append(ways, t.first)
		}
	}
	for _, number := range ways {
		if number != 0 {
			return number
		}
	}
	return 0
}

// spread takes note of all whose state may be another since this difference.
func (t *taint) spread(m *matter, root int64) {
	if isStore(m.op.Kind) {
		t.stores[m.op.Lock] = earliest(t.stores[m.op.Lock], root)
		return
	}
	t.state = earliest(t.state, root)
	t.groups.mark(m.mentioned(&t.groups), root)
	switch {
	case m.misshapen() && m.got.form != formError:
		t.world = earliest(t.world, root) // who knows what was done in its place
	case m.op.Kind == lease.Repeat:
		for _, e := range m.events {
			if e.Lock != "" {
				t.stores[e.Lock] = earliest(t.stores[e.Lock], root)
			}
		}
	case m.op.Kind == lease.Forget:
		t.stores[m.op.Lock] = earliest(t.stores[m.op.Lock], root)
	}
	if m.shownInstant() {
		t.clock, t.ahead, t.behind = 0, 0, 0
		return
	}
	t.clock = earliest(t.clock, root)
	t.clocked(m, root == m.number)
}

// earliest gives the smallest of the numbers that is not zero; zero if all are.
func earliest(numbers ...int64) (first int64) {
	for _, n := range numbers {
		if n != 0 && (first == 0 || n < first) {
			first = n
		}
	}
	return first
}

// busied tells whether the rules refuse the acquire since its client is busy, which
// changes nothing (C1).
func (m *matter) busied() bool {
	e := m.event(story.Failed)
	return e != nil && e.Code == lease.ClientBusy
}

// numbersClients tells whether the answers differ in what comes of registration numbers.
func (m *matter) numbersClients() bool {
	return m.want.age != m.got.age || !slices.Equal(m.want.victims, m.got.victims) ||
		m.want.form == "deadlock" || m.got.form == "deadlock"
}

// numbersLeases tells whether the answers differ in what comes of a lock's counter.
func (m *matter) numbersLeases() bool {
	if m.want.token != m.got.token || m.want.fails(lease.StaleLease) || m.got.fails(lease.StaleLease) {
		return true
	}
	return len(m.want.holders)+len(m.got.holders)+len(m.want.holds)+len(m.got.holds) > 0
}

// otherTokens tells whether the same lease has another token in the two answers.
func (m *matter) otherTokens() bool {
	if m.want.form == m.got.form && m.want.token != m.got.token {
		return true
	}
	want, got := m.want.holders, m.got.holders
	if m.op.Kind == lease.Status {
		want, got = m.want.holds, m.got.holds
	}
	right := byName(want)
	return slices.ContainsFunc(got, func(g lent) bool {
		e := right[g.name]
		return e != nil && e.token != g.token
	})
}
