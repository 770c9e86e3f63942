package sequencer

import "github.com/leasekeeper/lkactor/actors/lease"

// Ports is how the order reaches the actors that it does not import. Each method
// returns when everything it was given has been answered; until then nothing it
// was given is touched here. An error means that an actor failed and that its
// state is lost: the sequencer then goes no further.
type Ports interface {
	// Locks has every lane run by its lock, in any order or at once.
	Locks(lanes []*Lane) error
	// Clients has every post taken by its client, in any order or at once.
	Clients(posts []*Post) error
	// Graph has the deadlock actor take an inquiry.
	Graph(inquiry *lease.Inquiry) error
}

// Lane is a lease.Lane and the directory's entry of its lock.
type Lane struct {
	lease.Lane
	Entry *LockEntry
}

// Post is a lease.Post and the directory's entry of its client.
type Post struct {
	lease.Post
	Entry *ClientEntry
}
