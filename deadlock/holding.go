package deadlock

import "github.com/leasekeeper/lkactor/actors/lease"

// holding is a lease on a mirrored lock: the edge from the lock's node to its
// holder.
//
// A search that goes against the edges wants, of the locks a client holds, those
// that somebody waits for. Keeping exactly these in a list would cost one step
// per holder whenever a queue starts or ends, and a writer who tries in vain over
// 2,000 readers would pay for all of them each time. So a holding stays on the
// client's list when the queue of the lock has run empty. The first search that
// finds it so puts it to rest with the lock, and the next request that is queued
// there wakes what rests. Each waking was paid for by the search before it, and
// no search pays twice for one quiet time of a lock.
type holding struct {
	lock, client nodeRef
	token        lease.Token
	mode         lease.Mode
	resting      bool // on the lock's resting list, not on the client's holds

	older, newer holdingRef // on the lock's list in the order of tokens
	prev, next   holdingRef // on the client's holds or the lock's resting

	tie tieRef // its record in the latest resolution that had one; see tie
}

// fewHolders is up to how many holders of a lock are searched one by one for a
// client. Most contended locks have a single one and never touch the index.
const fewHolders = 8

// hold adds a holding with the lock's largest token.
func (g *Graph) hold(lock, client nodeRef, mode lease.Mode, token lease.Token) {
	h := g.holdings.take()
	*g.holdings.at(h) = holding{lock: lock, client: client, mode: mode, token: token}
	l := g.nodes.at(lock)
	if l.newest == 0 {
		l.oldest = h
	} else {
		g.holdings.at(l.newest).newer = h
		g.holdings.at(h).older = l.newest
	}
	l.newest = h
	l.holders++
	g.nodes.at(client).holdings++
	g.attach(h)

	switch {
	case l.indexed:
		g.pairs.insert(lock, client, h)
	case l.holders > fewHolders:
		l.indexed = true
		for h := l.oldest; h != 0; h = g.holdings.at(h).newer {
			g.pairs.insert(lock, g.holdings.at(h).client, h)
		}
	}
}

// find gives the holding of a client on a lock, zero if there is none.
func (g *Graph) find(lock, client nodeRef) holdingRef {
	l := g.nodes.at(lock)
	if l.indexed {
		return g.pairs.find(lock, client)
	}
	h := l.oldest
	for h != 0 && g.holdings.at(h).client != client {
		h = g.holdings.at(h).newer
	}
	return h
}

// unhold removes a holding, and its client's node if that was all it had.
func (g *Graph) unhold(ref holdingRef) {
	g.cut(ref)
	g.detach(ref)
	h := g.holdings.at(ref)
	l := g.nodes.at(h.lock)
	if h.older == 0 {
		l.oldest = h.newer
	} else {
		g.holdings.at(h.older).newer = h.newer
	}
	if h.newer == 0 {
		l.newest = h.older
	} else {
		g.holdings.at(h.newer).older = h.older
	}
	l.holders--
	if l.indexed {
		g.pairs.remove(h.lock, h.client)
	}
	client := h.client
	g.holdings.free(ref)
	g.nodes.at(client).holdings--
	g.dismiss(client)
}

// rest moves a holding from its client's list to its lock's.
func (g *Graph) rest(ref holdingRef) {
	g.detach(ref)
	g.holdings.at(ref).resting = true
	g.attach(ref)
}

// wake moves the holdings that rest with a lock back to their clients' lists,
// since somebody waits for it now.
func (g *Graph) wake(lock nodeRef) {
	for ref := g.nodes.at(lock).resting; ref != 0; ref = g.nodes.at(lock).resting {
		g.steps++
		g.detach(ref)
		g.holdings.at(ref).resting = false
		g.attach(ref)
	}
}

// side is the start of the list that a holding belongs to: the lock's resting or
// the client's holds.
func (g *Graph) side(h *holding) *holdingRef {
	if h.resting {
		return &g.nodes.at(h.lock).resting
	}
	return &g.nodes.at(h.client).holds
}

func (g *Graph) attach(ref holdingRef) {
	h := g.holdings.at(ref)
	start := g.side(h)
	h.prev, h.next = 0, *start
	if h.next != 0 {
		g.holdings.at(h.next).prev = ref
	}
	*start = ref
}

func (g *Graph) detach(ref holdingRef) {
	h := g.holdings.at(ref)
	if h.prev == 0 {
		*g.side(h) = h.next
	} else {
		g.holdings.at(h.prev).next = h.next
	}
	if h.next != 0 {
		g.holdings.at(h.next).prev = h.prev
	}
}
