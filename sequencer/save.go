package sequencer

import (
	"cmp"
	"iter"
	"slices"

	"github.com/leasekeeper/lkactor/actors/lease"
)

// State is a whole state but for its clients and locks: what belongs to none of
// them.
type State struct {
	Seq        uint64        // operations taken
	Now        lease.Instant // the latest instant reached; lease.Dawn for none
	Registered lease.Age     // the last age given out (C2)
	Floor      lease.Token   // the highest token ever forgotten (E4)

	Clients, Locks int // how many follow
}

// ClientState is one client: what it holds and awaits stands with the locks.
type ClientState struct {
	Name     string
	Age      lease.Age
	Requests []RequestState // the oldest first
}

// RequestState is what a client has asked under an id, and its result (E3). The
// kind, the arguments and the id of Op matter; its instant does not.
type RequestState struct {
	Op     lease.Operation
	At     lease.Instant
	Result lease.Result
}

// LockState is one lock. The claims' clients are by name.
type LockState struct {
	Name   string
	Rest   lease.Residue
	Claims *lease.Claims // nil if nobody holds or awaits it
}

// Save gives the whole state of an order that is frozen, for [Loader] to bring
// back: every client and lock that anybody could tell from one never heard of,
// ascending by name. Orders that have come to one state, by whatever way, give
// equal values; what is no part of the state, such as what routing believes, is
// worked out anew. The lists must be gone through before the order is used again.
func (q *Sequencer) Save() (State, iter.Seq[ClientState], iter.Seq[LockState]) {
	clients := sorted(&q.clients, func(c *ClientEntry) bool { return c.age != 0 || q.requestsOf(c) != nil }, clientName)
	locks := sorted(&q.locks, func(l *LockEntry) bool { return l.ID != 0 }, entryName)
	state := State{
		Seq: q.seq, Now: q.now, Registered: q.registered, Floor: q.floor,
		Clients: len(clients), Locks: len(locks),
	}
	return state,
		func(yield func(ClientState) bool) {
			for _, c := range clients {
				if !yield(ClientState{Name: c.Name, Age: c.age, Requests: q.requestsOf(c)}) {
					return
				}
			}
		},
		func(yield func(LockState) bool) {
			for _, l := range locks {
				if !yield(LockState{Name: l.Name, Rest: q.residue(l), Claims: q.dormant.claims(l.ID)}) {
					return
				}
			}
		}
}

func clientName(c *ClientEntry) string { return c.Name }
func entryName(l *LockEntry) string    { return l.Name }

// sorted gives the entries of a slab that are wanted, ascending by name.
func sorted[T any](s *slab[T], want func(*T) bool, name func(*T) string) []*T {
	all := make([]*T, 0, s.size)
	for id := uint32(1); id <= s.size; id++ {
		if e := s.at(id); name(e) != "" && want(e) { // a name is never empty (O6): it was dropped
			all = append(all, e)
		}
	}
	slices.SortFunc(all, func(a, b *T) int { return cmp.Compare(name(a), name(b)) })
	return all
}

// requestsOf gives what is still remembered of the client's requests. Those
// that have been forgotten by now are the oldest, since time does not go back.
func (q *Sequencer) requestsOf(c *ClientEntry) []RequestState {
	if c.requests == nil {
		return nil
	}
	var all []RequestState
	for n := c.requests.first; n != 0; {
		r := q.asked.requests.at(n)
		if !r.over(q.now) {
			all = append(all, RequestState{Op: r.operation(c.Name), At: r.at, Result: r.result()})
		}
		n = r.later
	}
	return all
}
