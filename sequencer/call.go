package sequencer

import "github.com/leasekeeper/lkactor/actors/lease"

// Call is a submission: operations to be handled in their order, with nothing of
// anybody else's promised or excluded between them.
type Call struct {
	Ops     []lease.Operation
	Results []lease.Result // as long as Ops
	// Stamps gets the place of each operation in the order; as long as Ops, or nil
	// if nobody wants to know.
	Stamps []lease.Stamp

	// Err is why the call could not be finished; the results are then not to be
	// used.
	Err error
	// Done is called once, on the sequencer's turn, when Results or Err is
	// complete and may be told. It must not block.
	Done func(*Call)
	// Ready is for Done and whoever waits for it; the sequencer never looks at
	// it.
	Ready chan struct{}

	// plan, if not nil, gives the operations when the call is stamped. Such a call is an
	// intake of its own; with none to do it is answered without having been one.
	plan func() ([]lease.Operation, error)

	taken int // operations taken so far
}

// prepare has a call that is planned get its operations. It tells whether there are
// any; if not, the call is finished.
func (c *Call) prepare() bool {
	if c.plan != nil {
		c.Ops, c.Err = c.plan()
		c.Results = make([]lease.Result, len(c.Ops))
		c.plan = nil // should the call take more than one intake, it goes on
	}
	return c.Err == nil && len(c.Ops) > 0
}

// sliceEnd is where the part of the call ends that belongs to the next intake.
func (c *Call) sliceEnd() int { return min(c.taken+sliceLimit, len(c.Ops)) }

// Intake is what the sequencer takes from its queue in one go: calls whose
// operations are stamped, one call after the other, before any of them is
// answered.
type Intake struct{ Calls []*Call }

// sliceLimit is how many operations of one call belong to one intake. The rest
// of a longer call goes to the end of the queue, so that it does not hold up the
// others.
const sliceLimit = 4096
