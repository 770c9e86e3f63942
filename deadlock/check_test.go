package deadlock

import (
	"fmt"
	"slices"
	"testing"

	"github.com/leasekeeper/lkactor/actors/lease"
)

// rig is a table and a graph that folds its effects.
type rig struct {
	t     testing.TB
	table *table
	graph *Graph

	name    string   // what fails, for the message
	history []string // operations so far, for the same
}

func newRig(t testing.TB, handful int) *rig {
	r := &rig{t: t, graph: New(), name: t.Name()}
	r.table = newTable(handful, r.graph.Apply)
	return r
}

func (r *rig) failf(format string, args ...any) {
	r.t.Helper()
	for _, op := range r.history {
		r.t.Log(op)
	}
	r.t.Fatalf(r.name+": "+format, args...)
}

// take has a client acquire a lock that must be granted on the spot.
func (r *rig) take(client, lock string, mode lease.Mode) {
	r.t.Helper()
	if queued, ok := r.table.acquire(r.table.client(client), r.table.lock(lock), mode); !ok || queued {
		r.failf("acquire %s %s: ok %v, queued %v; want granted", client, lock, ok, queued)
	}
}

// wait has a client acquire a lock that must be queued, and answers whether that
// closed a cycle.
func (r *rig) wait(client, lock string, mode lease.Mode) bool {
	r.t.Helper()
	p := r.table.client(client)
	if queued, ok := r.table.acquire(p, r.table.lock(lock), mode); !ok || !queued {
		r.failf("acquire %s %s: ok %v, queued %v; want queued", client, lock, ok, queued)
	}
	return r.graph.Begin(p.id)
}

// waitInVain is wait for a request that must not close a cycle.
func (r *rig) waitInVain(client, lock string) {
	r.t.Helper()
	if r.wait(client, lock, lease.Exclusive) {
		r.failf("acquire %s %s closed a cycle", client, lock)
	}
}

// resolve aborts victims until there is no cycle and gives their names (D6).
func (r *rig) resolve() (victims []string) {
	for {
		victim, ok := r.graph.Victim()
		if !ok {
			return victims
		}
		victims = append(victims, victim.Name)
		r.table.abort(r.table.client(victim.Name))
	}
}

func (r *rig) leave(client, lock string) {
	r.t.Helper()
	if !r.table.leave(r.table.client(client), r.table.lock(lock), lease.ChangeReleased) {
		r.failf("release %s %s: not holder", client, lock)
	}
}

// checkMirror compares what the graph lists with what the table knows.
func (r *rig) checkMirror() {
	r.t.Helper()
	var want []Contention
	for _, l := range r.table.sorted() {
		if !l.mirrored {
			continue
		}
		c := Contention{Lock: l.id}
		for _, h := range l.holders {
			c.Holders = append(c.Holders, Holder{h.who.id, h.mode, h.token})
		}
		for _, w := range l.queue {
			c.Queue = append(c.Queue, Waiter{w.who.id, w.mode, w.who.age})
		}
		want = append(want, c)
	}
	if got := r.graph.List(); fmt.Sprintf("%v", got) != fmt.Sprintf("%v", want) {
		r.failf("graph is\n%v, want\n%v", got, want)
	}
}

// checkCycles compares the open resolution, if any, with the C of the table.
func (r *rig) checkCycles(requester *person) []*person {
	r.t.Helper()
	g, c := r.graph, r.table.deadlocked(requester)
	victim, ok := g.Victim()
	if ok != (len(c) > 0) || ok && victim != c[0].id {
		r.failf("victim is %v, %v; want the first of %v", victim, ok, names(c))
	}
	var members []*person
	for i := range g.nodes.cells {
		if n := g.nodes.at(nodeRef(i)); n.client != nil && g.lives(nodeRef(i)) {
			members = append(members, r.table.client(n.client.Name))
		}
	}
	slices.SortFunc(members, func(a, b *person) int { return int(b.age - a.age) })
	if !slices.Equal(members, c) {
		r.failf("members are %v, want %v", names(members), names(c))
	}
	r.checkCounts()
	return c
}

