package actors

import (
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/asynkron/protoactor-go/actor"
	"go.opentelemetry.io/otel/metric"

	"github.com/leasekeeper/lkactor/actors/lease"
	"github.com/leasekeeper/lkactor/sequencer"
)

// Option changes how an engine runs. Only WithDialect has a say in results.
type Option func(*config)

type config struct {
	dispatch Dispatch
	order    sequencer.Settings
	from     *sequencer.Sequencer
	keep     *sequencer.Keep // nil for what the policy keeps
	idle     time.Duration
	clock    Clock // nil for an engine without one
	origin   origin
	log      *slog.Logger // nil for silence
	meter    metric.Meter // nil for no metrics
	limits   Limits
	hasty    bool // nobody waits for room
	forget   time.Duration
	journal  Journal                           // nil for an engine that forgets
	recast   func(part string, p *actor.Props) // for tests
	dialect  *lease.Dialect                    // if one was asked for
	wrong    []error                           // what makes no sense of itself
}

// configure gives what the options say, or what makes no sense about them: an engine
// that is not the one asked for is not started.
func configure(options []Option) (config, error) {
	c := config{
		dispatch: OwnGoroutine,
		order: sequencer.Settings{
			Limits: func() int { return DefaultBatch },
		},
		idle:   DefaultIdle,
		forget: DefaultForget,
	}
	for _, o := range options {
		if o != nil {
			o(&c)
		}
	}
	if c.journal != nil && c.clock == nil {
		c.clock = SystemClock()
	}
	if err := c.check(); err != nil {
		return c, fmt.Errorf("lkactor: start: %w", err)
	}
	c.limits = c.limits.or(DefaultLimits)
	if c.clock != nil {
		c.order.Dialect = lease.Live
	}
	if c.order.Keep = c.dispatch.keep(); c.keep != nil {
		c.order.Keep = *c.keep
	}
	return c, nil
}

// check finds options that are at odds with each other, or with themselves.
func (c *config) check() error {
	d := c.dialect
	switch {
	case d == nil:
	case *d > lease.Live:
		c.refuse("WithDialect(%d) is no dialect", *d)
	case *d == lease.Plain && c.clock != nil:
		c.refuse("WithDialect(lease.Plain) has no meaning with a clock or a journal: it makes an engine's operations live ones")
	default:
		c.order.Dialect = *d
	}
	switch {
	case c.origin == origin{}:
	case c.clock == nil:
		c.refuse("WithOrigin has no meaning without WithClock")
	case c.journal != nil:
		c.refuse("WithOrigin has no meaning with WithJournal, which has an origin of its own")
	}
	return errors.Join(c.wrong...)
}

// refuse notes down what is wrong with the options.
func (c *config) refuse(format string, args ...any) {
	c.wrong = append(c.wrong, fmt.Errorf(format, args...))
}

// WithDispatch chooses whose goroutine serves the locks; [OwnGoroutine] if not
// given.
func WithDispatch(d Dispatch) Option {
	return func(c *config) {
		if c.dispatch = d; d > ProtoDefault {
			c.refuse("WithDispatch(%d) is no policy", d)
		}
	}
}

// WithBatchLimits asks limits before each batch how many operations it may hold,
// on the sequencer's turn. Values outside 1 to sequencer.MaxBatch count as the
// nearest of them. Without it every batch may hold [DefaultBatch].
func WithBatchLimits(limits func() int) Option {
	return func(c *config) {
		if c.order.Limits = limits; limits == nil {
			c.refuse("WithBatchLimits(nil) has nobody to ask")
		}
	}
}

// WithKeep says how many locks and clients may have an actor before idle ones give
// theirs back; [sequencer.DefaultKeep], or [InlineKeep] under that policy, if not
// given. What the rules need of them is kept in any case.
func WithKeep(locks, clients int) Option {
	return func(c *config) { c.keep = &sequencer.Keep{Locks: locks, Clients: clients} }
}

// WithIdle says how long a lock or client may be idle before it gives its actor
// back, whether or not others need the room: between once and twice that time, longer
// where many are idle and the engine has other things to do, and no later than it is
// forgotten (WithForget); [DefaultIdle] if not given, and never less than [MinIdle].
func WithIdle(d time.Duration) Option { return func(c *config) { c.idle = max(d, MinIdle) } }

// WithDialect says whether the engine's operations are those of plain logs, in
// whole seconds, or of live ones, in nanoseconds (E); lease.Plain if not given, lease.Live
// with a clock.
func WithDialect(d lease.Dialect) Option { return func(c *config) { c.dialect = &d } }

// WithWatch has watch told of every effect on the sequencer's turn, in the order
// of operations; leases that end are noticed at once, in the order in which they
// end, also on locks that nobody touches again. watch must not block, nor keep the
// effect.
func WithWatch(watch func(*lease.Effect)) Option { return func(c *config) { c.order.Watch = watch } }

// WithClock makes the engine live: its operations are those of rule E, stamped by
// the clock when the engine takes them, whatever instant they carry; leases end,
// and locks are handed over, when it is time; and who subscribes to a client is
// told. For all but tests the clock is [SystemClock].
func WithClock(clock Clock) Option {
	return func(c *config) {
		if c.clock = clock; clock == nil {
			c.refuse("WithClock(nil) is no clock: leave it out for an engine without one")
		}
	}
}

// WithOrigin has the instants of an engine with a clock continue those of an earlier
// one (E5): zero is the wall time of instant 0, last the latest instant reached.
// Without it instant 0 is when the engine is started.
func WithOrigin(zero time.Time, last lease.Instant) Option {
	return func(c *config) { c.origin = origin{zero: zero, last: last} }
}

// WithLogger has the engine say in log what whoever runs it should know: that it
// starts, stops or fails, who is aborted and why, who is evicted, which subscribers are
// slow or gone, that it is overloaded (at most once a second); at the level of
// debugging, every lease that runs out. It is written on a goroutine of its own, and
// what comes too fast for that is counted instead. Without it nothing is said.
func WithLogger(log *slog.Logger) Option { return func(c *config) { c.log = log } }

// WithLimits changes how much the engine takes on; [DefaultLimits] if not given.
func WithLimits(l Limits) Option { return func(c *config) { c.limits = l } }

// WithoutWaiting has callers for whose operations there is no room told so at once.
func WithoutWaiting() Option { return func(c *config) { c.hasty = true } }

// WithForget says how long a lock may be idle before an engine with a clock forgets
// it, and a client before it is closed (E4): between once and twice that time since its
// last use or the end of its last lease, however long its actor is kept (WithIdle);
// [DefaultForget] if not given, an hour: so by default the token of a lock that was idle
// for longer may jump, and a client that was is the youngest when it comes back; never
// if it is not positive. A client that is subscribed to is not closed. Request ids are
// remembered for 24 hours all the same (E3), also those of a client that was closed; it is
// no client any more, to [Limits] or to [Engine.Clients], and its record goes with the last.
func WithForget(d time.Duration) Option { return func(c *config) { c.forget = d } }

// WithMeter has an engine with a clock record metrics, all named lkactor.…: grants,
// lapses, deadlocks, victims, edges visited and operations refused for want of room as
// counters; how long requests wait and leases last, how long queues are and how many operations run together as histograms.
// They are of the whole engine: there are no attributes with names of locks or clients.
// Without it nothing is measured.
func WithMeter(m metric.Meter) Option { return func(c *config) { c.meter = m } }
