package claim

import "github.com/leasekeeper/lkactor/actors/lease"

// Backoff is how long to stay away before trying again: it doubles from First to
// Most, and half of it is left to chance, so that those who failed together do
// not meet again.
type Backoff struct {
	First, Most lease.Duration // First above zero, Most not below it
}

// Delay is that before the n-th repetition, counted from 1; chance is from 0 to 1.
func (b Backoff) Delay(n int, chance float64) lease.Duration {
	whole := b.First
	for ; n > 1 && whole < b.Most; n-- {
		whole += min(whole, b.Most-whole)
	}
	half := whole / 2
	return whole - half + min(half, lease.Duration(chance*float64(half))) // the product may be rounded up
}
