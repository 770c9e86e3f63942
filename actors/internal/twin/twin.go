package twin

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
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

// Twin is a service as the rules see it. Use [New] or [NewLive]; not for
// concurrent use.
type Twin struct {
	live bool // whether it speaks as live logs do (E)

	now   int64
	begun bool // whether any operation has set now yet (O4)

	leases []lease   // of all locks, in the order they were granted
	queue  []request // of all locks, in the order they were queued

	counters   map[string]int64 // by lock that has a record: the last token issued (Q2)
	ages       map[string]int64 // by client: its registration number (C2)
	registered int64            // the last registration number given
	forgotten  int64            // the highest counter ever forgotten (E4)

	accepted map[string]int64 // by lock: the highest token accepted (F1)
	stored   map[place]string // the last accepted values (F2)

	extra extra    // what the operation in hand says besides its arguments (E3)
	asked []answer // the first results of all requests with an id, oldest first (E3)
}

// New gives a fresh service for plain logs: no instant yet, nobody registered,
// nothing held.
func New() *Twin {
	return &Twin{
		counters: map[string]int64{},
		ages:     map[string]int64{},
		accepted: map[string]int64{},
		stored:   map[place]string{},
	}
}

// NewLive gives a fresh service for the operations of live logs (E).
func NewLive() *Twin {
	t := New()
	t.live = true
	return t
}

// Replay runs a whole log, the text of one JSON list, against a fresh service: a
// live one if the list begins with a header (E1). It gives one result per
// operation, each as compact JSON. The only errors are a log that is no JSON list
// and one with a bad header.
func Replay(log []byte) (results []string, err error) {
	ops, ok := elements(log)
	if !ok {
		return nil, errors.New("twin: the log is not a JSON list")
	}
	t := New()
	if len(ops) > 0 && isLive(ops[0]) {
		if !isHeader(ops[0]) {
			return nil, errors.New("twin: the log begins with a bad header")
		}
		t, ops = NewLive(), ops[1:]
	}
	for _, op := range ops {
		results = append(results, t.Do(op))
	}
	return results, nil
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

	// Those of live logs (E3, E4).
	idReused   = `"error: id reused"`
	staleLease = `"error: stale lease"`
	lockInUse  = `"error: lock in use"`
)

// operation is what an operation does with its arguments: O5 and on.
type operation func(args []json.RawMessage) string

// operations gives all there are, by name.
func (t *Twin) operations() map[string]operation {
	all := map[string]operation{
		"acquire": t.acquire,
		"renew":   t.renew,
		"release": t.release,
		"inspect": t.inspect,
		"status":  t.status,
		"write":   t.write,
		"read":    t.read,
	}
	if !t.live {
		all["repeat"] = t.repeat
		return all
	}
	all["tick"] = t.tick
	all["evict"] = t.evict
	all["bump"] = t.bump
	all["forget"] = t.forget
	all["close"] = t.close
	return all
}

// run makes the checks that all operations share, O1 to O4, in their order, and
// hands the arguments on.
func (t *Twin) run(op []json.RawMessage) string {
	if len(op) < 2 {
		return invalidArguments // O1
	}
	name, isString := text(op[0])
	operation := t.operations()[name]
	if !isString || operation == nil {
		return unknownOperation // O2
	}
	ts, ok := limited(op[1])
	if !ok {
		return invalidArguments // O3
	}
	t.advance(ts) // O4
	args := op[2:]
	t.extra = extra{}
	if t.live {
		if args, ok = t.takeExtra(name, args); !ok {
			return invalidArguments // E3, which is O6
		}
	}
	return operation(args) // O5 and on
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
	if !t.isTTL(ttl) {
		return invalidTTL
	}
	return t.once(client, []string{"acquire", client, lock, ttl.String(), mode}, func() string {
		return t.ask(request{lock, client, mode, ttl.Int64()})
	})
}

// ask is acquire once everything is checked that can be without looking at the
// state.
func (t *Twin) ask(asked request) string {
	client, lock := asked.client, asked.lock
	if t.request(client) >= 0 || t.lease(client, lock) >= 0 {
		return clientBusy // C1
	}
	if t.ages[client] == 0 {
		t.registered++
		t.ages[client] = t.registered // C2
	}
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
	if !t.isTTL(ttl) {
		return invalidTTL
	}
	return t.once(client, []string{"renew", client, lock, ttl.String()}, func() string {
		return t.prolong(client, lock, ttl)
	})
}

// prolong is renew once everything is checked that can be without looking at the
// state.
func (t *Twin) prolong(client, lock string, ttl *big.Int) string {
	i := t.lease(client, lock)
	if i < 0 {
		return notHolder
	}
	if !t.isExpected(i) {
		return staleLease
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
	return t.once(client, []string{"release", client, lock}, func() string {
		return t.giveUp(client, lock)
	})
}

// giveUp ends what a client has of a lock: a lease, which must be the one that
// the operation expects (E3), or a request, which must not expect any.
func (t *Twin) giveUp(client, lock string) string {
	if i := t.lease(client, lock); i >= 0 {
		if !t.isExpected(i) {
			return staleLease
		}
		t.endLease(i, t.now)
		return `"released"`
	}
	if i := t.request(client); i >= 0 && t.queue[i].lock == lock && !t.extra.hasToken {
		t.endRequest(i)
		return `"withdrawn"`
	}
	return notHolder
}
