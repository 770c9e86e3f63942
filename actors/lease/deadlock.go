package lease

// Edge is one edge of the wait-for graph of rule D1: Waiter waits for Lock, and
// Blocker holds it or is queued ahead.
type Edge struct {
	Waiter  *Client
	Lock    *Lock
	Blocker *Client

	Mode  Mode  // of the lease or request of Blocker
	Token Token // of the lease of Blocker; zero if it is queued ahead
	Age   Age   // of Blocker, who waits somewhere too
}

// Deadlock is one round of rule D3 as it stands just before its victim is
// aborted. It is for people: nothing is decided by it.
type Deadlock struct {
	Requester *Client // whose acquire of Lock has closed the cycles
	Lock      *Lock

	Victim    *Client // the youngest on a cycle (D4)
	Age       Age     // of the victim
	Bystander bool    // as of a Member

	// Cycle is a shortest cycle: its first edge starts at the requester, its last
	// one ends there. Of several the choice depends on leases and queues alone.
	Cycle []Edge
	// Through is a shortest one of those that the victim is on: the same as Cycle if
	// the victim is on that.
	Through []Edge
	// Count is how many clients are on at least one cycle through the requester: C of
	// rule D3. Members are the youngest of them, [MostMembers] at most, ascending by
	// age; the last one is the victim.
	Count   int
	Members []Member

	// Stale says that what follows Bystander is that of an earlier victim of the same
	// acquire: only the first [MostExplained] are explained, since each costs as much as
	// there are edges, and nobody reads thousands.
	Stale bool
}

// What is told of one deadlock.
const (
	// MostExplained is how many victims of one acquire are explained.
	MostExplained = 64
	// MostMembers is how many of the clients on cycles are named.
	MostMembers = 100
)

// Member is a client on a cycle.
type Member struct {
	Client *Client
	Age    Age
	// Bystander says that nobody on a cycle waits for a lease of the client: it is on
	// one only because it is queued ahead of somebody (D6).
	Bystander bool
}

// Explanation is what the victim of a deadlock is told: by name, so that it can be
// kept however long.
type Explanation struct {
	Requester string // the client whose acquire closed the cycle
	Victim    string
	// Cycle is a shortest one of those that the victim is on. Of many victims of one
	// acquire the last are told the cycle of one of the first.
	Cycle []Wait
}

// Wait is an [Edge] by name.
type Wait struct {
	Waiter, Lock, Blocker string

	Mode  Mode  // of the lease or request of Blocker
	Token Token // of the lease of Blocker; zero if it is queued ahead
	Age   Age   // of Blocker
}

// Explain gives what the victim is told.
func (d *Deadlock) Explain() *Explanation {
	x := &Explanation{Requester: d.Requester.Name, Victim: d.Victim.Name, Cycle: make([]Wait, len(d.Through))}
	for i, e := range d.Through {
		x.Cycle[i] = Wait{
			Waiter: e.Waiter.Name, Lock: e.Lock.Name, Blocker: e.Blocker.Name, Mode: e.Mode, Token: e.Token, Age: e.Age,
		}
	}
	return x
}
