package sequencer

import (
	"errors"

	"github.com/leasekeeper/lkactor/actors/lease"
)

// runs is the memory in which the runs of a repeat are expanded, some at a time.
type runs struct {
	ops     []lease.Operation
	results []lease.Result
}

// runsText is about how many bytes of names and values are expanded at a time; a
// single run may have more.
const runsText = 1 << 20

// ErrHalted is the error of an order that was told to give up in the middle.
var ErrHalted = errors.New("sequencer: halted")

// repeat takes every run of a repeat as an operation of its own and counts the
// results (R).
func (q *Sequencer) repeat(r *lease.Repetition, result *lease.Result) error {
	start := q.now
	if !r.Fits(start) {
		*result = lease.Fail(lease.InvalidArguments)
		return nil
	}
	if q.runs.results == nil {
		q.runs.results = make([]lease.Result, MaxBatch)
	}
	tally := new(lease.Tally)
	portion := min(MaxBatch, 1+runsText/int64(1+r.Template.Size()))
	for first := int64(0); first < r.Count; first += portion {
		if q.halted() {
			return ErrHalted
		}
		end := min(first+portion, r.Count)
		q.runs.ops = r.Expand(q.runs.ops[:0], start, first, end)
		results := q.runs.results[:len(q.runs.ops)]
		for i := range q.runs.ops {
			if err := q.Take(&q.runs.ops[i], &results[i]); err != nil {
				return err
			}
		}
		if err := q.flush(); err != nil {
			return err
		}
		for i := range results {
			tally.Add(&results[i])
		}
	}
	*result = lease.Result{Outcome: lease.Repeated, Detail: &lease.Detail{Tally: tally}}
	return nil
}
