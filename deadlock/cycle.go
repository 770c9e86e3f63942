package deadlock

import (
	"slices"

	"github.com/leasekeeper/lkactor/actors/lease"
)

// Edge is one edge of the wait-for graph of rule D1: Waiter waits for Lock, and
// Blocker holds it or is queued ahead.
type Edge struct {
	Waiter  *lease.Client
	Lock    *lease.Lock
	Blocker *lease.Client

	Mode  lease.Mode  // of the lease or request of Blocker
	Token lease.Token // of the lease of Blocker; zero if it is queued ahead
	Age   lease.Age   // of Blocker, who waits somewhere too
}

// Cycle gives a shortest cycle through the requester, whose resolution must be
// open: its first edge starts at the requester, its last one ends there. It is
// nil otherwise. Of several shortest ones the choice depends on the leases and
// queues alone, not on what was asked of the graph before.
//
// It is for messages to people. It looks at the edges of C and at the other
// holders of the locks between them, and it allocates.
func (g *Graph) Cycle(requester *lease.Client) []Edge {
	r := lookup(g.clients, requester.ID)
	if !g.resolution.open || g.resolution.requester != r {
		return nil
	}
	t := trail{g: g, requester: r, came: map[nodeRef]arrival{}, passed: map[nodeRef]bool{}}
	t.frontier = append(t.frontier, r)
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
	g         *Graph
	requester nodeRef
	frontier  []nodeRef           // clients yet to be expanded, the nearest first
	came      map[nodeRef]arrival // how each client was first reached
	passed    map[nodeRef]bool    // everybody ahead of these was reached
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
// answers whether the requester was reached.
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

// reach notes how a client was reached first, and answers whether it is the
// requester.
func (t *trail) reach(client nodeRef, how arrival) bool {
	if _, known := t.came[client]; !known {
		t.came[client] = how
		t.frontier = append(t.frontier, client)
	}
	return client == t.requester
}

// edges is the way by which the requester was reached.
func (t *trail) edges() []Edge {
	var edges []Edge
	for end := t.requester; ; {
		how := t.came[end]
		waiter, blocker := t.g.nodes.at(how.waiter), t.g.nodes.at(end)
		edge := Edge{
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
		if end = how.waiter; end == t.requester {
			slices.Reverse(edges)
			return edges
		}
	}
}
