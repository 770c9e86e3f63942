package review

import (
	"cmp"
	"slices"
	"testing"

	"github.com/leasekeeper/lkactor/actors/lease"
)

// rogue is a service of one lock that goes by the rules but for one operation, which may leave
// it in a state that they do not have: two exclusive leases side by side, or a queue behind
// nobody. It goes on from there as it would from any other.
type rogue struct {
	now      lease.Instant
	counter  lease.Token
	holders  []lent
	queue    []asking
	ages     map[string]int64
	gone     []lent        // leases that have ended
	stuck    map[lent]bool // leases that do not lapse any more
	passedBy bool          // the next hand-over does not happen
}

type asking struct {
	waiter
	ttl lease.Duration
}

// slip is a wrong turn that an operation can take where it applies.
type slip struct {
	name    string
	applies func(r *rogue, op *lease.Operation) bool
	take    func(r *rogue, op *lease.Operation) answer
}

var slips = []slip{
	{"a lease that has ended is renewed",
		func(r *rogue, op *lease.Operation) bool {
			return op.Kind == lease.Renew && r.ended(op.Client) >= 0 && !r.busy(op.Client)
		},
		func(r *rogue, op *lease.Operation) answer {
			r.holders = append(r.holders, r.gone[r.ended(op.Client)])
			return r.renew(op)
		}},
	{"who could have the lock is queued", fits, (*rogue).queued},
	{"who has to wait is granted the lock",
		func(r *rogue, op *lease.Operation) bool {
			return op.Kind == lease.Acquire && !r.busy(op.Client) && !r.open(op.Mode.String())
		}, (*rogue).granted},
	{"a holder is granted the lock once more", again, (*rogue).granted},
	{"a holder is queued", again, (*rogue).queued},
	{"a waiter is queued once more",
		func(r *rogue, op *lease.Operation) bool { return op.Kind == lease.Acquire && r.asked(op.Client) >= 0 },
		(*rogue).queued},
	{"a lease is granted in the other mode", fits, func(r *rogue, op *lease.Operation) answer {
		return r.grant(op.Client, otherMode[op.Mode.String()], op.TTL)
	}},
	{"a lease is granted under token 0", fits, func(r *rogue, op *lease.Operation) answer {
		r.counter = -1
		return r.granted(op)
	}},
	{"a lease is granted that never lapses", fits, func(r *rogue, op *lease.Operation) answer {
		a := r.granted(op)
		r.stuck[r.holders[len(r.holders)-1]] = true
		return a
	}},
	{"what is released is handed to nobody", returned(1), func(r *rogue, op *lease.Operation) answer {
		r.passedBy = true
		return r.do(op)
	}},
	{"what is released is handed to the last in the queue", returned(2), func(r *rogue, op *lease.Operation) answer {
		slices.Reverse(r.queue)
		return r.do(op)
	}},
	{"somebody else's lease is released",
		func(r *rogue, op *lease.Operation) bool {
			return op.Kind == lease.Release && len(r.holders) > 0 && !r.busy(op.Client)
		},
		func(r *rogue, op *lease.Operation) answer {
			r.end(0)
			return said("released")
		}},
}

// fits applies to those who get the lock at once, again to those who have it, and returned to
// those who give it back while so many wait.
func fits(r *rogue, op *lease.Operation) bool {
	return op.Kind == lease.Acquire && !r.busy(op.Client) && r.open(op.Mode.String())
}

func again(r *rogue, op *lease.Operation) bool {
	return op.Kind == lease.Acquire && r.held(op.Client) >= 0
}

func returned(waiters int) func(*rogue, *lease.Operation) bool {
	return func(r *rogue, op *lease.Operation) bool {
		return op.Kind == lease.Release && r.held(op.Client) >= 0 && len(r.queue) >= waiters
	}
}

// do runs an operation by the rules.
func (r *rogue) do(op *lease.Operation) answer {
	switch op.Kind {
	case lease.Acquire:
		switch {
		case r.busy(op.Client):
			return said("error: client busy")
		case r.open(op.Mode.String()):
			return r.granted(op)
		}
		return r.queued(op)
	case lease.Renew:
		return r.renew(op)
	case lease.Release:
		if i := r.held(op.Client); i >= 0 {
			r.end(i)
			return said("released")
		}
		if i := r.asked(op.Client); i >= 0 {
			r.queue = slices.Delete(r.queue, i, i+1)
			r.handOver()
			return said("withdrawn")
		}
		return said("error: not holder")
	case lease.Inspect:
		a := answer{form: formLock, holders: slices.Clone(r.holders)}
		slices.SortStableFunc(a.holders, func(a, b lent) int { return cmp.Compare(a.token, b.token) })
		for _, w := range r.queue {
			a.queue = append(a.queue, w.waiter)
		}
		return a
	}
	a := answer{form: formClient, age: r.ages[op.Client]}
	for _, l := range r.holders {
		if l.name == op.Client {
			l.name = "L0"
			a.holds = append(a.holds, l)
		}
	}
	if r.asked(op.Client) >= 0 {
		a.waiting = "L0"
	}
	return a
}

