package main

import (
	"fmt"
	"time"
)

// job is a piece of work and the locks it is done under.
type job struct {
	name  string
	after time.Duration // when it is submitted
	locks []string      // in the order in which it takes them
	parts int           // what it writes under each of its locks, one step a part
	stall int           // before which part its worker stalls; zero for none
}

// What a step takes, and for how long a worker stalls: long past the end of a
// lease.
const (
	step    = 100 * time.Millisecond
	ttl     = 5 * step
	stalled = 20 * step
)

// plan is what is submitted.
var plan = []*job{
	{name: "rollup", after: 1 * step, locks: []string{"warehouse", "catalog"}, parts: 2},
	{name: "reindex", after: 3 * step / 2, locks: []string{"catalog", "warehouse"}, parts: 2},
	{name: "export", after: 2 * step, locks: []string{"exports/daily"}, parts: 3, stall: 3},
	{name: "export, once more", after: 8 * step, locks: []string{"exports/daily"}, parts: 3},
}

func key(part int) string { return fmt.Sprint("part ", part) }
