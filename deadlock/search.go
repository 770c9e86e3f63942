package deadlock

import "github.com/leasekeeper/lkactor/actors/lease"

// direction is which way a search follows the edges.
type direction uint8

const (
	forward  direction = iota // from the requester to what it waits for
	backward                  // from the requester to what waits for it
)

// mark is what a search in one direction knows of a node: its epoch, and in the
// last two bits how far it has come. Marks of an earlier epoch mean nothing, so
// no search has to clear those of the one before.
type mark uint64

const (
	entered mark = 1 + iota // on the stack
	failed                  // done: the requester is not to be found this way
	joined                  // done: it is
)

const markBits = 2

// walk is a depth-first search from the requester back to the requester, in one
// direction. It keeps its own stack, since a chain of waiters may be longer than
// a goroutine's is deep.
type walk struct {
	way   direction
	stack []frame
	links []link // edges on the way to the requester, found so far
}

// frame is a node on the way, with the edges not yet looked at.
type frame struct {
	node  nodeRef
	via   holdingRef // the holding by which the walk came, zero for a queue edge
	queue nodeRef    // the other end of the node's queue edge; zero if there is none or it was looked at
	next  holdingRef // the next holding to look at
	joins bool       // an edge looked at leads to the requester
}

// link is an edge of which the walk came to know that it lies on a cycle.
type link struct {
	from, to nodeRef
	via      holdingRef // zero for a queue edge
}

// Begin tells whether the requester, which has just been queued, is on a cycle
// (D2), and if so opens its resolution for [Graph.Victim]. Any earlier one is
// closed. A requester that does not wait (any more) is on none.
//
// Edges that are out of date do no harm while the answer is false, as time only
// takes edges away. When it is true, apply the effects of what has lapsed
// meanwhile and begin again.
//
// It searches from both ends at once, one edge each in turn, until either side
// runs dry. So it looks at no more than twice the edges of the smaller side and
// one: at none if the requester holds no lock that is awaited. (Here the edge of
// a lock that was awaited earlier counts, but for one search only; see holding.)
//
// No cycle may exist but through the requester, which holds if every earlier
// request had its resolution (D3). Otherwise the answer is right all the same,
// but the resolution may miss victims.
func (g *Graph) Begin(requester *lease.Client) bool {
	g.resolution.open = false
	r := lookup(g.clients, requester.ID)
	if r == 0 || g.nodes.at(r).awaits == 0 {
		return false
	}
	// With the requester taken for two nodes, one where walks start and one where
	// they end, the graph has no cycle. So when a walk leaves a node for good, it
	// knows whether the other end is to be reached from there; when it has run
	// dry, its links are all the edges on all cycles. The side that is slower
	// would find the same ones, and what it found so far is thrown away.
	g.epoch++
	g.start(&g.forward, r)
	g.start(&g.backward, r)
	for {
		if !g.look(&g.backward, r) {
			return g.resolve(r, g.backward.links)
		}
		if !g.look(&g.forward, r) {
			return g.resolve(r, g.forward.links)
		}
	}
}

// start sets a walk out from the requester.
func (g *Graph) start(w *walk, requester nodeRef) {
	w.stack, w.links = w.stack[:0], w.links[:0]
	g.enter(w, requester, 0)
}

// look has a walk look at one edge more. It answers false if there is none.
func (g *Graph) look(w *walk, requester nodeRef) bool {
	for len(w.stack) > 0 {
		f := &w.stack[len(w.stack)-1]
		switch {
		case f.queue != 0:
			end := f.queue
			f.queue = 0
			g.steps++
			g.meet(w, end, 0, requester)
			return true
		case f.next != 0:
			via := f.next
			g.steps++
			if end := g.follow(w, f); end != 0 {
				g.meet(w, end, via, requester)
			}
			return true
		}
		g.leave(w)
	}
	return false
}

// follow goes on to the next holding of a frame and gives its other end; zero if
// nobody waits there, and then the holding is put to rest.
func (g *Graph) follow(w *walk, f *frame) nodeRef {
	via := f.next
	h := g.holdings.at(via)
	if w.way == forward {
		f.next = h.newer
		return h.client
	}
	f.next = h.next
	if g.nodes.at(h.lock).behind == h.lock {
		g.rest(via)
		return 0
	}
	return h.lock
}

// meet deals with the far end of an edge of the node on top of the stack.
func (g *Graph) meet(w *walk, end nodeRef, via holdingRef, requester nodeRef) {
	switch seen := g.nodes.at(end).seen[w.way]; {
	case end == requester || seen == g.mark(joined):
		g.join(w, end, via)
	case seen>>markBits != mark(g.epoch):
		g.enter(w, end, via)
	}
}

// enter puts a node on the stack, with its edges in the walk's direction.
func (g *Graph) enter(w *walk, at nodeRef, via holdingRef) {
	n := g.nodes.at(at)
	f := frame{node: at, via: via}
	switch {
	case w.way == backward:
		f.queue, f.next = g.follower(at), n.holds
	case n.lock != nil:
		f.next = n.oldest
	default:
		f.queue = n.ahead
	}
	n.seen[w.way] = g.mark(entered)
	w.stack = append(w.stack, f)
}

// leave takes the top of the stack off, as all its edges have been looked at.
func (g *Graph) leave(w *walk) {
	top := w.stack[len(w.stack)-1]
	w.stack = w.stack[:len(w.stack)-1]
	if !top.joins {
		g.nodes.at(top.node).seen[w.way] = g.mark(failed)
		return
	}
	g.nodes.at(top.node).seen[w.way] = g.mark(joined)
	if len(w.stack) > 0 {
		g.join(w, top.node, top.via)
	}
}

// join notes that the requester is found by the edge from the top of the stack
// to end.
func (g *Graph) join(w *walk, end nodeRef, via holdingRef) {
	f := &w.stack[len(w.stack)-1]
	f.joins = true
	if w.way == forward {
		w.links = append(w.links, link{from: f.node, to: end, via: via})
	} else {
		w.links = append(w.links, link{from: end, to: f.node, via: via})
	}
}

// mark gives a mark of the present search.
func (g *Graph) mark(how mark) mark { return mark(g.epoch)<<markBits | how }