// settle has all leases lapse that have ended, in the order in which they did.
func (r *rogue) settle(at lease.Instant) {
	at = max(at, r.now)
	for {
		first := -1
		for i, l := range r.holders {
			if l.until <= at && !r.stuck[l] && (first < 0 || l.until < r.holders[first].until) {
				first = i
			}
		}
		if first < 0 {
			break
		}
		r.now = max(r.now, r.holders[first].until)
		r.end(first)
	}
	r.now = at
}

func (r *rogue) end(i int) {
	r.gone = append(r.gone, r.holders[i])
	r.holders = slices.Delete(r.holders, i, i+1)
	r.handOver()
}

func (r *rogue) handOver() {
	for len(r.queue) > 0 && !r.passedBy {
		w := r.queue[0]
		if len(r.holders) > 0 && !(w.mode == "shared" && r.shared()) {
			return
		}
		r.queue = r.queue[1:]
		r.grant(w.client, w.mode, w.ttl)
	}
	r.passedBy = false
}

func (r *rogue) grant(client, mode string, ttl lease.Duration) answer {
	r.register(client)
	r.counter++
	l := lent{client, mode, r.counter, r.now + lease.Instant(ttl)}
	r.holders = append(r.holders, l)
	return answer{form: "granted", token: l.token, until: l.until}
}

func (r *rogue) granted(op *lease.Operation) answer {
	return r.grant(op.Client, op.Mode.String(), op.TTL)
}

func (r *rogue) queued(op *lease.Operation) answer {
	r.register(op.Client)
	r.queue = append(r.queue, asking{waiter{op.Client, op.Mode.String()}, op.TTL})
	return answer{form: "queued", position: len(r.queue)}
}

func (r *rogue) register(client string) {
	if r.ages[client] == 0 {
		r.ages[client] = int64(len(r.ages) + 1)
	}
}

func (r *rogue) renew(op *lease.Operation) answer {
	i := r.held(op.Client)
	if i < 0 {
		return said("error: not holder")
	}
	l := &r.holders[i]
	l.until = r.now + lease.Instant(op.TTL)
	return answer{form: "renewed", token: l.token, until: l.until}
}

// open tells whether somebody new gets the lock at once (Q1).
func (r *rogue) open(mode string) bool {
	return len(r.queue) == 0 && (len(r.holders) == 0 || mode == "shared" && r.shared())
}

func (r *rogue) shared() bool {
	return !slices.ContainsFunc(r.holders, func(l lent) bool { return l.mode != "shared" })
}

func (r *rogue) busy(client string) bool { return r.held(client) >= 0 || r.asked(client) >= 0 }

func (r *rogue) held(client string) int {
	return slices.IndexFunc(r.holders, func(l lent) bool { return l.name == client })
}

// ended gives the last lease of a client that has ended.
func (r *rogue) ended(client string) int {
	for i := len(r.gone) - 1; i >= 0; i-- {
		if r.gone[i].name == client {
			return i
		}
	}
	return -1
}

func (r *rogue) asked(client string) int {
	return slices.IndexFunc(r.queue, func(w asking) bool { return w.client == client })
}

// run gives the answers of a rogue that takes a wrong turn at one operation; at no one if that
// is -1. ok tells whether it could.
func run(ops []lease.Operation, at int, s slip) (recorded []string, ok bool) {
	r := &rogue{ages: map[string]int64{}, stuck: map[lent]bool{}}
	for i := range ops {
		r.settle(ops[i].At)
		if i != at {
			recorded = append(recorded, written(r.do(&ops[i])))
			continue
		}
		if !s.applies(r, &ops[i]) {
			return nil, false
		}
		recorded = append(recorded, written(s.take(r, &ops[i])))
	}
	return recorded, true
}

// oneLock makes a log of one lock alone, without its store.
func oneLock(t *trial) (ops []lease.Operation) {
	t.dialect = lease.Plain
	for _, op := range randomLog(t) {
		if op.Kind == lease.Write || op.Kind == lease.Read {
			continue
		}
		if op.Lock != "" {
			op.Lock = "L0"
		}
		ops = append(ops, op)
	}
	return ops
}

// A service that goes on from a state that the rules do not have has gone wrong once, all the
// same: what it shows of that state is no other cause.
func TestOneCauseInAStateOfNoRule(t *testing.T) {
	later, tried := map[Standing]int{}, met{}
	try(t, count(), 17, oneLock, func(t *trial) {
		if right, _ := run(t.ops, -1, slip{}); !slices.Equal(right, t.right) {
			t.show(right)
			t.fatalf("without a wrong turn the service is not that of the rules")
		}
		for _, s := range slips {
			for _, at := range t.rng.Perm(len(t.ops)) {
				recorded, ok := run(t.ops, at, s)
				if !ok {
					continue
				}
				tried[s.name]++
				for i, f := range t.reviewed(recorded) {
					if later[f.Standing]++; (f.Standing == Cause) != (i == 0) {
						t.show(recorded[:f.Number])
						t.fatalf("%s at operation %d: found %+v", s.name, at+1, *f)
					}
				}
				break
			}
		}
	})
	tried.all(t, namesOf(slips, func(s slip) string { return s.name }))
	t.Logf("differences: %v", later)
}
