package lease

import (
	"reflect"
	"testing"
)

// entry is one line of a tally.
type entry struct {
	label string
	count int64
}

// entries lists a tally in the order in which it lists itself.
func entries(t *Tally) (list []entry) {
	t.Each(func(label string, count int64) { list = append(list, entry{label, count}) })
	return list
}

// tallyOf counts results.
func tallyOf(results ...Result) *Tally {
	t := new(Tally)
	for i := range results {
		t.Add(&results[i])
	}
	return t
}

func TestR2_EveryResultHasItsLabel(t *testing.T) {
	for _, test := range []struct {
		result Result
		want   string
	}{
		{Result{Outcome: Granted}, "granted"},
		{Result{Outcome: Queued}, "queued"},
		{Result{Outcome: Deadlocked}, "deadlock"},
		{Result{Outcome: Renewed}, "renewed"},
		{Result{Outcome: Released}, "released"},
		{Result{Outcome: Withdrawn}, "withdrawn"},
		{Result{Outcome: Written}, "ok"},
		{Result{Outcome: Value, Value: "v"}, "v"},
		{Result{Outcome: Inspected}, "other"},
		{Result{Outcome: Reported}, "other"},
		{Result{Outcome: Null}, "other"},
		{Fail(InvalidArguments), "error: invalid arguments"},
		{Fail(UnknownOperation), "error: unknown operation"},
		{Fail(InvalidTTL), "error: invalid ttl"},
		{Fail(ClientBusy), "error: client busy"},
		{Fail(NotHolder), "error: not holder"},
		{Fail(StaleToken), "error: stale token"},
	} {
		tally := tallyOf(test.result)
		if got, want := entries(tally), []entry{{test.want, 1}}; !reflect.DeepEqual(got, want) {
			t.Errorf("%+v counts as %v, want %v", test.result, got, want)
		}
		if tally.Ops != 1 || tally.Aborted != 0 {
			t.Errorf("%+v: %d ops, %d aborted", test.result, tally.Ops, tally.Aborted)
		}
	}
}

func TestR2_LabelsAscendInCodePointOrder(t *testing.T) {
	tally := tallyOf(
		Result{Outcome: Withdrawn}, Result{Outcome: Value, Value: "Z"}, Result{Outcome: Value, Value: "\U0001f600"},
		Result{Outcome: Value, Value: "\uffff"}, Result{Outcome: Granted}, Fail(StaleToken), Fail(ClientBusy), Result{Outcome: Null},
	)
	want := []entry{{"Z", 1}, {"error: client busy", 1}, {"error: stale token", 1}, {"granted", 1}, {"other", 1},
		{"withdrawn", 1}, {"\uffff", 1}, {"\U0001f600", 1}}
	if got := entries(tally); !reflect.DeepEqual(got, want) {
		t.Errorf("labels are %v, want %v", got, want)
	}
}

func TestR2_AValueCountsUnderTheKeyItEquals(t *testing.T) {
	tally := tallyOf(
		Result{Outcome: Granted}, Result{Outcome: Value, Value: "granted"},
		Result{Outcome: Null}, Result{Outcome: Value, Value: "other"}, Result{Outcome: Inspected},
		Fail(NotHolder), Result{Outcome: Value, Value: "error: not holder"}, Fail(NotHolder),
	)
	want := []entry{{"error: not holder", 3}, {"granted", 2}, {"other", 3}}
	if got := entries(tally); !reflect.DeepEqual(got, want) {
		t.Errorf("tally is %v, want %v", got, want)
	}
	if again := entries(tally); !reflect.DeepEqual(again, want) {
		t.Errorf("the second listing is %v", again)
	}
}

func TestR2_AbortedCountsEveryVictimOfEveryRun(t *testing.T) {
	victims := func(names ...string) *Detail { return &Detail{Victims: names} }
	tally := tallyOf(
		Result{Outcome: Granted, Detail: victims("a", "b")}, Result{Outcome: Queued, Detail: victims("a")},
		Result{Outcome: Deadlocked, Detail: victims("b", "c")}, Result{Outcome: Released},
	)
	if tally.Ops != 4 || tally.Aborted != 5 {
		t.Errorf("%d ops and %d aborted, want 4 and 5", tally.Ops, tally.Aborted)
	}
	if got := entries(new(Tally)); got != nil {
		t.Errorf("an empty tally lists %v", got)
	}
}
