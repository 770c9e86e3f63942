package lease

import (
	"maps"
	"slices"
)

// Tally counts the results of a repeat (R2). The zero value is ready to use.
type Tally struct {
	Ops     int64 // how many runs there were
	Aborted int64 // entries in all victims lists together

	// The counts by what gives a result its label: few of the many runs of a
	// repeat have a text of their own.
	outcomes [len(labels)]int64
	failures [len(codeTexts)]int64
	values   map[string]int64
}

// labels are the texts under which results count; the ones that carry their own
// text (Failed, Value) are not here.
var labels = [...]string{
	Granted:    "granted",
	Queued:     "queued",
	Deadlocked: "deadlock",
	Renewed:    "renewed",
	Released:   "released",
	Withdrawn:  "withdrawn",
	Inspected:  "other",
	Reported:   "other",
	Written:    "ok",
	Null:       "other",
	Repeated:   "other",
	Ticked:     "other",
	Bumped:     "bumped",
	Forgotten:  "forgotten",
	Closed:     "closed",
}

// Add counts one result: a string under its text, a list under its first
// element, all else under "other".
func (t *Tally) Add(r *Result) {
	t.Ops++
	t.Aborted += int64(len(r.Victims()))
	switch r.Outcome {
	case Failed:
		t.failures[r.Code]++
	case Value:
		if t.values == nil {
			t.values = make(map[string]int64)
		}
		t.values[r.Value]++
	default:
		t.outcomes[r.Outcome]++
	}
}

// Each calls f with every label and its count, ascending by label in code-point
// order. A value that reads like another label counts under the same one.
func (t *Tally) Each(f func(label string, count int64)) {
	counts := make(map[string]int64, len(t.values)+len(labels))
	add := func(label string, count int64) {
		if count > 0 {
			counts[label] += count
		}
	}
	maps.Copy(counts, t.values)
	for outcome, count := range t.outcomes {
		add(labels[outcome], count)
	}
	for code, count := range t.failures {
		add(FailureText(Code(code)), count)
	}
	for _, label := range slices.Sorted(maps.Keys(counts)) {
		f(label, counts[label])
	}
}
