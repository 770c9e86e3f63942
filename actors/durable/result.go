package durable

import (
	"fmt"

	"github.com/leasekeeper/lkactor/actors/lease"
)

// Numbers of outcomes and codes in a snapshot: their places in these lists, which
// only ever grow at the end.
var (
	outcomes = []lease.Outcome{
		lease.Failed, lease.Granted, lease.Queued, lease.Deadlocked, lease.Renewed, lease.Released,
		lease.Withdrawn, lease.Reported, lease.Closed,
	}
	codes = []lease.Code{
		lease.OK, lease.ClientBusy, lease.NotHolder, lease.StaleLease,
	}
)

// place gives the number of v in a list.
func place[T comparable](list []T, v T) (uint64, error) {
	for i := range list {
		if list[i] == v {
			return uint64(i), nil
		}
	}
	return 0, fmt.Errorf("durable: %v is no result that is remembered", v)
}

// result writes the result of a request: one of an operation that names a client, and
// no failure of a check, since those are not remembered (E3).
func (w *stateWriter) result(r *lease.Result) {
	outcome, err := place(outcomes, r.Outcome)
	w.fail(err)
	code, err := place(codes, r.Code)
	w.fail(err)
	w.uint(outcome)
	w.uint(code)
	w.uint(uint64(r.Token))
	w.int(int64(r.Until))
	w.uint(uint64(r.Position))
	victims := r.Victims()
	w.uint(uint64(len(victims)))
	for _, name := range victims {
		w.text(name)
	}
	if r.Outcome == lease.Reported {
		w.client(r.Detail.Client)
	}
}

func (w *stateWriter) client(v *lease.ClientView) {
	w.uint(uint64(v.Age))
	w.text(v.Waiting)
	w.uint(uint64(len(v.Holds)))
	for _, h := range v.Holds {
		w.text(h.Lock)
		w.uint(uint64(h.Mode))
		w.uint(uint64(h.Token))
		w.int(int64(h.Until))
	}
}

// result reads what the writer's wrote.
func (r *stateReader) result() (result lease.Result) {
	outcome, code := r.below(uint64(len(outcomes))), r.below(uint64(len(codes)))
	result.Outcome, result.Code = outcomes[outcome], codes[code]
	result.Token, result.Until, result.Position = lease.Token(r.uint()), lease.Instant(r.int()), int(r.uint())
	if n := r.count(); n > 0 {
		result.Detail = &lease.Detail{}
		for range n {
			result.Detail.Victims = append(result.Detail.Victims, r.text())
		}
	}
	if result.Outcome == lease.Reported {
		result.Detail = &lease.Detail{Client: r.client()}
	}
	return result
}

func (r *stateReader) client() *lease.ClientView {
	v := &lease.ClientView{Age: lease.Age(r.uint()), Waiting: r.text()}
	n := r.count()
	v.Holds = make([]lease.HoldView, 0, min(n, allocatedAhead))
	for range n {
		if r.err != nil {
			break
		}
		v.Holds = append(v.Holds, lease.HoldView{
			Lock: r.text(), Mode: lease.Mode(r.below(2)), Token: lease.Token(r.uint()), Until: lease.Instant(r.int()),
		})
	}
	return v
}
