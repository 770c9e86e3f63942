package lease

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
	Explain   bool    // AskVictim: wanted is Deadlock as well

	// Steps is how many edges the graph has looked at so far.
	Steps uint64
	// Found answers AskBegin. For AskVictim it tells whether there is a Victim.
	Found  bool
	Victim *Client
	// Deadlock is why there is a Victim, if that was to be explained.
	Deadlock *Deadlock

	// Failure and Done are as for a Lane.
	Failure error
	Done    func()
}
