package actors

import (
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"github.com/leasekeeper/lkactor/sequencer"
)

// overloadPause is between two lines of an engine's log that tell of refusals for want of
// room.
const overloadPause = time.Second

// overload counts the operations for which an engine had no room ([ErrOverloaded]).
type overload struct {
	begun   time.Time
	refused atomic.Uint64 // operations, by whichever way they came
	next    atomic.Int64  // when a line of the log may be asked for again, since begun
	told    uint64        // of refused, in the log so far; on the sequencer's turn
}

// crowded has the sequencer tell of refusals in the engine's log.
type crowded struct{}

// overloaded takes note that so many operations were refused. It is called by whoever
// submits them; the log is written on the engine's turn, at most once a pause.
func (e *Engine) overloaded(n int) {
	o := &e.overload
	o.refused.Add(uint64(n))
	if e.report == nil {
		return
	}
	now := int64(wallTime().Sub(o.begun))
	if next := o.next.Load(); now >= next && o.next.CompareAndSwap(next, now+int64(overloadPause)) {
		e.remind(&crowded{})
	}
}

// other takes messages that the sequencer does not know.
func (e *Engine) other(turn *sequencer.Actor, ctx actor.Context) {
	if _, ok := ctx.Message().(*crowded); !ok {
		e.desk.serve(turn, ctx)
		return
	}
	o := &e.overload
	refused := o.refused.Load()
	e.report.say(slog.LevelWarn, "overloaded", slog.Uint64("refused", refused-o.told), slog.Uint64("total", refused),
		slog.Int64("room", e.gate.room))
	o.told = refused
}
