package lease

// Note is what a client is told of one effect: as much of it as the client keeps.
type Note struct {
	Lock      *Lock   // nil for what is about the client itself
	Token     Token   // of the lease
	Until     Instant // expires_at of the lease after the change
	Age       Age     // ChangeRegistered
	Change    Change
	Mode      Mode
	FromQueue bool // ChangeGranted: the request had waited
}

// NoteOf gives what the client of an effect is told.
func NoteOf(e *Effect) Note {
	return Note{
		Lock: e.Lock, Token: e.Token, Until: e.Until, Change: e.Change, Mode: e.Mode, FromQueue: e.FromQueue,
	}
}

// Append adds what a client is told next to what it is yet to be told. What it would
// not notice is left out: a lease that has come and gone before anybody asked, or how
// often it was renewed.
//
// Notes about one lock follow each other as the lock's effects do. Those about others
// in between do not matter: each changes what it is about and nothing else, but for
// the waiting, and a client waits for one lock at a time (C1).
func Append(notes []Note, n *Note) []Note {
	at := len(notes) - 1
	for at >= 0 && notes[at].Lock != n.Lock {
		at--
	}
	if at < 0 || n.Lock == nil {
		return append(notes, *n)
	}
	switch before := &notes[at]; {
	case n.Change == ChangeRenewed:
		before.Until = n.Until // of a lease that was granted or renewed
	case n.Change == ChangeGranted && before.Change == ChangeQueued:
		n.FromQueue = false // that it has waited it was not told
		*before = *n
	case n.Change == ChangeWithdrawn && before.Change == ChangeQueued,
		n.ends() && before.Change == ChangeGranted && !before.FromQueue:
		return append(notes[:at], notes[at+1:]...)
	case n.ends() && before.Change == ChangeGranted:
		n.Change = ChangeWithdrawn // all that is left: it waits no longer
		*before = *n
	case n.ends() && before.Change == ChangeRenewed:
		*before = *n
	default:
		return append(notes, *n)
	}
	return notes
}

// ends tells whether a lease ended.
func (n *Note) ends() bool { return n.Change == ChangeLapsed || n.Change == ChangeReleased }

// QuestionKind is what a [Question] asks.
type QuestionKind uint8

// What a client actor can be asked.
const (
	// AskStatus: the client's status as of Now, into Result (C3).
	AskStatus QuestionKind = iota + 1
	// AskHolds: the locks of the client's leases, live or not yet known to have
	// lapsed, into Post.Holds.
	AskHolds
)

// Question is asked of a client when it has taken the first After notes of its
// post.
type Question struct {
	Kind   QuestionKind
	After  int
	Now    Instant
	Result *Result
}

// Post is what one client is told and asked at a time, in the order of operations.
// Like a [Lane] it is owned by whoever holds it last in the exchange.
type Post struct {
	Client *Client
	// Rest is the age that a client actor which has just been made starts from.
	Rest Age

	Notes     []Note
	Questions []Question // ascending by After

	// Leave has the client actor go once the notes are taken. What the next one
	// must be told first, beside its age, is then in Kept.
	Leave bool
	Kept  []Note

	// Holds answers AskHolds: ascending by name.
	Holds []*Lock

	// Failure and Done are as for a Lane.
	Failure error
	Done    func()
}
