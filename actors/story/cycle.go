package story

import (
	"slices"

	"github.com/leasekeeper/lkactor/actors/lease"
)

// Cycle is one round of the breaking of a deadlock, as it stood before the victim
// was aborted (D3 to D6).
type Cycle struct {
	Requester string // whose acquire of Lock has closed it
	Lock      string
	Round     int // which victim of this acquire, from 1

	Victim Member
	// Edges are a shortest cycle: the first starts at the requester, the last ends
	// there.
	Edges []Edge
	// Through is a shortest cycle that the victim is on: Edges, if it is on that.
	Through []Edge
	// Count is how many clients are on a cycle through the requester. Members are the
	// youngest of them, lease.MostMembers at most, ascending by age; the last one is the
	// victim (D4).
	Count   int
	Members []Member
	// Unexplained says that of the cycles nothing is known: of one acquire only the
	// first lease.MostExplained victims are explained. Edges, Through, Count and Members are
	// empty then.
	Unexplained bool
}

// Edge says that Waiter waits for Lock, and that Blocker holds it or stands ahead in
// its queue.
type Edge struct {
	Waiter, Lock, Blocker string

	Mode  lease.Mode  // of the lease or request of Blocker
	Token lease.Token // of the lease of Blocker; zero if it stands ahead in the queue
	Age   lease.Age   // of Blocker
}

// Member is a client on a cycle. Bystander says that nobody there waits for a lease
// of it: it is on a cycle by its place in a queue alone.
type Member struct {
	Client    string
	Age       lease.Age
	Bystander bool
}

// Direct tells whether the victim is on the shortest cycle.
func (c *Cycle) Direct() bool {
	return slices.ContainsFunc(c.Edges, func(e Edge) bool { return e.Waiter == c.Victim.Client })
}

func (c *Cycle) includes(client string) bool {
	return c != nil && slices.ContainsFunc(c.Members, func(m Member) bool { return m.Client == client })
}

func (c *Cycle) shows(lock string) bool {
	on := func(e Edge) bool { return e.Lock == lock }
	return c != nil && (slices.ContainsFunc(c.Edges, on) || slices.ContainsFunc(c.Through, on))
}

// cycleOf takes over what the engine says of a deadlock.
func cycleOf(d *lease.Deadlock, round int) *Cycle {
	c := &Cycle{
		Requester: d.Requester.Name, Lock: d.Lock.Name, Round: round,
		Victim: Member{d.Victim.Name, d.Age, d.Bystander}, Unexplained: d.Stale,
	}
	if d.Stale {
		return c
	}
	c.Edges, c.Count = edgesOf(d.Cycle), d.Count
	for _, m := range d.Members {
		c.Members = append(c.Members, Member{m.Client.Name, m.Age, m.Bystander})
	}
	if c.Through = c.Edges; !c.Direct() {
		c.Through = edgesOf(d.Through)
	}
	return c
}

func edgesOf(edges []lease.Edge) []Edge {
	all := make([]Edge, len(edges))
	for i, e := range edges {
		all[i] = Edge{e.Waiter.Name, e.Lock.Name, e.Blocker.Name, e.Mode, e.Token, e.Age}
	}
	return all
}
