package review

import (
	"fmt"
	"testing"

	"github.com/leasekeeper/lkactor/actors/lease"
	"github.com/leasekeeper/lkactor/actors/oplog"
)

// The work for one difference does not depend on how many there were before, nor on how
// many clients have to do with the lock: many clients queue for one lock, and every answer
// is wrong in another way.
func TestManyDifferencesAboutOneLock(t *testing.T) {
	wrong := map[string]func(i int) string{
		"positions": func(i int) string { return fmt.Sprintf(`["queued",%d]`, i+7) },
		"victims":   func(i int) string { return fmt.Sprintf(`["queued",%d,["c%d"]]`, i, i-1) },
		"busy":      func(int) string { return `"error: client busy"` },
		"grants":    func(i int) string { return fmt.Sprintf(`["granted",%d,50]`, i) },
	}
	for name, recorded := range wrong {
		each := func(n int) int64 {
			r := New(nil)
			for i := range n {
				op := lease.Operation{Kind: lease.Acquire, At: 1, Client: fmt.Sprint("c", i), Lock: "L", TTL: 50, Mode: lease.Mode(i % 2)}
				answer := ""
				if i > 0 {
					answer = recorded(i)
				}
				if f := r.Do(int64(i+1), &op, textOf(&op), answer); (f == nil) != (answer == "") {
					t.Fatalf("%s: operation %d: found %+v", name, i+1, f)
				}
			}
			return r.Steps() / int64(n)
		}
		if few, many := each(500), each(4000); many > few+10 || few < 1 {
			t.Errorf("%s: %d steps for each of 500 differences, %d for each of 4000", name, few, many)
		}
	}
}

// Failed forgets of a lock with a long queue look at one client each.
func TestManyForgetsOfOneLock(t *testing.T) {
	r := New(new(oplog.Header))
	do := func(i int, op lease.Operation, recorded string) {
		r.Do(int64(i), &op, textOf(&op), recorded)
	}
	const n = 1000
	for i := range n {
		do(i+1, lease.Operation{Kind: lease.Acquire, At: 1, Client: fmt.Sprint("c", i), Lock: "L", TTL: 5e9}, "")
	}
	before := r.Steps()
	for i := range n {
		do(n+i+1, lease.Operation{Kind: lease.Forget, At: 1, Lock: "L"}, `"forgotten"`)
	}
	if each := (r.Steps() - before) / n; each > 12 {
		t.Errorf("%d steps for each forget", each)
	}
}
