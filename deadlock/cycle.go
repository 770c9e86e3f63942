package deadlock

import (
	"slices"

	"github.com/leasekeeper/lkactor/actors/lease"
)

// Cycle gives a shortest cycle through the requester, whose resolution must be
// open: its first edge starts at the requester, its last one ends there. It is
// nil otherwise. Of several shortest ones the choice depends on the leases and
// queues alone, not on what was asked of the graph before.
//
// It is for messages to people. It looks at the edges of C and at the other
// holders of the locks between them, and it allocates.
func (g *Graph) Cycle(requester *lease.Client) []lease.Edge {
	r := lookup(g.clients, requester.ID)
	if !g.resolution.open || g.resolution.requester != r {
		return nil
	}
	return g.way(r, r)
}

// way gives a shortest way of one edge or more between members of the open
// resolution, nil if there is none.
func (g *Graph) way(from, to nodeRef) []lease.Edge {
	t := trail{g: g, start: from, goal: to, came: map[nodeRef]arrival{}, passed: map[nodeRef]bool{}}
	t.frontier = append(t.frontier, from)
	for len(t.frontier) > 0 {
		waiter := t.frontier[0]
		t.frontier = t.frontier[1:]
		if t.expand(waiter) {
			return t.edges()
		}
	}
	return nil
}

// trail is a search in breadth through the members of a resolution, over the
// edges of D1.
type trail struct {
	g           *Graph
	start, goal nodeRef
	frontier    []nodeRef           // clients yet to be expanded, the nearest first
	came        map[nodeRef]arrival // how each client was first reached
	passed      map[nodeRef]bool    // everybody ahead of these was reached
}

// arrival is an edge of D1 seen from its end.
type arrival struct {
	waiter nodeRef
	via    holdingRef // zero if the end is queued ahead
}

// expand reaches all clients that waiter has an edge to: those ahead of it from
// the nearest on, then the holders by token. Whoever meets one that a search
// from further back has passed can stop there, since that search went on to the
// same clients; so a queue is gone through once and not once per waiter. It
// answers whether the goal was reached.
func (t *trail) expand(waiter nodeRef) bool {
	nodes := &t.g.nodes
	at := waiter
	for nodes.at(at).lock == nil {
		if t.passed[at] {
			return false
		}
		t.passed[at] = true
		at = nodes.at(at).ahead
		t.g.steps++
		if nodes.at(at).lock == nil && t.reach(at, arrival{waiter: waiter}) {
			return true
		}
	}
	for via := nodes.at(at).oldest; via != 0; via = t.g.holdings.at(via).newer {
		t.g.steps++
		holder := t.g.holdings.at(via).client
		if t.g.lives(holder) && t.reach(holder, arrival{waiter: waiter, via: via}) {
			return true
		}
	}
	return false
}

// reach notes how a client was reached first, and answers whether it is the goal.
func (t *trail) reach(client nodeRef, how arrival) bool {
	if _, known := t.came[client]; !known {
		t.came[client] = how
		t.frontier = append(t.frontier, client)
	}
	return client == t.goal
}

// edges is the way by which the goal was reached.
func (t *trail) edges() []lease.Edge {
	var edges []lease.Edge
	for end := t.goal; ; {
		how := t.came[end]
		waiter, blocker := t.g.nodes.at(how.waiter), t.g.nodes.at(end)
		edge := lease.Edge{
			Waiter:  waiter.client,
			Lock:    t.g.nodes.at(waiter.awaits).lock,
			Blocker: blocker.client,
			Mode:    blocker.mode,
			Age:     blocker.age,
		}
		if how.via != 0 {
			h := t.g.holdings.at(how.via)
			edge.Mode, edge.Token = h.mode, h.token
		}
		edges = append(edges, edge)
		if end = how.waiter; end == t.start {
			slices.Reverse(edges)
			return edges
		}
	}
}
