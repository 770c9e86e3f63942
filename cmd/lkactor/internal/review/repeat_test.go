package review

import (
	"fmt"
	"testing"

	"github.com/leasekeeper/lkactor/actors/lease"
	"github.com/leasekeeper/lkactor/actors/oplog"
)

// templates of repeats in which clients of many runs fight over a few locks, in rings, too.
var templates = []string{
	`["acquire","c{i%5}","L{i%3}",4]`, `["acquire","c{i+1%5}","L{i+2%3}",9,"shared"]`, `["acquire","c{i%4}","L{i%4}",30]`,
	`["acquire","c{i%4}","L{i+1%4}",30]`, `["renew","c{i%5}","L{i%3}",6]`, `["release","c{i%5}","L{i+1%3}"]`,
	`["inspect","L{i%3}"]`, `["status","c{i%5}"]`, `["write","L{i%3}","k","w{i}",1]`, `["write","L1","k","v{i}",2]`,
	`["read","L{i%3}","k"]`, `["acquire","c{i}","L1","{i}"]`, `["nothing"]`,
}

// What the events of a run say of its answer is what the tally counts it under.
func TestRunsAreCountedUnderTheirLabels(t *testing.T) {
	labels := met{}
	log := func(*trial) []lease.Operation { return nil }
	try(t, count(), 18, log, func(t *trial) {
		r := New(nil)
		for number := int64(1); number <= 20; number++ {
			text := fmt.Sprintf(`["repeat",%d,%d,%d,%s]`, 10*number, 1+t.rng.IntN(12), t.rng.IntN(3), templates[t.rng.IntN(len(templates))])
			var op lease.Operation
			oplog.ParseOperation(text, &op, lease.Plain)
			f := r.Do(number, &op, text, "null") // which is wrong, so that there is something to see
			want, _ := parse(f.Expected).value.(map[string]any)
			counts := map[string]int{}
			for i := 0; i < len(r.events); {
				first := i
				for i++; i < len(r.events) && r.events[i].Place == r.events[first].Place; i++ {
				}
				if run := r.events[first:i]; run[0].Run > 0 {
					label := labelOf(run)
					labels[label]++
					counts[label]++
				}
			}
			if ours := tallies(want); fmt.Sprint(counts) != fmt.Sprint(ours) {
				t.fatalf("%s: the events give %v, the tally is %v", text, counts, ours)
			}
		}
	})
	labels.all(t, []string{"granted", "queued", "deadlock", "renewed", "released", "withdrawn", "ok", "other", "v1",
		"error: client busy", "error: not holder", "error: stale token", "error: invalid arguments", "error: unknown operation"})
}
