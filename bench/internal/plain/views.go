package plain

import (
	"cmp"
	"slices"
	"strings"

	"github.com/leasekeeper/lkactor/actors/lease"
)

// inspect shows a lock: holders by token, queue oldest first.
func (s *Service) inspect(op *lease.Operation) lease.Result {
	view := &lease.LockView{}
	if l := s.locks[op.Lock]; l != nil {
		s.settle(l)
		for _, h := range l.holders {
			c := h.claim
			view.Holders = append(view.Holders, lease.HolderView{
				Client: c.client.name, Mode: c.mode, Token: c.token, Until: c.until,
			})
		}
		slices.SortFunc(view.Holders, func(a, b lease.HolderView) int { return cmp.Compare(a.Token, b.Token) })
		for r := l.first; r != nil; r = r.next {
			view.Queue = append(view.Queue, lease.WaiterView{Client: r.client.name, Mode: r.mode})
		}
	}
	return lease.Result{Outcome: lease.Inspected, Detail: &lease.Detail{Lock: view}}
}

// status shows a client (C3). Leases on locks that nobody has looked at may have
// lapsed; they are left out.
func (s *Service) status(op *lease.Operation) lease.Result {
	view := &lease.ClientView{}
	if c := s.clients[op.Client]; c != nil {
		if c.waiting != nil {
			s.settle(c.waiting.lock)
		}
		if c.waiting != nil {
			view.Waiting = c.waiting.lock.name
		}
		view.Age = c.age
		for _, h := range c.holds {
			if h.until > s.now {
				view.Holds = append(view.Holds, lease.HoldView{
					Lock: h.lock.name, Mode: h.mode, Token: h.token, Until: h.until,
				})
			}
		}
		slices.SortFunc(view.Holds, func(a, b lease.HoldView) int { return strings.Compare(a.Lock, b.Lock) })
	}
	return lease.Result{Outcome: lease.Reported, Detail: &lease.Detail{Client: view}}
}

// Waiting tells whether the client waits for a lock as of the latest instant.
// Generators ask it to know what a client could do next.
func (s *Service) Waiting(name string) bool {
	c := s.clients[name]
	if c == nil || c.waiting == nil {
		return false
	}
	s.settle(c.waiting.lock)
	return c.waiting != nil
}

// write stores a value unless the token is older than one accepted (F1).
func (s *Service) write(op *lease.Operation) lease.Result {
	l := s.lock(op.Lock)
	if op.Token < l.accepted {
		return lease.Fail(lease.StaleToken)
	}
	l.accepted = op.Token
	if l.values == nil {
		l.values = make(map[string]string)
	}
	l.values[strings.Clone(op.Key)] = strings.Clone(op.Value)
	return lease.Result{Outcome: lease.Written}
}

// read gives the last accepted value (F2).
func (s *Service) read(op *lease.Operation) lease.Result {
	if l := s.locks[op.Lock]; l != nil {
		if value, ok := l.values[op.Key]; ok {
			return lease.Result{Outcome: lease.Value, Value: value}
		}
	}
	return lease.Result{Outcome: lease.Null}
}

// repeatSlice is how many runs of a repeat are expanded at a time.
const repeatSlice = 1024

// repeat runs the template and tallies the results (R).
func (s *Service) repeat(r *lease.Repetition) lease.Result {
	start := s.now
	if !r.Fits(start) {
		return lease.Fail(lease.InvalidArguments)
	}
	tally := new(lease.Tally)
	var ops []lease.Operation
	for first := int64(0); first < r.Count; first += repeatSlice {
		ops = r.Expand(ops[:0], start, first, min(first+repeatSlice, r.Count))
		for i := range ops {
			result := s.Do(&ops[i])
			tally.Add(&result)
		}
	}
	return lease.Result{Outcome: lease.Repeated, Detail: &lease.Detail{Tally: tally}}
}
