package lease

// NoteKind is what a [Note] says or asks.
type NoteKind uint8

// The notes a client actor understands.
const (
	// NoteEffect reports Effect, which concerns the client.
	NoteEffect NoteKind = iota + 1
	// NoteStatus asks for the client's status as of Now into Result (C3).
	NoteStatus
	// NoteHolds asks for the locks of the client's leases, live or not yet
	// known to have lapsed, into Post.Holds.
	NoteHolds
)

// Note is one line of a [Post].
type Note struct {
	Kind   NoteKind
	Now    Instant
	Effect Effect
	Result *Result
}

// Post is the part of one batch that concerns one client, in the order of
// operations: the one message that a client actor receives per batch. Like a
// [Lane] it is owned by whoever holds it last in the exchange.
type Post struct {
	Client *Client
	// Rest is the age that a client actor which has just been made starts from.
	Rest Age

	Notes []Note

	// Leave has the client actor go once the notes are taken.
	Leave bool

	// Holds answers a NoteHolds: ascending by name.
	Holds []*Lock

	// Failure and Done are as for a Lane.
	Failure error
	Done    func()
}

// Ask is what an [Inquiry] wants to know.
type Ask uint8

// The questions to the deadlock actor.
const (
	// AskNothing: only take the effects.
	AskNothing Ask = iota
	// AskBegin: is Requester, who has just been queued, on a cycle (D3)?
	AskBegin
	// AskVictim: who is to be aborted next for the requester of the last
	// AskBegin, the effects of the aborts so far included (D4)?
	AskVictim
)

// Inquiry is the message to the deadlock actor: effects on contended locks in
// the order of operations, then at most one question.
type Inquiry struct {
	Effects []*Effect

	Ask       Ask
	Requester *Client // AskBegin

	// Found answers AskBegin. For AskVictim it tells whether there is a Victim.
	Found  bool
	Victim *Client

	// Failure and Done are as for a Lane.
	Failure error
	Done    func()
}
