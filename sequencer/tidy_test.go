package sequencer

import (
	"fmt"
	"testing"

	"github.com/leasekeeper/lkactor/actors/lease"
)

// round lets the hand of tidy go over everything once, and tells what is to be dropped and
// how many turns that took. The operations are not done.
func round(t *testing.T, q *Sequencer) (ops []lease.Operation, turns int) {
	t.Helper()
	var at tidying
	for at.locks < q.locks.size || at.clients < q.clients.size {
		some, err := q.stale(&at, newHub())
		if err != nil {
			t.Fatal(err)
		}
		if len(some) > tidyOperations {
			t.Fatalf("%d operations in one turn", len(some))
		}
		ops, turns = append(ops, some...), turns+1
	}
	return ops, turns
}

// The two hands do not take each other's marks: seats may be taken between two rounds of
// tidying or not, an unused name is given up by the second, and a used one is not.
func TestE4_TheHandsHaveMarksOfTheirOwn(t *testing.T) {
	for sweeps := range 4 {
		t.Run(fmt.Sprint(sweeps), func(t *testing.T) {
			q := New(newFake(), Settings{Keep: DefaultKeep})
			for _, name := range []string{"idle", "busy"} {
				do(q, op(lease.Acquire, 0, name, name), op(lease.Release, 0, name, name))
			}
			if ops, _ := round(t, q); len(ops) != 0 {
				t.Fatalf("the first round gives up %v", ops)
			}
			for range sweeps {
				if _, err := q.Sweep(q.Seats()); err != nil {
					t.Fatal(err)
				}
			}
			do(q, op(lease.Acquire, 1, "busy", "busy"), op(lease.Release, 1, "busy", "busy"))
			ops, _ := round(t, q)
			if len(ops) != 2 || ops[0].Kind != lease.Forget || ops[0].Lock != "idle" || ops[1].Kind != lease.Close || ops[1].Client != "idle" {
				t.Errorf("the second round gives up %+v", ops)
			}
		})
	}
}

// The mark of tidying does not pass for a use: a sweep takes what it is on.
func TestAMarkOfTidyingKeepsNoSeat(t *testing.T) {
	f := newFake()
	q := New(f, Settings{Keep: DefaultKeep})
	do(q, op(lease.Acquire, 0, "c", "L"), op(lease.Release, 0, "c", "L"))
	for range 2 {
		if _, err := q.Sweep(q.Seats()); err != nil {
			t.Fatal(err)
		}
		if ops, _ := round(t, q); len(f.gone) == 0 && len(ops) != 0 {
			t.Fatalf("%v are given up at the first round", ops)
		}
	}
	if q.Seats() != 0 || len(f.gone) != 2 {
		t.Errorf("%v are gone, %d seats are left", f.gone, q.Seats())
	}
}

// A round looks at each entry once, in turns of bounded size, however many are idle at
// once; to take their seats takes no more batches than they fill.
func TestE4_ARoundIsInTurns(t *testing.T) {
	const names = 3 * tidyOperations
	q := New(newFake(), Settings{Keep: Keep{Locks: names, Clients: names}})
	for i := range names {
		name := fmt.Sprint("n", i)
		do(q, op(lease.Acquire, 0, name, name), op(lease.Release, 0, name, name))
	}
	if ops, turns := round(t, q); len(ops) != 0 || turns != 1 {
		t.Errorf("the first round: %d operations in %d turns", len(ops), turns)
	}
	before := q.Counts()
	ops, turns := round(t, q)
	after := q.Counts()
	if len(ops) != 2*names || turns > 2*names/tidyOperations+1 {
		t.Errorf("the second round: %d operations in %d turns", len(ops), turns)
	}
	if lanes, batches := after.Lanes-before.Lanes, after.Batches-before.Batches; lanes != names || batches > names/tidyOperations+1 {
		t.Errorf("%d lanes in %d batches to take %d seats", lanes, batches, names)
	}
}
