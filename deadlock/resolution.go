package deadlock

import "github.com/leasekeeper/lkactor/actors/lease"

// resolution is what is known of the cycles through one requester while victims
// are aborted: C of rule D3, together with the nodes of the locks in between.
//
// C is kept by counting instead of searching again after every victim. Let the
// requester be two nodes, a start and an end; then the graph has no cycle, and C
// is what lies on a way from the start to the end. For every member the edges
// from members and the edges to members are counted. A node whose count of
// either kind falls to zero is on no way any more and leaves, which takes its
// edges off the counts of its neighbours. What remains has an edge on and an edge
// back at every node, and as it has no cycle, following these must end at the
// requester on both sides: so what remains is exactly C, if only
//
//  1. nobody who is not in C comes to be in it, and
//  2. all edges between members are counted.
//
// For 1: no effect of an abort leads anywhere new. A lease that ends takes an
// edge away. A request that leaves a queue without a grant takes away its own
// edge and the one that led to it; the one behind gets an edge to the one ahead,
// where it got before by way of the one that left. A head that is granted leaves
// likewise, and besides there is a new edge from the lock to it as a holder. That
// edge is to be had only by the next in the queue, who got to it before as the
// one ahead. And the new holder waits for nobody. So where a way is after an
// effect there was one before, and C can only shrink.
//
// For 2: the search hands over all edges between members. An edge that comes
// about later is either the one between the neighbours in a queue of one who
// left, and bypass counts it; or it leads to a new holder, who is no member as it
// waits for nobody.
//
// The same holds for lapses and withdrawals, so these may come in between. A lock
// that nobody waits for may gain holders too, since no way leads to it. Only
// ChangeQueued can make C grow, and it closes the resolution.
type resolution struct {
	open       bool
	requester  nodeRef
	ties       []tie       // ties[0] is not used: zero is none
	candidates []candidate // a heap: the youngest first
	doomed     []nodeRef   // members that have left, their edges still counted

	explained int             // how many victims were
	latest    *lease.Deadlock // the last of them
}

// tieRef is a place among resolution.ties.
type tieRef int32

// tie is the edge from a lock to a holder, both members. A lock may have
// thousands of holders of which two are members, and a client thousands of
// locks; ties lead from member to member past the others. (Queue edges need no
// such record: there is one ahead and one behind.)
//
// A tie counts while both ends are members and its holding exists.
type tie struct {
	lock, client             nodeRef
	holding                  holdingRef // zero once that is gone
	nextOfLock, nextOfClient tieRef
}

// Victim gives the client to be aborted next in the open resolution: of the
// clients on a cycle through the requester, as the graph is after all effects
// applied so far, the youngest (D3, D4). Until effects are applied it gives the
// same client again. ok is false if there is no cycle (any more), or the
// requester has been granted its lock or been aborted; the resolution is closed.
func (g *Graph) Victim() (victim *lease.Client, ok bool) {
	r := &g.resolution
	for r.open && len(r.candidates) > 0 {
		top := r.candidates[0]
		if g.lives(top.node) {
			return g.nodes.at(top.node).client, true
		}
		r.dropYoungest()
	}
	r.open = false
	return nil, false
}

// resolve opens the resolution of a requester whose cycles consist of links. It
// answers whether there is one at all.
func (g *Graph) resolve(requester nodeRef, links []link) bool {
	if len(links) == 0 {
		return false
	}
	r := &g.resolution
	r.open, r.requester = true, requester
	r.explained, r.latest = 0, nil
	r.ties = append(r.ties[:0], tie{})
	r.candidates, r.doomed = r.candidates[:0], r.doomed[:0]
	for _, l := range links {
		g.admit(l.from)
		g.admit(l.to)
		g.nodes.at(l.from).liveOut++
		g.nodes.at(l.to).liveIn++
		if l.via != 0 {
			g.addTie(l)
		}
	}
	r.heapify()
	return true
}

// admit makes a node a member, unless it is one.
func (g *Graph) admit(at nodeRef) {
	n := g.nodes.at(at)
	if n.member == g.epoch {
		return
	}
	n.member, n.liveIn, n.liveOut, n.firstTie = g.epoch, 0, 0, 0
	if n.client != nil {
		r := &g.resolution
		r.candidates = append(r.candidates, candidate{age: n.age, node: at})
	}
}

