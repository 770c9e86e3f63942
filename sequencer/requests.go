package sequencer

import "github.com/leasekeeper/lkactor/actors/lease"

// requests is what one client has asked under ids (E3): the latest
// lease.RequestCount of them, each for lease.RequestWindow. They are chained from the
// oldest to the newest. Many clients ask one thing in their life, so few are looked
// through and only many have a map.
type requests struct {
	byID        map[string]uint32 // nil for few
	first, last uint32            // the oldest and the newest
	n           int
}

// requestsListed is how many requests of a client are found without a map.
const requestsListed = 8

// request is an operation with an id and its result, as small as it can be kept: its
// client has the name, and operations that may have an id use no other fields.
type request struct {
	text   string // the id, and behind it the name of the lock
	at     lease.Instant
	ttl    lease.Duration
	expect lease.Token

	token  lease.Token // of the result, as are those that follow
	until  lease.Instant
	detail *lease.Detail

	client         uint32 // by ID
	later          uint32 // the next of the client; zero for none, as below
	before, behind uint32 // in the order of all

	position int32
	idBytes  int32
	kind     lease.Kind
	mode     lease.Mode
	outcome  lease.Outcome
	code     lease.Code
	known    bool // the result is complete
}

// id is what the client has named the request.
func (r *request) id() string { return r.text[:r.idBytes] }

// ask keeps an operation with an id. The texts are copied.
func (r *request) ask(op *lease.Operation) {
	bare := op.Bare()
	r.text, r.idBytes = bare.ID+bare.Lock, int32(len(bare.ID))
	r.kind, r.mode, r.ttl, r.expect = bare.Kind, bare.Mode, bare.TTL, bare.Expect
}

// answer keeps the result; no operation that may have an id has a value for one.
func (r *request) answer(result *lease.Result) {
	r.outcome, r.code, r.token, r.until = result.Outcome, result.Code, result.Token, result.Until
	r.position, r.detail, r.known = int32(result.Position), result.Detail, true
}

// operation gives what was asked, but for when.
func (r *request) operation(client string) lease.Operation {
	return lease.Operation{
		Kind: r.kind, Mode: r.mode, TTL: r.ttl, Expect: r.expect,
		Client: client, ID: r.id(), Lock: r.text[r.idBytes:],
	}
}

// result gives the answer.
func (r *request) result() lease.Result {
	return lease.Result{
		Outcome: r.outcome, Code: r.code, Token: r.token, Until: r.until,
		Position: int(r.position), Detail: r.detail,
	}
}

// over tells whether its time is over, so that its id is forgotten (E3).
func (r *request) over(now lease.Instant) bool { return now >= r.at+lease.RequestWindow }

// same tells whether op asks for the same thing; when it asks does not matter.
func (r *request) same(op *lease.Operation) bool {
	bare := op.Bare()
	bare.At = 0
	return r.operation(op.Client) == bare
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
	if r := q.requested(c, op.ID); r != nil && !r.over(q.now) {
		if !r.known {
			if err := q.Flush(); err != nil { // everything before this is complete then
				return false, err
			}
		}
		if r.same(op) {
			*result, q.remembered = r.result(), true
		} else {
			*result = lease.Fail(lease.IDReused)
		}
		return true, nil
	}
	for c.requests != nil && (c.requests.n == lease.RequestCount || q.asked.requests.at(c.requests.first).over(q.now)) {
		if err := q.forgetRequest(c.requests.first); err != nil {
			return false, err
		}
	}
	q.pending = append(q.pending, pendingRequest{q.askedBy(c, op, q.now), result})
	return false, nil
}

// remember takes over the results that are complete now.
func (q *Sequencer) remember() {
	for _, p := range q.pending {
		p.request.answer(p.result)
	}
	clear(q.pending)
	q.pending = q.pending[:0]
}
