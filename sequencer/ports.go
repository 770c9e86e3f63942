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

// Direct is Ports to cores that answer at once and cannot fail. With them there
// is nothing to be gained by gathering: every operation runs when it is taken.
type Direct interface {
	Ports
	// Lock has one lane run.
	Lock(lane *Lane)
	// Tie tells the deadlock graph of one effect.
	Tie(e *lease.Effect)
}

// Seat is whoever takes messages of one kind: a core itself, or the mailbox of
// the actor around it, which may answer later.
type Seat[M any] interface{ Run(message *M) }

// The seats that the directory keeps, and that of the deadlock actor.
type (
	LockSeat   = Seat[lease.Lane]
	ClientSeat = Seat[lease.Post]
	GraphSeat  = Seat[lease.Inquiry]
)

// Lane is a lease.Lane and the directory's entry of its lock.
type Lane struct {
	lease.Lane
	Entry *LockEntry

	attempts
	rest lease.Residue // what Rest points at

	next *Lane  // the one that this one sends on its way
	pass func() // does so; bound once
}

// Post is a lease.Post and the directory's entry of its client.
type Post struct {
	lease.Post
	Entry *ClientEntry
	due   bool // it will be delivered with the batch in hand
	place int  // where it stands among the open ones

	few [notesKept]lease.Note // what Notes starts with
}
