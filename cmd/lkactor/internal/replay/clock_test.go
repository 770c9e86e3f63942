package replay

import (
	"reflect"
	"testing"

	"github.com/leasekeeper/lkactor/actors/lease"
)

func at(ts lease.Instant) lease.Operation {
	return lease.Operation{Kind: lease.Status, At: ts, Client: "c"}
}

// repeated is a repeat at ts, twice, five apart.
func repeated(ts lease.Instant, op lease.Operation) lease.Operation {
	return lease.Operation{Kind: lease.Repeat, At: ts, Repeat: &lease.Repetition{Count: 2, Step: 5, Template: lease.Template{Op: op}}}
}

func TestO11_StepsBackAreSeenOnce(t *testing.T) {
	endless := repeated(1, at(0))
	endless.Repeat.Step = lease.MaxMagnitude
	tests := []struct {
		name string
		ops  []lease.Operation
		want *StepBack
	}{
		{"nothing", nil, nil},
		{"forward", []lease.Operation{at(-5), at(-5), at(0), at(7)}, nil},
		{"back", []lease.Operation{at(3), at(2)}, &StepBack{2, 2, 3}},
		{"back twice", []lease.Operation{at(3), at(4), at(2), at(5), at(1)}, &StepBack{3, 2, 4}},
		{"a first instant below zero", []lease.Operation{at(-5), at(-6)}, &StepBack{2, -6, -5}},
		{"refused after its ts was read", []lease.Operation{lease.Refuse(9, lease.InvalidTTL), at(8)}, &StepBack{2, 8, 9}},
		{"refused before", []lease.Operation{at(3), lease.RefuseUntimed(lease.InvalidArguments), at(3)}, nil},
		{"behind the runs of a repeat", []lease.Operation{repeated(1, at(0)), at(6), at(5)}, &StepBack{3, 5, 6}},
		{"between them", []lease.Operation{repeated(1, at(0)), at(5)}, &StepBack{2, 5, 6}},
		{"runs that fail move the clock", []lease.Operation{repeated(1, lease.Refuse(0, lease.InvalidTTL)), at(5)}, &StepBack{2, 5, 6}},
		{"runs of no operation do not", []lease.Operation{repeated(1, lease.RefuseUntimed(lease.UnknownOperation)), at(5)}, nil},
		{"a repeat that does not fit runs nothing", []lease.Operation{endless, at(1)}, nil},
		{"a repeat that is late starts at the latest", []lease.Operation{at(10), repeated(1, at(0)), at(14)}, &StepBack{2, 1, 10}},
	}
	for _, test := range tests {
		var c Clock
		for i := range test.ops {
			c.See(&test.ops[i], lease.Plain)
		}
		if !reflect.DeepEqual(c.back, test.want) {
			t.Errorf("%s: %+v, want %+v", test.name, c.back, test.want)
		}
	}
}

func TestO11_TicksOfALiveLogMoveTheClock(t *testing.T) {
	var c Clock
	for _, op := range []lease.Operation{{Kind: lease.Tick, At: 5}, repeated(9, at(0)), at(4)} {
		c.See(&op, lease.Live)
	}
	// A live log has no repeat, so that one moves nothing.
	if want := (&StepBack{3, 4, 5}); !reflect.DeepEqual(c.back, want) {
		t.Errorf("%+v, want %+v", c.back, want)
	}
}

func TestO11_ARepeatMovesTheClockFromWhereItIs(t *testing.T) {
	var c Clock
	for _, op := range []lease.Operation{at(10), repeated(1, at(0))} {
		c.See(&op, lease.Plain)
	}
	if c.latest != 15 {
		t.Errorf("the latest instant is %d, want 15", c.latest)
	}
}
