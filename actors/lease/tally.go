package lease

import (
	"maps"
	"slices"
)

// Tally counts the results of a repeat (R2). The zero value is ready to use.
type Tally struct {
	Ops     int64 // how many runs there were
	Aborted int64 // entries in all victims lists together

	counts map[string]int64
}

// labels are the texts under which results count; the ones that carry their
// own text (Failed, Value) are not here.
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
}

// Add counts one result.
func (t *Tally) Add(r *Result) {
	if t.counts == nil {
		t.counts = make(map[string]int64)
	}
	t.Ops++
	t.Aborted += int64(len(r.Victims()))
	t.counts[r.label()]++
}

// label is the key under which a result counts: a string result its text, a list
// its first element.
func (r *Result) label() string {
	switch r.Outcome {
	case Failed:
		return FailureText(r.Code)
	case Value:
		return r.Value
	}
	return labels[r.Outcome]
}

// Each calls f with every label and its count, ascending by label in code-point
// order.
func (t *Tally) Each(f func(label string, count int64)) {
	for _, label := range slices.Sorted(maps.Keys(t.counts)) {
		f(label, t.counts[label])
	}
}
