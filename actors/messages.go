package actors

import (
	"github.com/asynkron/protoactor-go/actor"

	"github.com/leasekeeper/lkactor/actors/lease"
	"github.com/leasekeeper/lkactor/sequencer"
)

// What actors send to the PID of an engine, and what they get back. Every message
// is sent as a pointer.
type (
	// Request is an operation. The answer is a *Reply to its sender; one without a
	// sender is handled all the same.
	Request = sequencer.Request
	// Reply answers a Request.
	Reply = sequencer.Reply
)

// Attach makes an actor the subscriber of a client's events, and has the engine
// watch the actor. It needs an engine with a clock. The answer is an *Attached to
// the sender; then come *Notices to the subscriber, the first of which tells how
// the client stands. An actor that attaches again is told that anew.
type Attach struct {
	Client string
	// To is the subscriber; the sender if it is nil.
	To *actor.PID
	// Instance, unless empty, is who acts for the client. While it is attached no
	// other instance can be, and requests in the client's name are refused unless
	// they carry it; the error matches [ErrClientInUse]. A random uuid serves. Instances
	// are in no journal: after a restart of the engine the first that attaches has the name.
	Instance string
	// AtEnd is what becomes of the client when the actor terminates.
	AtEnd AtEnd
}

// AtEnd is what becomes of a client when its actor has terminated.
type AtEnd uint8

// What can become of it.
const (
	// WithdrawWaits gives up what the client waits for; its leases run out by
	// themselves.
	WithdrawWaits AtEnd = iota
	// ReleaseAll gives up what it waits for and releases its leases.
	ReleaseAll
	// LeaveAll changes nothing: for actors that only look on.
	LeaveAll
)

// Attached answers an Attach, with why it was refused if it was: the error matches
// [ErrClientInUse], [ErrLimit], [ErrNoClock], lease.InvalidArguments (a client without a
// name, or an AtEnd that is none), or says that the engine has ended.
type Attached struct {
	Client string
	Err    error
}

// Detach undoes an Attach. AtEnd has no say. There is no answer; a Notice that is
// on its way still arrives.
type Detach struct {
	Client string
	// To is the subscriber; the sender if it is nil.
	To *actor.PID
}

// Notice tells a subscriber what has become of its client. When the subscriber is
// done with it, it says so (ctx.Respond(notice.Confirm())), and is sent no other
// before: of what happens meanwhile it is told the newest of each kind, lock by lock,
// and where that would be too much, how the client stands.
type Notice struct {
	Client string
	Events []lease.Event

	confirm Confirm
}

// Confirm gives the message by which the subscriber says that it is done with the
// notice. It goes to the sender of the Notice.
func (n *Notice) Confirm() *Confirm { return &n.confirm }

// Confirm says that a Notice has been dealt with; see [Notice.Confirm].
type Confirm struct {
	attachment uint64
	number     uint64
}
