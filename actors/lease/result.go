package lease

// Outcome is the form of a [Result].
type Outcome uint8

// The outcomes, one per form in the result column of rule O.
const (
	Failed     Outcome = iota // "error: <code>", see Result.Code
	Granted                   // ["granted", token, expires_at]
	Queued                    // ["queued", position]
	Deadlocked                // ["deadlock", victims]
	Renewed                   // ["renewed", token, expires_at]
	Released                  // "released"
	Withdrawn                 // "withdrawn"
	Inspected                 // {"holders": …, "queue": …}
	Reported                  // {"age": …, "holds": …, "waiting": …}
	Written                   // "ok"
	Value                     // the value read
	Null                      // null
	Repeated                  // {"ops": …, "results": …}
	Ticked                    // null (E2)
	Bumped                    // ["bumped", counter] (E4)
	Forgotten                 // "forgotten" (E4)
	Closed                    // "closed" (E4)
)

// Result is the answer to one operation. Equal operation logs give equal
// results, so a Result holds nothing that depends on scheduling.
type Result struct {
	Outcome Outcome
	Code    Code // Failed

	Token    Token   // Granted, Renewed; Bumped: the counter
	Until    Instant // Granted, Renewed: expires_at (T2)
	Position int     // Queued: 1 is next in line (Q1)

	Value string // Value

	// Detail holds what only some results have; nil when there is none of it.
	Detail *Detail
}

// Detail is the larger part of a result. Exactly one field is set, and Why
// perhaps beside Victims.
type Detail struct {
	Victims []string    // names in abort order (D7), on Granted, Queued, Deadlocked
	Lock    *LockView   // Inspected
	Client  *ClientView // Reported
	Tally   *Tally      // Repeated

	// Why is for people: Deadlocked, of an engine that explains deadlocks. It is not
	// part of the result's text.
	Why *Explanation
}

// Victims gives the names of the clients aborted by this operation in abort
// order, or nil (D7).
func (r *Result) Victims() []string {
	if r.Detail == nil {
		return nil
	}
	return r.Detail.Victims
}

// Fail is the result of an operation refused with code.
func Fail(code Code) Result { return Result{Outcome: Failed, Code: code} }

// LockView is a lock as inspect shows it: holders by token, lowest first; queue
// oldest first.
type LockView struct {
	Holders []HolderView
	Queue   []WaiterView
}

// HolderView is one live lease of a lock.
type HolderView struct {
	Client string
	Mode   Mode
	Token  Token
	Until  Instant
}

// WaiterView is one queued request of a lock.
type WaiterView struct {
	Client string
	Mode   Mode
}

// ClientView is a client as status shows it: holds sorted by lock name (O10);
// Age zero and Waiting empty stand for null (C3).
type ClientView struct {
	Age     Age
	Holds   []HoldView
	Waiting string
}

// HoldView is one live lease of a client.
type HoldView struct {
	Lock  string
	Mode  Mode
	Token Token
	Until Instant
}