// checkCounts counts the edges between members anew.
func (r *rig) checkCounts() {
	r.t.Helper()
	g := r.graph
	into, out := map[nodeRef]int32{}, map[nodeRef]int32{}
	edge := func(from, to nodeRef) {
		if g.lives(from) && g.lives(to) {
			out[from]++
			into[to]++
		}
	}
	for i := range g.nodes.cells {
		n := nodeRef(i)
		if g.nodes.at(n).awaits != 0 {
			edge(n, g.nodes.at(n).ahead)
		}
		if g.nodes.at(n).lock != nil {
			for h := g.nodes.at(n).oldest; h != 0; h = g.holdings.at(h).newer {
				edge(n, g.holdings.at(h).client)
			}
		}
	}
	for i := range g.nodes.cells {
		n := g.nodes.at(nodeRef(i))
		if g.lives(nodeRef(i)) && (n.liveIn != into[nodeRef(i)] || n.liveOut != out[nodeRef(i)]) {
			r.failf("node %d counts %d in, %d out; want %d, %d",
				i, n.liveIn, n.liveOut, into[nodeRef(i)], out[nodeRef(i)])
		}
	}
}

// checkStorage looks at the lists and tables of the graph: every holding is in
// the right ones, and nothing is left over.
func (r *rig) checkStorage() {
	r.t.Helper()
	g := r.graph
	nodes, holdings, indexed, listed := 0, 0, 0, 0
	for i := range g.nodes.cells {
		n, ref := g.nodes.at(nodeRef(i)), nodeRef(i)
		switch {
		case n.lock != nil:
			nodes++
			if g.locks[n.lock.ID] != ref {
				r.failf("lock %q is not found at its node", n.lock.Name)
			}
			held := 0
			for h := n.oldest; h != 0; h = g.holdings.at(h).newer {
				held++
				if g.find(ref, g.holdings.at(h).client) != h {
					r.failf("a holding of %q is not found", n.lock.Name)
				}
			}
			if held != int(n.holders) {
				r.failf("lock %q counts %d holders, has %d", n.lock.Name, n.holders, held)
			}
			holdings += held
			if n.indexed {
				indexed += held
			}
			if n.resting != 0 && n.behind != ref {
				r.failf("holdings of %q rest though it is awaited", n.lock.Name)
			}
			for h := n.resting; h != 0; h = g.holdings.at(h).next {
				listed++
			}
		case n.client != nil:
			nodes++
			if g.clients[n.client.ID] != ref {
				r.failf("client %q is not found at its node", n.client.Name)
			}
			if n.holdings == 0 && n.awaits == 0 {
				r.failf("client %q has a node for nothing", n.client.Name)
			}
			for h := n.holds; h != 0; h = g.holdings.at(h).next {
				listed++
			}
		}
	}
	if len(g.nodes.cells) != 1+nodes+len(g.nodes.freed) {
		r.failf("%d nodes, %d free, of %d", nodes, len(g.nodes.freed), len(g.nodes.cells))
	}
	if len(g.holdings.cells) != 1+holdings+len(g.holdings.freed) || listed != holdings {
		r.failf("%d holdings, %d listed, %d free, of %d",
			holdings, listed, len(g.holdings.freed), len(g.holdings.cells))
	}
	if g.pairs.count != indexed {
		r.failf("%d pairs indexed, want %d", g.pairs.count, indexed)
	}
}

// begin is Graph.Begin, held to its promise of looking at no more than twice the
// edges of the smaller side and one.
func (r *rig) begin(p *person) bool {
	r.t.Helper()
	node := r.graph.clients[p.id.ID]
	limit := 2*min(r.edges(node, forward), r.edges(node, backward)) + 1
	before := r.graph.Steps()
	found := r.graph.Begin(p.id)
	if looked := r.graph.Steps() - before; int(looked) > limit {
		r.failf("%d edges looked at, want %d at most", looked, limit)
	}
	return found
}

