package timeline

import (
	"github.com/leasekeeper/lkactor/actors/lease"
	"github.com/leasekeeper/lkactor/actors/story"
	"github.com/leasekeeper/lkactor/cmd/lkactor/internal/telling"
)

// Chart is all that a timeline shows, without a place on paper. Numbers of lanes,
// clients and notes are indexes.
type Chart struct {
	// Title is shown above the chart; it is anybody's text.
	Title string
	Clock telling.Clock

	// From and To are the first and the last instant on the chart. Last is the last one
	// of the log, or of the part that was asked for: what lies behind it is not known
	// from this part.
	From, Last, To lease.Instant
	// Whole says that Last is where the log ends.
	Whole bool

	Lanes   []Lane   // ascending by name (O10)
	Clients []string // by first appearance
	Bars    []Bar    // in the order in which they began
	Marks   []Mark   // in the order in which they happened
	Knots   []Knot   // likewise
	Notes   []Note   // likewise
}

// Lane is a lock and how much room its bars need.
type Lane struct {
	Lock string
	// Leases and Waits are how many rows of bars there are at most at once.
	Leases, Waits int
}

// Bar is a lease, or the wait for one.
type Bar struct {
	Lane, Client int
	Row          int  // from 0, among the leases or the waits of the lane
	Wait         bool // and not a lease
	Mode         lease.Mode
	Token        lease.Token // zero of a wait

	// From is when it began. To is when it ended: of a lease that has not its
	// expires_at, of a wait that has not the end of the chart.
	From, To lease.Instant
	End      End

	// Begin and Finish are the notes of both ends; Finish is [NoNote] while there is none.
	Begin, Finish int
}

// NoNote stands for a note that is not there.
const NoNote = -1

// End is how a bar ended.
type End uint8

// The ways in which a bar ends. Granted and Withdrew are those of waits only, Lapsed
// and Released of leases.
const (
	Open     End = iota // it has not
	Lapsed              // at its expires_at (T2)
	Released            // given up (L4)
	Evicted             // taken by an operator (E4)
	Aborted             // its client was the victim of a deadlock (D5)
	Granted             // it became a lease (Q3)
	Withdrew            // given up (L5)
)

// Mark is something that happened in a moment.
type Mark struct {
	Kind Sign
	Lane int
	Bar  int // that it is on, [NoBar] if it is on the lane
	At   lease.Instant
	Note int
}

// NoBar stands for the bar of a mark that is on none.
const NoBar = -1

// Sign is what a mark stands for, and how it looks.
type Sign uint8

// The signs. Up to SignRenew they are on bars, the others on lanes.
const (
	SignLapse Sign = iota
	SignRelease
	SignWithdraw
	SignEvict
	SignAbort
	SignShorten // a renewal to an earlier instant (L2)
	SignRenew
	SignWrite
	SignRefuse // a write as stale (F1)
	SignFail   // an operation for any other reason
	SignLook   // an answer that changed nothing
	SignOperator
	SignDeadlock
)

// Knot is a deadlock, one round of it.
type Knot struct {
	Lane int // of the lock that the requester asked for
	At   lease.Instant
	Note int
	// Edges are those of the shortest cycle and, behind them, those of the cycle that
	// the victim is on where that is another.
	Edges  []Edge
	Victim int
	Lines  []string // the cycle in words
}

// Edge says who waited for whom: see [story.Edge].
type Edge struct {
	Lane            int
	Waiter, Blocker int
	Token           lease.Token // zero if the blocker stood ahead in the queue
}

// Note is an event in words.
type Note struct {
	At     lease.Instant
	Place  story.Place
	Kind   story.Kind
	Lane   int
	Client int // -1 if there is none
	Text   string
}
