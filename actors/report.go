package actors

import (
	"context"
	"log/slog"
	"sync/atomic"

	"github.com/google/uuid"
)

// reportsKept is how many lines may wait for the handler of an engine's log.
const reportsKept = 256

// reporter writes an engine's log on a goroutine of its own: a handler that takes
// its time holds up nobody. A nil reporter keeps silent.
type reporter struct {
	handler slog.Handler
	queue   chan slog.Record
	dropped atomic.Uint64 // lines for which there was no room
	done    chan struct{}
}

// newReporter starts a reporter; nil without a logger.
func newReporter(log *slog.Logger, id uuid.UUID) *reporter {
	if log == nil {
		return nil
	}
	r := &reporter{
		handler: log.With(slog.String("engine", id.String())).Handler(),
		queue:   make(chan slog.Record, reportsKept),
		done:    make(chan struct{}),
	}
	go r.write()
	return r
}

// say has a line written. It never blocks. It must not be called after close, and
// only on the sequencer's turn.
func (r *reporter) say(level slog.Level, message string, attrs ...slog.Attr) {
	if r == nil || !r.handler.Enabled(context.Background(), level) {
		return
	}
	record := slog.NewRecord(wallTime(), level, message, 0)
	record.AddAttrs(attrs...)
	select {
	case r.queue <- record:
	default:
		r.dropped.Add(1)
	}
}

func (r *reporter) write() {
	defer close(r.done)
	for record := range r.queue {
		// A handler that fails has nobody to tell it to.
		_ = r.handler.Handle(context.Background(), record)
		if n := r.dropped.Swap(0); n > 0 {
			lost := slog.NewRecord(wallTime(), slog.LevelWarn, "lines of this log were dropped", 0)
			lost.AddAttrs(slog.Uint64("lines", n))
			_ = r.handler.Handle(context.Background(), lost)
		}
	}
}

// close lets what has been said be written; it does not wait for that.
func (r *reporter) close() {
	if r != nil {
		close(r.queue)
	}
}

// written is closed when all has been written.
func (r *reporter) written() <-chan struct{} {
	if r == nil {
		return closed
	}
	return r.done
}

var closed = func() <-chan struct{} {
	c := make(chan struct{})
	close(c)
	return c
}()
