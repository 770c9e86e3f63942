package deadlock

import (
	"fmt"
	"testing"

	"github.com/leasekeeper/lkactor/actors/lease"
)

// A crowd of bystanders goes one by one. Only the first are explained, so that whoever
// watches does not make the work of an acquire grow with the square of the crowd.
func TestManyVictimsAreNotAllExplained(t *testing.T) {
	const crowd = 3_000
	r := newRig(t, 1)
	r.cast("holder", "z")
	r.take("holder", "L", exclusive)
	r.take("z", "K", exclusive)
	for i := range crowd {
		name := fmt.Sprint("bystander", i)
		r.cast(name)
		r.waitInVain(name, "L")
	}
	r.waitInVain("holder", "K")
	r.wantCycle("z", "L")

	victims, explained := 0, 0
	work := r.spent(func() {
		for {
			d := r.graph.Deadlock()
			if d == nil {
				return
			}
			victims++
			if !d.Stale {
				explained++
			}
			left := crowd + 3 - victims
			last := d.Members[len(d.Members)-1]
			if want := fmt.Sprint("bystander", crowd-victims); victims <= crowd && (d.Victim.Name != want || !d.Bystander || d.Age != r.table.client(want).age) {
				t.Fatalf("victim %d is %s, age %d, a bystander: %v; want %s", victims, d.Victim.Name, d.Age, d.Bystander, want)
			}
			if !d.Stale && (d.Count != left || len(d.Members) != lease.MostMembers || last.Client != d.Victim || len(d.Cycle) != 2 || len(d.Through) != 3) {
				t.Fatalf("victim %d: %d clients on cycles, %d named, the last %s, cycles of %d and %d edges",
					victims, d.Count, len(d.Members), last.Client.Name, len(d.Cycle), len(d.Through))
			}
			r.table.abort(r.table.client(d.Victim.Name))
		}
	})
	if victims != crowd+1 || explained != lease.MostExplained {
		t.Errorf("%d victims, %d explained; want %d, %d", victims, explained, crowd+1, lease.MostExplained)
	}
	if limit := 10*crowd + 4*crowd*lease.MostExplained; work > limit {
		t.Errorf("%d edges looked at, want %d at most", work, limit)
	}

	// The next acquire that closes a cycle is explained again.
	r.take("other", "N", exclusive)
	r.waitInVain("holder", "N")
	r.wantCycle("other", "L")
	if d := r.graph.Deadlock(); d == nil || d.Stale || len(d.Cycle) != 2 || d.Count != 2 {
		t.Errorf("the next deadlock is %+v", d)
	}
}