// addTie records the edge from a lock to a holder.
func (g *Graph) addTie(l link) {
	r := &g.resolution
	lock, client := g.nodes.at(l.from), g.nodes.at(l.to)
	ref := tieRef(len(r.ties))
	r.ties = append(r.ties, tie{
		lock: l.from, client: l.to, holding: l.via,
		nextOfLock: lock.firstTie, nextOfClient: client.firstTie,
	})
	lock.firstTie, client.firstTie = ref, ref
	g.holdings.at(l.via).tie = ref
}

// lives tells whether a node is a member of the open resolution. Nodes that are
// freed and made anew meanwhile are not, since they start without an epoch.
func (g *Graph) lives(at nodeRef) bool {
	return g.resolution.open && g.nodes.at(at).member == g.epoch
}

// bypass keeps the counts when a client has left its queue between ahead and
// follower (zero if nobody was behind it).
func (g *Graph) bypass(client, ahead, follower nodeRef) {
	if !g.lives(client) {
		return // then neither does the follower, whose only edge led to it
	}
	g.steps++
	if follower == 0 || !g.lives(follower) {
		g.loseIn(ahead)
	}
	// Otherwise the follower's edge to ahead counts in the place of the client's.
	g.doom(client)
	g.peel()
}

// cut keeps the counts when a holding is about to be removed.
func (g *Graph) cut(ref holdingRef) {
	r := &g.resolution
	h := g.holdings.at(ref)
	// The tie may be of an earlier resolution. It is of this one if the record
	// there says so too.
	if !r.open || int(h.tie) >= len(r.ties) || r.ties[h.tie].holding != ref {
		return
	}
	r.ties[h.tie].holding = 0
	if g.lives(h.lock) && g.lives(h.client) {
		g.steps++
		g.loseOut(h.lock)
		g.loseIn(h.client)
		g.peel()
	}
}

func (g *Graph) loseIn(at nodeRef) {
	n := g.nodes.at(at)
	if n.liveIn--; n.liveIn == 0 {
		g.doom(at)
	}
}

func (g *Graph) loseOut(at nodeRef) {
	n := g.nodes.at(at)
	if n.liveOut--; n.liveOut == 0 {
		g.doom(at)
	}
}

// doom has a member leave, and leaves its edges to peel. Without the requester
// there is no cycle and nothing more to count.
func (g *Graph) doom(at nodeRef) {
	r := &g.resolution
	if at == r.requester {
		r.open = false
		return
	}
	if g.lives(at) {
		g.nodes.at(at).member = 0
		r.doomed = append(r.doomed, at)
	}
}

// peel takes the edges of those who left off the counts of those who remain,
// until no more have to leave. Each edge is looked at from each end once at
// most, so a whole resolution peels no more than twice the edges it began with,
// and one for each request that is withdrawn or granted.
func (g *Graph) peel() {
	r := &g.resolution
	for r.open && len(r.doomed) > 0 {
		at := r.doomed[len(r.doomed)-1]
		r.doomed = r.doomed[:len(r.doomed)-1]
		n := g.nodes.at(at)
		if n.client != nil && n.ahead != 0 {
			g.steps++
			if g.lives(n.ahead) {
				g.loseIn(n.ahead)
			}
		}
		if follower := g.follower(at); follower != 0 {
			g.steps++
			if g.lives(follower) {
				g.loseOut(follower)
			}
		}
		g.peelTies(at)
	}
}

// peelTies does for the ties of a node what peel does for its queue edges.
func (g *Graph) peelTies(at nodeRef) {
	r := &g.resolution
	isLock := g.nodes.at(at).lock != nil
	for ref := g.nodes.at(at).firstTie; ref != 0; {
		t := &r.ties[ref]
		g.steps++
		switch {
		case isLock && t.holding != 0 && g.lives(t.client):
			g.loseIn(t.client)
		case !isLock && t.holding != 0 && g.lives(t.lock):
			g.loseOut(t.lock)
		}
		if isLock {
			ref = t.nextOfLock
		} else {
			ref = t.nextOfClient
		}
	}
}
