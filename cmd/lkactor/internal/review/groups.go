package review

import (
	"github.com/leasekeeper/lkactor/actors/lease"
	"github.com/leasekeeper/lkactor/actors/story"
)

// groups are locks and clients by who ever had to do with whom, directly or through
// others: a union of sets, each with the number of the earliest finding in it.
type groups struct {
	nodes  map[party]int
	parent []int
	number []int64 // of the root of a set; zero if nothing in it has differed
	steps  int64   // how many links and names were looked at: the work done
}

// party is a lock or a client.
type party struct {
	client bool
	name   string
}

func newGroups() groups { return groups{nodes: map[party]int{}} }

// noGroup is the group of no one.
const noGroup = -1

// of gives the set that somebody is in.
func (g *groups) of(p party) int {
	i, known := g.nodes[p]
	if !known {
		i = len(g.parent)
		g.nodes[p] = i
		g.parent, g.number = append(g.parent, i), append(g.number, 0)
	}
	for g.steps++; g.parent[i] != i; g.steps++ {
		g.parent[i] = g.parent[g.parent[i]] // halves the way for those who come later
		i = g.parent[i]
	}
	return i
}

// join brings somebody into a set, with all who are in one with them; the set of no one
// is theirs. An empty name is nobody's.
func (g *groups) join(set int, p party) int {
	if p.name == "" {
		return set
	}
	other := g.of(p)
	if set == noGroup || set == other {
		return other
	}
	g.parent[other] = set
	g.number[set] = earliest(g.number[set], g.number[other])
	return set
}

// mark says that something in a set has differed.
func (g *groups) mark(set int, number int64) {
	if set != noGroup {
		g.number[set] = earliest(g.number[set], number)
	}
}

// marked gives the earliest finding in a set.
func (g *groups) marked(set int) int64 {
	if set == noGroup {
		return 0
	}
	return g.number[set]
}

// named joins those whom the operation names, its runs included if it is a repeat, and
// gives their set.
func (m *matter) named(g *groups) int {
	switch m.op.Kind {
	case lease.Repeat:
		set := noGroup
		for _, e := range m.events {
			if e.Kind != story.Wrote && e.Kind != story.Refused && e.Kind != story.Read {
				set = g.join(g.join(set, party{true, e.Client}), party{false, e.Lock})
			}
		}
		return set
	case lease.Refused:
		client, lock := m.outOfRange()
		return g.join(g.join(noGroup, party{true, client}), party{false, lock})
	}
	return g.join(g.join(noGroup, party{true, m.op.Client}), party{false, m.op.Lock})
}

// strangers tells whether nobody whom the operation names has been named before, so that by
// the rules none of them has anything in any state.
func (m *matter) strangers(g *groups) bool {
	if m.op.Kind == lease.Repeat || m.op.Kind == lease.Refused {
		return false
	}
	_, client := g.nodes[party{true, m.op.Client}]
	_, lock := g.nodes[party{false, m.op.Lock}]
	return !client && !lock
}

// outOfRange gives client and lock of an acquire or renew whose ttl is out of range (O7).
// Of an operation that fails any other check it is not certain whom it is about.
func (m *matter) outOfRange() (client, lock string) {
	if e := m.event(story.Failed); e != nil && m.op.Code == lease.InvalidTTL {
		return e.Client, e.Lock
	}
	return "", ""
}

// mentioned joins those whom the operation names with those who stand in one of its
// answers, and gives their set.
func (m *matter) mentioned(g *groups) int {
	set := m.named(g)
	for _, a := range []*answer{&m.want, &m.got} {
		for _, h := range a.holders {
			set = g.join(set, party{true, h.name})
		}
		for _, w := range a.queue {
			set = g.join(set, party{true, w.client})
		}
		for _, h := range a.holds {
			set = g.join(set, party{false, h.name})
		}
		set = g.join(set, party{false, a.waiting})
		for _, victim := range a.victims {
			set = g.join(set, party{true, victim})
		}
	}
	return set
}

// misshapen tells whether the operation fails a check of its form other than O7, so that
// what it was about is not certain.
func (m *matter) misshapen() bool {
	code := m.op.Code
	if m.op.Kind != lease.Refused {
		code = m.op.Check(m.dialect)
	}
	return code != lease.OK && code != lease.InvalidTTL
}

// instant tells whether the answer of the rules shows at which instant the operation was
// handled: it has the end of a lease that begins or is renewed with it.
func (m *matter) instant() bool {
	for _, e := range m.events {
		if e.Client == m.op.Client && e.Place.Run == 0 && (e.Kind == story.Granted && !e.FromQueue || e.Kind == story.Renewed) {
			return true
		}
	}
	return false
}

// shownInstant tells whether the recorded answer shows that the operation was handled at
// the instant at which the rules have it.
func (m *matter) shownInstant() bool {
	got := &m.got
	return (got.form == "granted" || got.form == "renewed") && m.event(story.Again) == nil &&
		got.until == m.now()+lease.Instant(m.op.TTL)
}
