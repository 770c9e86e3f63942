package twin

import (
	"encoding/json"
	"errors"
	"fmt"
)

// lease is one live lease of one client on one lock (L1).
type lease struct {
	lock, client, mode string
	token, until       int64
}

// request is one queued acquire (Q1).
type request struct {
	lock, client, mode string
	ttl                int64
}

// place is where the fenced store keeps one value (F2).
type place struct{ lock, key string }

// Twin is a service as the rules see it. Use [New]; not for concurrent use.
type Twin struct {
	now   int64
	begun bool // whether any operation has set now yet (O4)

	leases []lease   // of all locks, in the order they were granted
	queue  []request // of all locks, in the order they were queued

	counters   map[string]int64 // by lock: the last token issued (Q2)
	ages       map[string]int64 // by client: its registration number (C2)
	registered int64            // the last registration number given

	accepted map[string]int64 // by lock: the highest token accepted (F1)
	stored   map[place]string // the last accepted values (F2)
}

// New gives a fresh service: no instant yet, nobody registered, nothing held.
func New() *Twin {
	return &Twin{
		counters: map[string]int64{},
		ages:     map[string]int64{},
		accepted: map[string]int64{},
		stored:   map[place]string{},
	}
}

// Replay runs a whole plain log, the text of one JSON list, against a fresh
// service. It gives one result per operation, each as compact JSON. The only
// errors are a log that is no JSON list and one with the header of a live log
// (E1), which this package does not know.
func Replay(log []byte) (results []string, err error) {
	ops, ok := elements(log)
	if !ok {
		return nil, errors.New("twin: the log is not a JSON list")
	}
	if len(ops) > 0 && isLiveHeader(ops[0]) {
		return nil, errors.New("twin: live logs are not supported")
	}
	t := New()
	for _, op := range ops {
		results = append(results, t.Do(op))
	}
	return results, nil
}

// isLiveHeader tells whether the first element of a log makes it a live one
// (E1).
func isLiveHeader(first json.RawMessage) bool {
	var object map[string]json.RawMessage
	if json.Unmarshal(first, &object) != nil {
		return false
	}
	_, ok := object["lkactor"]
	return ok
}

// Do runs one operation, given as the text of one JSON value, and answers its
// result as compact JSON. Text that is no JSON is no list, so it fails O1.
func (t *Twin) Do(op []byte) string {
	list, ok := elements(op)
	if !ok {
		return invalidArguments
	}
	return t.run(list)
}

// The failures (O).
const (
	invalidArguments = `"error: invalid arguments"`
	unknownOperation = `"error: unknown operation"`
	invalidTTL       = `"error: invalid ttl"`
	clientBusy       = `"error: client busy"`
	notHolder        = `"error: not holder"`
	staleToken       = `"error: stale token"`
)

// run makes the checks that all operations share, O1 to O4, in their order, and
// hands the arguments on.
func (t *Twin) run(op []json.RawMessage) string {
	if len(op) < 2 {
		return invalidArguments // O1
	}
	operations := map[string]func([]json.RawMessage) string{
		"acquire": t.acquire,
		"renew":   t.renew,
		"release": t.release,
		"inspect": t.inspect,
		"status":  t.status,
		"write":   t.write,
		"read":    t.read,
		"repeat":  t.repeat,
	}
	name, isString := text(op[0])
	operation := operations[name]
	if !isString || operation == nil {
		return unknownOperation // O2
	}
	ts, ok := limited(op[1])
	if !ok {
		return invalidArguments // O3
	}
	t.advance(ts)            // O4
	return operation(op[2:]) // O5 and on
}

// acquire asks for a lease (Q1, C1, C2, D).
func (t *Twin) acquire(args []json.RawMessage) string {
	if len(args) != 3 && len(args) != 4 {
		return invalidArguments
	}
	client, ok1 := name(args[0])
	lock, ok2 := name(args[1])
	ttl, ok3 := integer(args[2])
	mode, ok4 := "exclusive", true
	if len(args) == 4 {
		mode, _ = text(args[3])
		ok4 = mode == "shared" || mode == "exclusive"
	}
	if !ok1 || !ok2 || !ok3 || !ok4 {
		return invalidArguments
	}
	if !isTTL(ttl) {
		return invalidTTL
	}
	if t.request(client) >= 0 || t.lease(client, lock) >= 0 {
		return clientBusy // C1
	}
	if t.ages[client] == 0 {
		t.registered++
		t.ages[client] = t.registered // C2
	}
	asked := request{lock, client, mode, ttl.Int64()}
	if t.head(lock) < 0 && t.compatible(asked) {
		t.grant(asked, t.now) // Q1
		return t.standing(client, lock, nil)
	}
	t.queue = append(t.queue, asked)
	return t.standing(client, lock, t.resolve(client)) // D2
}

// standing is the answer to an acquire once everything has settled (D7).
func (t *Twin) standing(client, lock string, victims []string) string {
	list := quoteAll(victims)
	if len(victims) > 0 && victims[len(victims)-1] == client {
		return fmt.Sprintf(`["deadlock",%s]`, list)
	}
	extra := ""
	if len(victims) > 0 {
		extra = "," + list
	}
	if i := t.lease(client, lock); i >= 0 {
		return fmt.Sprintf(`["granted",%d,%d%s]`, t.leases[i].token, t.leases[i].until, extra)
	}
	position := 0
	for _, r := range t.queue {
		if r.lock == lock {
			position++
		}
		if r.client == client {
			break
		}
	}
	return fmt.Sprintf(`["queued",%d%s]`, position, extra)
}

// renew sets a lease's end anew (L2, L3).
func (t *Twin) renew(args []json.RawMessage) string {
	if len(args) != 3 {
		return invalidArguments
	}
	client, ok1 := name(args[0])
	lock, ok2 := name(args[1])
	ttl, ok3 := integer(args[2])
	if !ok1 || !ok2 || !ok3 {
		return invalidArguments
	}
	if !isTTL(ttl) {
		return invalidTTL
	}
	i := t.lease(client, lock)
	if i < 0 {
		return notHolder
	}
	t.leases[i].until = t.now + ttl.Int64()
	return fmt.Sprintf(`["renewed",%d,%d]`, t.leases[i].token, t.leases[i].until)
}

// release ends a lease (L4) or withdraws a request (L5).
func (t *Twin) release(args []json.RawMessage) string {
	if len(args) != 2 {
		return invalidArguments
	}
	client, ok1 := name(args[0])
	lock, ok2 := name(args[1])
	if !ok1 || !ok2 {
		return invalidArguments
	}
	if i := t.lease(client, lock); i >= 0 {
		t.endLease(i, t.now)
		return `"released"`
	}
	if i := t.request(client); i >= 0 && t.queue[i].lock == lock {
		t.endRequest(i)
		return `"withdrawn"`
	}
	return notHolder
}
