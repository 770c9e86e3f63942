package actors

import "github.com/asynkron/protoactor-go/actor"

// Option changes how an engine runs; none changes any result.
type Option func(*config)

type config struct {
	dispatch Dispatch
	limits   func() int
	recast   func(part string, p *actor.Props) // for tests
}

func configure(options []Option) config {
	c := config{
		dispatch: OwnGoroutine,
		limits:   func() int { return DefaultBatch },
	}
	for _, o := range options {
		o(&c)
	}
	return c
}

// WithDispatch chooses whose goroutine serves the locks; [OwnGoroutine] if not
// given.
func WithDispatch(d Dispatch) Option { return func(c *config) { c.dispatch = d } }

// WithBatchLimits asks limits before each batch how many operations it may hold,
// on the sequencer's turn. Values outside 1 to sequencer.MaxBatch count as the
// nearest of them. Without it every batch may hold [DefaultBatch].
func WithBatchLimits(limits func() int) Option { return func(c *config) { c.limits = limits } }
