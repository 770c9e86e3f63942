package actors

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"sync/atomic"

	"github.com/google/uuid"

	"github.com/leasekeeper/lkactor/actors/lease"
	"github.com/leasekeeper/lkactor/sequencer"
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

// say has a line written. It never blocks. It is called before the sequencer has begun
// or on its turn, so never after close.
func (r *reporter) say(level slog.Level, message string, attrs ...slog.Attr) {
	if !r.wants(level) {
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

// wants tells whether somebody reads lines of that level. A handler that panics when it
// is asked does not: nothing of the engine depends on who looks on.
func (r *reporter) wants(level slog.Level) (yes bool) {
	if r == nil {
		return false
	}
	defer func() { _ = recover() }()
	return r.handler.Enabled(context.Background(), level)
}

func (r *reporter) write() {
	defer close(r.done)
	for record := range r.queue {
		r.handle(record)
		if n := r.dropped.Swap(0); n > 0 {
			lost := slog.NewRecord(wallTime(), slog.LevelWarn, "lines of this log were dropped", 0)
			lost.AddAttrs(slog.Uint64("lines", n))
			r.handle(lost)
		}
	}
}

// handle has the handler write a line. One that fails, or panics, has nobody to tell it
// to.
func (r *reporter) handle(record slog.Record) {
	defer func() { _ = recover() }()
	_ = r.handler.Handle(context.Background(), record)
}

// watch has the reporter say what an engine with a clock does that whoever runs it may
// want to read of: who is aborted and why, who is evicted and, for the very curious, every
// lease that runs out. It changes the settings of the order accordingly.
func (r *reporter) watch(s *sequencer.Settings) {
	if r == nil {
		return
	}
	watch, deadlock := s.Watch, s.Deadlock
	s.Deadlock = func(d *lease.Deadlock) {
		r.deadlock(d)
		if deadlock != nil {
			deadlock(d)
		}
	}
	s.Watch = func(e *lease.Effect) {
		r.effect(e)
		if watch != nil {
			watch(e)
		}
	}
}

func (r *reporter) deadlock(d *lease.Deadlock) {
	if !r.wants(slog.LevelInfo) {
		return
	}
	x := d.Explain()
	var cycle strings.Builder
	for _, w := range x.Cycle {
		fmt.Fprintf(&cycle, "%q waits for %q of ", w.Waiter, w.Lock)
	}
	fmt.Fprintf(&cycle, "%q", x.Cycle[0].Waiter)
	r.say(slog.LevelInfo, "deadlock", slog.String("requester", x.Requester), slog.String("victim", x.Victim),
		slog.String("cycle", cycle.String()))
}

func (r *reporter) effect(e *lease.Effect) {
	switch {
	case e.Evict:
		r.say(slog.LevelInfo, "evicted", slog.String("client", e.Client.Name), slog.String("lock", e.Lock.Name), slog.Int64("token", int64(e.Token)))
	case e.Change == lease.ChangeLapsed:
		r.say(slog.LevelDebug, "lease has run out", slog.String("client", e.Client.Name), slog.String("lock", e.Lock.Name),
			slog.Int64("token", int64(e.Token)))
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
