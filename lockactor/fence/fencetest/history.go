package fencetest

import (
	"fmt"

	"github.com/leasekeeper/lkactor/actors/lease"
)

// Kind is what an [Event] asked.
type Kind uint8

// The three methods of a store.
const (
	WriteEvent    Kind = iota // Key, Value and Token were asked
	ReadEvent                 // Key was asked; Found and Value were answered
	AcceptedEvent             // Token was answered
)

// End is how an [Event] ended.
type End uint8

// The ends of a call. Calls that had no answer and asked for nothing but one are
// in no history.
const (
	// Done: a write was accepted, or a question answered.
	Done End = iota
	// Refused: a write was refused as stale; Event.Accepted says by which token.
	Refused
	// Unknown: a write may have been done, at any time since, or not at all.
	Unknown
)

// Event is one call of a store, and what it answered.
type Event struct {
	// Call and Return number the beginnings and ends of all calls of a history
	// in the order in which they happened. Two calls overlap unless one's Return
	// is below the other's Call.
	Call, Return int64

	Kind     Kind
	End      End
	Scope    string
	Key      string
	Value    string // unique among the writes of a history
	Found    bool
	Token    lease.Token
	Accepted lease.Token
}

// String shows the event in one line.
func (e Event) String() string {
	span := fmt.Sprintf("[%d,%d] ", e.Call, e.Return)
	if e.optional() {
		span = fmt.Sprintf("[%d,…] ", e.Call)
	}
	switch {
	case e.Kind == ReadEvent && !e.Found:
		return span + fmt.Sprintf("read %q: nothing", e.Key)
	case e.Kind == ReadEvent:
		return span + fmt.Sprintf("read %q: %q", e.Key, e.Value)
	case e.Kind == AcceptedEvent:
		return span + fmt.Sprintf("accepted so far: %d", e.Token)
	case e.End == Refused:
		return span + fmt.Sprintf("write %q=%q with %d: refused by %d", e.Key, e.Value, e.Token, e.Accepted)
	case e.End == Unknown:
		return span + fmt.Sprintf("write %q=%q with %d: unknown", e.Key, e.Value, e.Token)
	}
	return span + fmt.Sprintf("write %q=%q with %d: accepted", e.Key, e.Value, e.Token)
}

// level gives the highest accepted token of the scope right after the event;
// known is false where the event does not tell: a read, and a write of which it
// is not known whether it was done.
func (e *Event) level() (token lease.Token, known bool) {
	switch {
	case e.Kind == AcceptedEvent, e.Kind == WriteEvent && e.End == Done:
		return e.Token, true
	case e.Kind == WriteEvent && e.End == Refused:
		return e.Accepted, true
	}
	return 0, false
}

// observes tells that the event changes nothing.
func (e *Event) observes() bool { return e.Kind != WriteEvent || e.End == Refused }

// History is what a store has answered to calls that overlapped.
type History []Event
