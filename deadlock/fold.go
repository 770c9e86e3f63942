package deadlock

import (
	"fmt"

	"github.com/leasekeeper/lkactor/actors/lease"
)

// Apply folds one effect into the graph. It wants the effects that are marked
// Contended, in the order of operations; ChangeAborted may come too and changes
// nothing, since its client has lost everything by then (D5).
//
// What a lock tells of itself:
//
//   - before the first request of a client that holds something else is queued,
//     ChangeHeld for every holder by token and ChangeAwaited for every request by
//     arrival;
//   - from then on everything that happens to its leases and requests. The queue
//     is served from its head, and a lock that nobody waits for may grant on the
//     spot and stay mirrored all the same;
//   - ChangeCalm once nobody waits and few hold it: the lock leaves the graph.
//
// Each effect costs constant time, but for ChangeCalm, which takes a step per
// holder, and for what it removes from an open resolution. An effect that
// contradicts the graph is a fault of the caller and panics: after it no answer
// could be trusted.
func (g *Graph) Apply(e *lease.Effect) {
	switch e.Change {
	case lease.ChangeHeld:
		g.hold(g.lockNode(e.Lock), g.clientNode(e.Client), e.Mode, e.Token)
	case lease.ChangeQueued, lease.ChangeAwaited:
		g.enqueue(e)
	case lease.ChangeGranted:
		g.grant(e)
	case lease.ChangeLapsed, lease.ChangeReleased:
		g.end(e)
	case lease.ChangeWithdrawn:
		client := g.waiter(e)
		g.dequeue(client)
		g.dismiss(client)
	case lease.ChangeCalm:
		g.calm(e)
	case lease.ChangeRenewed, lease.ChangeAborted:
		// No edge depends on when a lease ends or on who is registered.
	default:
		contradict(e, "unknown change")
	}
}

// enqueue puts a request at the end of a queue (Q1).
func (g *Graph) enqueue(e *lease.Effect) {
	// A new request may join cycles that an open resolution does not know of.
	// By D2 there is none open now; if one was abandoned, it ends here.
	g.resolution.open = false

	lock, client := g.lockNode(e.Lock), g.clientNode(e.Client)
	l, c := g.nodes.at(lock), g.nodes.at(client)
	if c.awaits != 0 {
		contradict(e, "client waits already")
	}
	if l.behind == lock {
		g.wake(lock)
	}
	c.awaits, c.mode, c.age = lock, e.Mode, e.Age
	c.ahead, c.behind = l.ahead, lock
	g.nodes.at(l.ahead).behind = client
	l.ahead = client
}

// grant makes a holder: of the head of the queue, or of a client that found
// nobody waiting.
func (g *Graph) grant(e *lease.Effect) {
	if !e.FromQueue {
		g.hold(g.lockNode(e.Lock), g.clientNode(e.Client), e.Mode, e.Token)
		return
	}
	client := g.waiter(e)
	lock := g.nodes.at(client).awaits
	if g.nodes.at(client).ahead != lock {
		contradict(e, "client is not the head of the queue")
	}
	g.dequeue(client)
	g.hold(lock, client, e.Mode, e.Token)
}

// end takes a lease away.
func (g *Graph) end(e *lease.Effect) {
	lock, client := lookup(g.locks, e.Lock.ID), lookup(g.clients, e.Client.ID)
	h := g.find(lock, client)
	if h == 0 {
		contradict(e, "client does not hold the lock")
	}
	g.unhold(h)
}

// calm takes a lock that nobody waits for out of the graph.
func (g *Graph) calm(e *lease.Effect) {
	lock := lookup(g.locks, e.Lock.ID)
	if lock == 0 || g.nodes.at(lock).behind != lock {
		contradict(e, "lock is not mirrored or has a queue")
	}
	for h := g.nodes.at(lock).oldest; h != 0; h = g.nodes.at(lock).oldest {
		g.unhold(h)
	}
	g.locks[e.Lock.ID] = 0
	g.nodes.free(lock)
}

// waiter is the node of a client that waits for the lock of the effect.
func (g *Graph) waiter(e *lease.Effect) nodeRef {
	client := lookup(g.clients, e.Client.ID)
	lock := lookup(g.locks, e.Lock.ID)
	if lock == 0 || g.nodes.at(client).awaits != lock {
		contradict(e, "client does not wait for the lock")
	}
	return client
}

// dequeue takes a waiter out of its queue. The one behind it now points at the
// one ahead of it, or at the lock.
func (g *Graph) dequeue(client nodeRef) {
	follower := g.follower(client)
	c := g.nodes.at(client)
	ahead := c.ahead
	g.nodes.at(ahead).behind = c.behind
	g.nodes.at(c.behind).ahead = ahead
	c.awaits, c.ahead, c.behind = 0, 0, 0
	g.bypass(client, ahead, follower)
}

// contradict stops the engine on an effect that cannot be true of this graph.
func contradict(e *lease.Effect, why string) {
	var client, lock string
	if e.Client != nil {
		client = e.Client.Name
	}
	if e.Lock != nil {
		lock = e.Lock.Name
	}
	panic(fmt.Sprintf("deadlock: change %d of client %q, lock %q: %s", e.Change, client, lock, why))
}