// edges counts the edges that lead away from a node in one direction, however far,
// but not through the node again.
func (r *rig) edges(from nodeRef, way direction) (count int) {
	g := r.graph
	seen := map[nodeRef]bool{from: true}
	for todo := []nodeRef{from}; len(todo) > 0; {
		n := g.nodes.at(todo[0])
		var ends []nodeRef
		switch {
		case way == forward && n.lock != nil:
			for h := n.oldest; h != 0; h = g.holdings.at(h).newer {
				ends = append(ends, g.holdings.at(h).client)
			}
		case way == forward && n.awaits != 0:
			ends = append(ends, n.ahead)
		case way == backward:
			if b := g.nodes.at(n.behind); b.client != nil {
				ends = append(ends, n.behind)
			}
			for h := n.holds; n.client != nil && h != 0; h = g.holdings.at(h).next {
				ends = append(ends, g.holdings.at(h).lock)
			}
		}
		todo = todo[1:]
		count += len(ends)
		for _, end := range ends {
			if !seen[end] {
				seen[end] = true
				todo = append(todo, end)
			}
		}
	}
	return count
}

// checkCycle verifies the edges of Graph.Cycle against the table.
func (r *rig) checkCycle(requester *person) {
	r.t.Helper()
	edges := r.graph.Cycle(requester.id)
	if want := r.table.reachable(requester)[requester]; len(edges) != want {
		r.failf("cycle of %d edges, want %d: %v", len(edges), want, edges)
	}
	r.checkEdges(requester, edges)
}

// checkEdges verifies that edges, if any, are a cycle in the table that starts at
// the requester.
func (r *rig) checkEdges(requester *person, edges []lease.Edge) {
	r.t.Helper()
	for i, e := range edges {
		waiter, blocker := r.table.client(e.Waiter.Name), r.table.client(e.Blocker.Name)
		after := edges[(i+1)%len(edges)]
		if e.Blocker != after.Waiter || waiter.waits == nil || waiter.waits.id != e.Lock || blocker.age != e.Age {
			r.failf("edge %d of the cycle is wrong: %v", i, edges)
		}
		same := func(c claim) bool { return c.who == blocker && c.mode == e.Mode && c.token == e.Token }
		line := waiter.waits.holders
		if e.Token == 0 {
			line = waiter.waits.queue
		}
		if !slices.ContainsFunc(line, same) || !slices.Contains(r.table.arrows(waiter), blocker) {
			r.failf("edge %d of the cycle is not in the table: %v", i, edges)
		}
	}
	if len(edges) > 0 && edges[0].Waiter != requester.id {
		r.failf("the cycle does not start at the requester: %v", edges)
	}
}

// checkDeadlock verifies Graph.Deadlock against C of the table, youngest first.
func (r *rig) checkDeadlock(requester *person, c []*person) (bystanders int) {
	r.t.Helper()
	d := r.graph.Deadlock()
	if (d != nil) != (len(c) > 0) {
		r.failf("a deadlock is explained: %v, with %v on cycles", d != nil, names(c))
	}
	if d == nil {
		return 0
	}
	if d.Requester != requester.id || d.Lock != requester.waits.id || d.Victim != c[0].id || d.Age != c[0].age || len(d.Members) != len(c) || d.Count != len(c) ||
		d.Stale || d.Bystander != d.Members[len(c)-1].Bystander {
		r.failf("deadlock is %+v, want %v on cycles", d, names(c))
	}
	for i, m := range d.Members {
		p := c[len(c)-1-i]
		awaited := slices.ContainsFunc(c, func(q *person) bool {
			return slices.ContainsFunc(q.waits.holders, func(h claim) bool { return h.who == p })
		})
		if m.Client != p.id || m.Age != p.age || m.Bystander == awaited {
			r.failf("member %d is %+v; want %s, a bystander: %v", i, m, p.id.Name, !awaited)
		}
		if m.Bystander {
			bystanders++
		}
	}
	r.checkEdges(requester, d.Cycle)
	r.checkEdges(requester, d.Through)
	there, back := r.table.reachable(requester), r.table.reachable(c[0])[requester]
	if want := there[c[0]] + back; c[0] != requester && len(d.Through) != want || !isOn(d.Through, c[0].id) {
		r.failf("a cycle of %d edges by the victim %s, want %d: %v", len(d.Through), c[0].id.Name, want, d.Through)
	}
	if len(d.Cycle) != there[requester] {
		r.failf("cycle of %d edges, want %d: %v", len(d.Cycle), there[requester], d.Cycle)
	}
	return bystanders
}

func names(people []*person) []string {
	var all []string
	for _, p := range people {
		all = append(all, p.id.Name)
	}
	return all
}
