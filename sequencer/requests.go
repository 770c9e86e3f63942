package sequencer

import (
	"strings"

	"github.com/leasekeeper/lkactor/actors/lease"
)

// requests is what one client has asked under ids (E3): the latest
// lease.RequestCount of them, each for lease.RequestWindow.
type requests struct {
	byID map[string]*request
	// ring has them in the order in which their ids were first used; next is where
	// the next one goes, in place of the oldest once the ring is full.
	ring []*request
	next int
}

type request struct {
	op     lease.Operation // as first asked
	at     lease.Instant
	result lease.Result
	known  bool // result is complete
}

// pendingRequest is a request whose result its batch has yet to give.
type pendingRequest struct {
	request *request
	result  *lease.Result
}

// repeated answers an operation whose id has been used before: with the result it
// had, if it is the same one. Otherwise its result will be remembered.
func (q *Sequencer) repeated(op *lease.Operation, result *lease.Result) (known bool, err error) {
	if code := op.Check(q.dialect); code != lease.OK {
		*result = lease.Fail(code)
		return true, nil
	}
	c := q.client(op.Client)
	if c.requests == nil {
		c.requests = &requests{byID: make(map[string]*request)}
	}
	r := c.requests.byID[op.ID]
	if r == nil || q.now >= r.at+lease.RequestWindow {
		r = c.requests.add(op, q.now)
		q.pending = append(q.pending, pendingRequest{r, result})
		return false, nil
	}
	if !r.known {
		if err := q.Flush(); err != nil { // everything before this is complete then
			return false, err
		}
	}
	if r.same(op) {
		*result, q.remembered = r.result, true
	} else {
		*result = lease.Fail(lease.IDReused)
	}
	return true, nil
}

// add remembers a request, in place of the oldest if there are too many.
func (r *requests) add(op *lease.Operation, at lease.Instant) *request {
	kept := op.Bare()
	for _, s := range []*string{&kept.Client, &kept.Lock, &kept.Key, &kept.Value, &kept.ID} {
		*s = strings.Clone(*s)
	}
	fresh := &request{op: kept, at: at}
	if old := r.byID[kept.ID]; old != nil {
		old.op.ID = "" // its window has passed: the id is another's now
	}
	if len(r.ring) < lease.RequestCount {
		r.ring = append(r.ring, fresh)
	} else {
		if oldest := r.ring[r.next]; oldest.op.ID != "" {
			delete(r.byID, oldest.op.ID)
		}
		r.ring[r.next] = fresh
		r.next = (r.next + 1) % lease.RequestCount
	}
	r.byID[kept.ID] = fresh
	return fresh
}

// same tells whether op asks for the same thing; when it asks does not matter.
func (r *request) same(op *lease.Operation) bool {
	a, b := r.op, op.Bare()
	a.At, b.At = 0, 0
	return a == b
}

// remember takes over the results that are complete now.
func (q *Sequencer) remember() {
	for _, p := range q.pending {
		p.request.result, p.request.known = *p.result, true
	}
	clear(q.pending)
	q.pending = q.pending[:0]
}
