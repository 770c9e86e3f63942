package deadlock

import "github.com/leasekeeper/lkactor/actors/lease"

// Graph is the wait-for graph of one engine. It belongs to one goroutine at a
// time, and equal sequences of calls give equal answers.
type Graph struct {
	// clients and locks find a node by the ID of an identity. They take four
	// bytes for every ID up to the largest ever mirrored, and nothing else grows
	// with clients and locks that are not contended now.
	clients, locks []nodeRef

	nodes    arena[nodeRef, node]
	holdings arena[holdingRef, holding]
	pairs    pairIndex // holdings of the locks with many holders

	steps uint64

	epoch             uint64 // of the latest search; marks of earlier ones are void
	forward, backward walk
	resolution        resolution
}

// nodeRef is a place among Graph.nodes; holdingRef among Graph.holdings. Zero is
// none in both.
type (
	nodeRef    int32
	holdingRef int32
)

// node is a client that holds or awaits a mirrored lock, or such a lock itself.
//
// The queue of a lock is a ring that starts and ends at the lock's node: ahead
// of the head and behind the tail is the lock. Ahead of a waiter is therefore
// just what it has its edge to, and taking a waiter out of the ring moves the
// edges as D1 wants it.
type node struct {
	client *lease.Client // nil in the node of a lock
	lock   *lease.Lock   // nil in the node of a client

	ahead, behind nodeRef // of a lock: the tail and the head of its queue

	// Of a client. The request counts while awaits is not zero.
	awaits   nodeRef // the lock whose queue it is in
	mode     lease.Mode
	age      lease.Age
	holdings int32      // how many mirrored locks it holds
	holds    holdingRef // its holdings but for those at rest

	// Of a lock.
	indexed         bool       // its holdings are in Graph.pairs
	holders         int32      // how many
	oldest, newest  holdingRef // its holdings in the order of tokens
	resting         holdingRef // those at rest
	seen            [2]mark    // by direction of search
	member          uint64     // the epoch of the resolution it is a member of
	liveIn, liveOut int32      // edges from and to members, while it is one
	firstTie        tieRef     // edges between locks and holders, likewise
}

// New gives the graph of an engine in which nobody waits.
func New() *Graph {
	g := &Graph{
		nodes:    newArena[nodeRef, node](),
		holdings: newArena[holdingRef, holding](),
	}
	g.forward.way, g.backward.way = forward, backward
	return g
}

// Steps is how many edges were looked at so far: in searches, in keeping a
// resolution up to date, and in waking holdings from rest. It is a measure of
// work that does not depend on the machine.
func (g *Graph) Steps() uint64 { return g.steps }

// clientNode gives the node of a client, making it if there is none.
func (g *Graph) clientNode(c *lease.Client) nodeRef {
	place := reach(&g.clients, c.ID)
	if *place == 0 {
		*place = g.nodes.take()
		g.nodes.at(*place).client = c
	}
	return *place
}

// lockNode gives the node of a lock, making it, with an empty queue, if there is
// none.
func (g *Graph) lockNode(l *lease.Lock) nodeRef {
	place := reach(&g.locks, l.ID)
	if *place == 0 {
		*place = g.nodes.take()
		n := g.nodes.at(*place)
		n.lock, n.ahead, n.behind = l, *place, *place
	}
	return *place
}

// dismiss frees the node of a client that neither holds nor awaits anything
// mirrored any more.
func (g *Graph) dismiss(c nodeRef) {
	n := g.nodes.at(c)
	if n.holdings == 0 && n.awaits == 0 {
		g.clients[n.client.ID] = 0
		g.nodes.free(c)
	}
}

// follower is the waiter right behind node n in its queue, for a lock the head
// of its own; zero if nobody is there. It is where the one queue edge into n
// comes from.
func (g *Graph) follower(n nodeRef) nodeRef {
	b := g.nodes.at(n).behind
	if b == 0 || g.nodes.at(b).lock != nil {
		return 0
	}
	return b
}

// reach gives the place of id in a table, which grows as needed.
func reach(table *[]nodeRef, id uint32) *nodeRef {
	if missing := int(id) + 1 - len(*table); missing > 0 {
		*table = append(*table, make([]nodeRef, missing)...)
	}
	return &(*table)[id]
}

// lookup is reach for an id that may never have been seen.
func lookup(table []nodeRef, id uint32) nodeRef {
	if int(id) >= len(table) {
		return 0
	}
	return table[id]
}
