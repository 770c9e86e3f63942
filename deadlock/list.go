package deadlock

import (
	"slices"
	"strings"

	"github.com/leasekeeper/lkactor/actors/lease"
)

// Contention is one mirrored lock: one that somebody waits for, or whose queue
// has run empty while it had more than a few holders.
type Contention struct {
	Lock    *lease.Lock
	Holders []Holder // by token, lowest first
	Queue   []Waiter // oldest first
}

// Holder is a lease on a mirrored lock.
type Holder struct {
	Client *lease.Client
	Mode   lease.Mode
	Token  lease.Token
}

// Waiter is a request in the queue of a mirrored lock. Age is the client's.
type Waiter struct {
	Client *lease.Client
	Mode   lease.Mode
	Age    lease.Age
}

// List gives the whole graph, ascending by name of lock (O10). It is for
// operators and tests: it takes time and memory for all of it.
func (g *Graph) List() []Contention {
	var list []Contention
	for i := range g.nodes.cells {
		if lock := nodeRef(i); g.nodes.at(lock).lock != nil {
			list = append(list, g.contention(lock))
		}
	}
	slices.SortFunc(list, func(a, b Contention) int {
		return strings.Compare(a.Lock.Name, b.Lock.Name)
	})
	return list
}

func (g *Graph) contention(lock nodeRef) Contention {
	l := g.nodes.at(lock)
	c := Contention{Lock: l.lock}
	for ref := l.oldest; ref != 0; ref = g.holdings.at(ref).newer {
		h := g.holdings.at(ref)
		c.Holders = append(c.Holders, Holder{g.nodes.at(h.client).client, h.mode, h.token})
	}
	for ref := l.behind; ref != lock; ref = g.nodes.at(ref).behind {
		w := g.nodes.at(ref)
		c.Queue = append(c.Queue, Waiter{w.client, w.mode, w.age})
	}
	return c
}
