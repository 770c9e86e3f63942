package deadlock

import (
	"cmp"
	"slices"

	"github.com/leasekeeper/lkactor/actors/lease"
)

// Deadlock explains the victim that [Graph.Victim] gives: by which cycles it is to
// be aborted, and who else is on one. It is nil if there is no victim. Like
// [Graph.Cycle] it is for people; it costs as much, and the members of C. Of the
// victims of one resolution that is so for the first lease.MostExplained.
func (g *Graph) Deadlock() *lease.Deadlock {
	victim, ok := g.Victim()
	if !ok {
		return nil
	}
	r := &g.resolution
	requester, chosen := r.requester, lookup(g.clients, victim.ID)
	if r.explained == lease.MostExplained {
		d := *r.latest
		d.Victim, d.Age, d.Bystander, d.Stale = victim, g.nodes.at(chosen).age, !g.blocks(chosen), true
		return &d
	}
	d := &lease.Deadlock{
		Requester: g.nodes.at(requester).client,
		Lock:      g.nodes.at(g.nodes.at(requester).awaits).lock,
		Victim:    victim,
		Age:       g.nodes.at(chosen).age,
		Bystander: !g.blocks(chosen),
		Cycle:     g.way(requester, requester),
	}
	d.Members, d.Count = g.members()
	if d.Through = d.Cycle; !isOn(d.Cycle, victim) {
		// With the requester split into a start and an end there is no cycle, so the two
		// ways have nobody else in common.
		d.Through = append(g.way(requester, chosen), g.way(chosen, requester)...)
	}
	r.explained++
	r.latest = d
	return d
}

func isOn(cycle []lease.Edge, c *lease.Client) bool {
	return slices.ContainsFunc(cycle, func(e lease.Edge) bool { return e.Waiter == c })
}

// members lists the youngest clients of the open resolution, ascending by age, and
// counts all.
func (g *Graph) members() (youngest []lease.Member, count int) {
	living := make([]candidate, 0, len(g.resolution.candidates))
	for _, c := range g.resolution.candidates {
		if g.lives(c.node) {
			living = append(living, c)
		}
	}
	slices.SortFunc(living, func(a, b candidate) int { return cmp.Compare(a.age, b.age) })
	for _, c := range living[max(0, len(living)-lease.MostMembers):] {
		youngest = append(youngest, lease.Member{Client: g.nodes.at(c.node).client, Age: c.age, Bystander: !g.blocks(c.node)})
	}
	return youngest, len(living)
}

// blocks tells whether a member holds a lock that another member waits for. Such a
// lock is on a cycle itself, and somebody waits for it: its holding does not rest.
func (g *Graph) blocks(client nodeRef) bool {
	for ref := g.nodes.at(client).holds; ref != 0; ref = g.holdings.at(ref).next {
		if g.lives(g.holdings.at(ref).lock) {
			return true
		}
	}
	return false
}
