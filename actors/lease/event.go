package lease

// EventKind is what an [Event] tells.
type EventKind uint8

// The kinds of events.
const (
	// EventCurrent: State is how the client stands. It is the first event of a
	// subscription, and the one that stands for events that could not be kept.
	EventCurrent EventKind = iota + 1
	// EventGranted: a request that had waited became a lease at At (Q3). What the answer
	// to the acquire says, that it is granted on the spot or after aborts (D7), is no event.
	EventGranted
	// EventLost: a lease ended at At, for Reason.
	EventLost
	// EventWithdrawn: a request left the queue at At without a grant, for Reason.
	EventWithdrawn
	// EventDeadlock: the client was aborted (D5). It follows the EventLost and the
	// EventWithdrawn of what the client had; Why says why.
	EventDeadlock
	// EventEnded: the engine tells nothing any more, for Err; what the client has is
	// not known from now on.
	EventEnded
)

var eventNames = [...]string{
	EventCurrent: "current", EventGranted: "granted", EventLost: "lost", EventWithdrawn: "withdrawn",
	EventDeadlock: "deadlock", EventEnded: "ended",
}

// String names the kind.
func (k EventKind) String() string { return eventNames[k] }

// Reason is why a lease or a request ended.
type Reason uint8

// The reasons.
const (
	Lapse    Reason = iota + 1 // the lease ran out (T2)
	GivenUp                    // the client released it (L4, L5)
	Eviction                   // an operator took it (E4)
	Abortion                   // its client was the victim of a deadlock (D5)
)

var reasonNames = [...]string{Lapse: "lapsed", GivenUp: "released", Eviction: "evicted", Abortion: "aborted"}

// String names the reason.
func (r Reason) String() string { return reasonNames[r] }

// Reason gives why the lease or request of an effect has ended.
func (e *Effect) Reason() Reason {
	switch {
	case e.Change == ChangeLapsed:
		return Lapse
	case e.Abort:
		return Abortion
	case e.Evict:
		return Eviction
	default:
		return GivenUp
	}
}

// Event is what the subscribers of a client are told. It is a value of its own:
// nobody changes it, and whoever gets it may keep it.
type Event struct {
	Kind   EventKind
	Reason Reason // EventLost, EventWithdrawn
	Mode   Mode   // of the lease or request

	Client string
	Lock   string // EventGranted, EventLost, EventWithdrawn

	Token Token   // of the lease; zero for requests
	At    Instant // when it happened, never when it was noticed (T3)
	Until Instant // EventGranted: expires_at

	// Seq is the number of the operation at which it happened or was noticed; of
	// EventCurrent the last one that State knows of.
	Seq uint64

	State *ClientView  // EventCurrent
	Why   *Explanation // EventDeadlock
	Err   error        // EventEnded
}
