package answer_test

import (
	"testing"

	"github.com/leasekeeper/lkactor/actors/lease"
	"github.com/leasekeeper/lkactor/bench/internal/answer"
)

func TestEqual(t *testing.T) {
	granted := func(victims ...string) lease.Result {
		return lease.Result{Outcome: lease.Granted, Token: 1, Detail: &lease.Detail{Victims: victims}}
	}
	inspected := func(view lease.LockView) lease.Result {
		return lease.Result{Outcome: lease.Inspected, Detail: &lease.Detail{Lock: &view}}
	}
	tallied := func(results ...lease.Result) lease.Result {
		tally := new(lease.Tally)
		for i := range results {
			tally.Add(&results[i])
		}
		return lease.Result{Outcome: lease.Repeated, Detail: &lease.Detail{Tally: tally}}
	}
	bare := lease.Result{Outcome: lease.Granted, Token: 1}
	for _, c := range []struct {
		name string
		a, b lease.Result
		want bool
	}{
		{"same", bare, bare, true},
		{"other token", bare, lease.Result{Outcome: lease.Granted, Token: 2}, false},
		{"victims or none", bare, granted("a"), false},
		{"order of victims", granted("a", "b"), granted("b", "a"), false},
		{"same victims", granted("a", "b"), granted("a", "b"), true},
		{"empty and nil", inspected(lease.LockView{}), inspected(lease.LockView{Queue: []lease.WaiterView{}}), true},
		{"a waiter more", inspected(lease.LockView{}), inspected(lease.LockView{Queue: []lease.WaiterView{{Client: "a"}}}), false},
		{"same tally", tallied(bare, bare), tallied(bare, bare), true},
		{"other tally", tallied(bare, bare), tallied(bare, lease.Fail(lease.NotHolder)), false},
	} {
		if got := answer.Equal(&c.a, &c.b); got != c.want {
			t.Errorf("%s: Equal is %v, want %v", c.name, got, c.want)
		}
	}
	if at := answer.FirstDifference([]lease.Result{bare, bare}, []lease.Result{bare, granted("a")}); at != 1 {
		t.Errorf("first difference at %d, want 1", at)
	}
}
