package deadlock

import (
	"cmp"
	"slices"

	"github.com/leasekeeper/lkactor/actors/lease"
)

// Deadlock explains the victim that [Graph.Victim] gives: by which cycles it is to
// be aborted, and who else is on one. It is nil if there is no victim. Like
// [Graph.Cycle] it is for people; it costs as much, and the members of C.
func (g *Graph) Deadlock() *lease.Deadlock {
	victim, ok := g.Victim()
	if !ok {
		return nil
	}
	requester, chosen := g.resolution.requester, lookup(g.clients, victim.ID)
	d := &lease.Deadlock{
		Requester: g.nodes.at(requester).client,
		Victim:    victim,
		Cycle:     g.way(requester, requester),
		Members:   g.members(),
	}
	if d.Through = d.Cycle; !isOn(d.Cycle, victim) {
		// With the requester split into a start and an end there is no cycle, so the two
		// ways have nobody else in common.
		d.Through = append(g.way(requester, chosen), g.way(chosen, requester)...)
	}
	return d
}

func isOn(cycle []lease.Edge, c *lease.Client) bool {
	return slices.ContainsFunc(cycle, func(e lease.Edge) bool { return e.Waiter == c })
}

// members lists the clients of the open resolution, ascending by age.
func (g *Graph) members() []lease.Member {
	var all []lease.Member
	for _, c := range g.resolution.candidates {
		if g.lives(c.node) {
			all = append(all, lease.Member{Client: g.nodes.at(c.node).client, Age: c.age, Bystander: !g.blocks(c.node)})
		}
	}
	slices.SortFunc(all, func(a, b lease.Member) int { return cmp.Compare(a.Age, b.Age) })
	return all
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
