package actors

import "github.com/leasekeeper/lkactor/sequencer"

// WithRecast lets a test put actors of its own into the engine.
func WithRecast(change func(*sequencer.Cast)) Option {
	return func(c *config) { c.recast = change }
}
