// Package answer compares results. It owns the notion that two levels of the
// benchmarks agree, and knows nothing of how they got there.
package answer

import (
	"maps"
	"slices"

	"github.com/leasekeeper/lkactor/actors/lease"
)

// Equal tells whether two results say the same. An empty list and none at all
// are the same.
func Equal(a, b *lease.Result) bool {
	x, y := *a, *b
	x.Detail, y.Detail = nil, nil
	return x == y && equalDetail(a.Detail, b.Detail)
}

// FirstDifference gives the index at which two lists of one length differ, or -1.
func FirstDifference(a, b []lease.Result) int {
	for i := range a {
		if !Equal(&a[i], &b[i]) {
			return i
		}
	}
	return -1
}

func equalDetail(a, b *lease.Detail) bool {
	if a == nil || b == nil {
		return a == b
	}
	return slices.Equal(a.Victims, b.Victims) &&
		equalPointers(a.Lock, b.Lock, func(x, y *lease.LockView) bool {
			return slices.Equal(x.Holders, y.Holders) && slices.Equal(x.Queue, y.Queue)
		}) &&
		equalPointers(a.Client, b.Client, func(x, y *lease.ClientView) bool {
			return x.Age == y.Age && x.Waiting == y.Waiting && slices.Equal(x.Holds, y.Holds)
		}) &&
		equalPointers(a.Tally, b.Tally, func(x, y *lease.Tally) bool {
			return x.Ops == y.Ops && x.Aborted == y.Aborted && maps.Equal(counts(x), counts(y))
		})
}

// equalPointers compares what two pointers point to; nil equals only nil.
func equalPointers[T any](a, b *T, equal func(x, y *T) bool) bool {
	if a == nil || b == nil {
		return a == b
	}
	return equal(a, b)
}

func counts(t *lease.Tally) map[string]int64 {
	m := make(map[string]int64)
	t.Each(func(label string, count int64) { m[label] = count })
	return m
}
