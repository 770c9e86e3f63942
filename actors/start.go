package actors

import (
	"fmt"
	"log/slog"
	"time"

	"github.com/asynkron/protoactor-go/actor"
	"github.com/google/uuid"

	"github.com/leasekeeper/lkactor/actors/internal/mailbox"
	"github.com/leasekeeper/lkactor/actors/lease"
	"github.com/leasekeeper/lkactor/sequencer"
)

// Start starts a lock service inside the system. Any number of engines can live
// in one system; they share nothing. Options that make no sense are an error, as is a
// journal that cannot be gone on from.
func Start(system *actor.ActorSystem, options ...Option) (*Engine, error) {
	cfg, err := configure(options)
	if err != nil {
		return nil, err
	}
	e := &Engine{
		system:  system,
		id:      uuid.New(),
		queue:   mailbox.NewIntake(ErrStopped),
		gate:    newGate(cfg.limits.Operations, cfg.hasty),
		stopped: make(chan struct{}),
	}
	e.overload.begun = wallTime()
	e.calls.New = func() any { return newCall() }
	e.done = e.answered
	e.desk = newDesk(e)
	if err := e.begin(&cfg); err != nil {
		return nil, err
	}
	e.queue.Guard(e.admit, e.leave, e.deny)
	e.sweeps = time.AfterFunc(never, func() { e.remind(&sequencer.Sweep{}) })
	e.sweeps.Stop() // until the sequencer has worked
	pid, err := system.Root.Copy().WithGuardian(neverRestart).SpawnNamed(
		actor.PropsFromProducer(e.producer(&cfg), actor.WithMailbox(func() actor.Mailbox { return e.queue })),
		"lkactor-"+e.id.String())
	if err != nil {
		e.report.close()
		e.metrics.close()
		return nil, fmt.Errorf("lkactor: start the sequencer: %w", err)
	}
	e.pid = pid
	return e, nil
}

// begin brings back what a journal has, and gives the engine its clock and those who
// look at it.
func (e *Engine) begin(cfg *config) (err error) {
	if cfg.journal != nil {
		e.queue.Gather = true
		if err := e.resume(cfg); err != nil {
			return err
		}
	}
	if e.time, err = newTimeline(cfg.clock, cfg.origin); err != nil {
		return err
	}
	if e.time != nil {
		if e.metrics, err = newMetrics(cfg.meter, e.overload.refused.Load); err != nil {
			return fmt.Errorf("lkactor: make the metrics: %w", err)
		}
	}
	e.report = newReporter(cfg.log, e.id)
	e.report.say(slog.LevelInfo, "engine starts", slog.Bool("clock", e.time != nil), slog.Bool("journal", cfg.journal != nil))
	if e.time != nil {
		e.report.watch(&cfg.order)
	}
	return nil
}

// producer gives what makes the engine's sequencer.
func (e *Engine) producer(cfg *config) actor.Producer {
	crew := e.queue.Crew()
	c := sequencer.Config{
		Cast:     cfg.dispatch.cast(crew, cfg.recast),
		Settings: cfg.order,
		From:     cfg.from,
		Again:    e.queue.Submit,
		Later:    func() { e.sweeps.Reset(cfg.idle) },
		GiveWay:  func() { e.sweeps.Reset(min(cfg.idle, sweepPause)) },
		Halted:   e.halted.Load,
		Failed:   e.fail,
		Stopping: crew.Close,
		Stopped:  e.ended,
		Other:    e.other,
		Left:     e.leave,
		Explain:  e.explain,
	}
	if e.time != nil {
		c.Now, c.Wake = e.time.now, e.wake
		c.Capacity = cfg.limits.capacity()
		c.TidyLater = e.tidyLater(cfg.forget)
		if e.metrics != nil {
			c.Meter = e.metrics
		}
	}
	if cfg.journal != nil {
		c.Log, c.Synced = cfg.journal, e.synced.load
	}
	return func() actor.Actor { return sequencer.NewActor(c) }
}

// wake sets the alarm.
func (e *Engine) wake(at lease.Instant) {
	d := e.time.until(at)
	if e.alarm == nil {
		e.alarm = e.time.clock.AfterFunc(d, func() { e.remind(&sequencer.Due{}) })
		return
	}
	e.alarm.Reset(d)
}

// tidyLater gives what has the sequencer tidy up when so much time has elapsed, nil
// if it is never to.
func (e *Engine) tidyLater(d time.Duration) func() {
	if d <= 0 {
		return nil
	}
	return func() {
		if e.tidies == nil {
			e.tidies = e.time.clock.AfterFunc(d, func() { e.remind(&sequencer.Tidy{}) })
			return
		}
		e.tidies.Reset(d)
	}
}

// remind sends the sequencer a message of the engine's own, unless it is ending.
func (e *Engine) remind(message any) {
	if e.gate.visit() {
		e.queue.PostUserMessage(message) // the PID may not be there yet
		e.gate.part()
	}
}

// admit lets a request in if there is room for it now.
func (e *Engine) admit() error {
	err := e.gate.tryEnter(1)
	if err == ErrOverloaded {
		e.overloaded(1)
	}
	return err
}

// leave says that a request that was admitted needs no answer any more.
func (e *Engine) leave() { e.gate.leave(1) }

// deny answers a request that is not handled.
func (e *Engine) deny(sender *actor.PID, err error) {
	if sender == nil {
		return
	}
	if err == ErrStopped {
		err = e.refusal()
	}
	e.system.Root.Send(sender, &Reply{Err: err})
}

// quench stops a timer. Its clock may be anybody's; what it does now harms no engine.
func quench(t Timer) {
	defer func() { _ = recover() }()
	t.Stop()
}

// ended is called on the sequencer's last turn.
func (e *Engine) ended() {
	for _, t := range []Timer{e.alarm, e.tidies} {
		if t != nil {
			quench(t)
		}
	}
	e.report.say(slog.LevelInfo, "engine has stopped")
	e.report.close()
	e.metrics.close()
	close(e.stopped)
}
