package review

import (
	"slices"

	"github.com/leasekeeper/lkactor/actors/lease"
	"github.com/leasekeeper/lkactor/actors/story"
)

// Standing is how a finding stands to those before it.
type Standing uint8

const (
	// Cause: nothing that this answer depends on had differed before.
	Cause Standing = iota
	// Follows: the answer agrees with what an earlier finding had answered wrongly: the
	// same lease is seen again, tokens are off by as much, or a value is read that should
	// not have been accepted.
	Follows
	// Unclear: something that this answer depends on had differed before, so the state
	// that it was given from is not known. It may follow from that or be a fault of its
	// own.
	Unclear
)

var standingNames = [...]string{Cause: "cause", Follows: "follows", Unclear: "unclear"}

// String gives the standing in one word.
func (s Standing) String() string { return standingNames[s] }

// taint is of what the recorded state may not be ours any more, by the operation of
// the cause. It errs to one side: what is not in it has the same state in both, as
// far as answers can show.
//
// State is passed on between locks only through clients, which hold one and wait for
// another: so a lock that differs makes those differ who have or had something of it
// since, and a client that differs matters where its other business does.
type taint struct {
	locks, clients, stores map[string]int64
	counters               map[string]int64 // of tokens, by lock: nothing shows one before the next grant
	ages                   int64            // registration numbers, which decide who is aborted

	leases  map[tenure]wrong  // what was shown wrongly of a lease
	offsets map[string]offset // by lock: by how much tokens are off
	values  map[cell]stored   // what was accepted and should not have been
}

// tenure is whose lease of what.
type tenure struct{ lock, client string }

// wrong is a lease as it was recorded, other than the rules have it.
type wrong struct {
	token  lease.Token
	until  lease.Instant
	number int64
}

// stored is a value that was recorded as accepted.
type stored struct {
	value  string
	number int64
}

// offset is by how much a counter was off when that was last seen.
type offset struct {
	by     lease.Token
	number int64
}

func newTaint() taint {
	return taint{
		locks: map[string]int64{}, clients: map[string]int64{}, stores: map[string]int64{}, counters: map[string]int64{},
		leases: map[tenure]wrong{}, offsets: map[string]offset{}, values: map[cell]stored{},
	}
}

// touch takes note of an operation whose answer says nothing new: a client that has
// to do with a lock that may differ may differ itself.
func (t *taint) touch(m *matter) {
	if root := t.locks[m.op.Lock]; root != 0 && m.op.Client != "" {
		mark(t.clients, m.op.Client, root)
	}
}

// pass takes note of an operation whose answers agree.
func (t *taint) pass(m *matter) {
	t.clear(m)
	t.touch(m)
	switch m.op.Kind {
	case lease.Acquire, lease.Renew, lease.Release, lease.Evict:
		delete(t.leases, tenure{m.op.Lock, m.op.Client})
	case lease.Write:
		delete(t.values, cell{m.op.Lock, m.op.Key})
	}
	if m.op.Kind == lease.Acquire && m.granted() != nil {
		delete(t.offsets, m.op.Lock)
		if t.locks[m.op.Lock] == 0 { // otherwise it may issue tokens that nobody sees
			delete(t.counters, m.op.Lock)
		}
	}
}

// clear takes note of what an answer that agrees proves to be the same: an inspect all
// there is of a lock that nobody waits for, but for its counter, and a status all
// there is of a client that does not wait. How long the lease of a waiter will last is
// shown by neither.
func (t *taint) clear(m *matter) {
	book := m.story.Book()
	switch m.op.Kind {
	case lease.Inspect:
		if len(book.Queue(m.op.Lock)) == 0 {
			delete(t.locks, m.op.Lock)
		}
	case lease.Status:
		if book.Waiting(m.op.Client) == nil {
			delete(t.clients, m.op.Client)
		}
	}
}

// earliest gives the cause of the earliest difference that there is any trace of.
func (t *taint) earliest() (root int64) {
	root = t.ages
	for _, marks := range []map[string]int64{t.locks, t.clients} {
		for _, cause := range marks {
			if root == 0 || cause < root {
				root = cause
			}
		}
	}
	return root
}

// place says how a finding stands, and takes note of it.
func (t *taint) place(m *matter, number int64) (s Standing, after int64) {
	root := t.depends(m)
	if from := t.explained(m); from != 0 {
		s, after = Follows, from
	} else if root != 0 {
		s, after = Unclear, root
	}
	if root == 0 {
		root = number
	}
	t.spread(m, root)
	if s == Follows {
		number = after
	}
	t.remember(m, number)
	return s, after
}

// depends gives the cause of the earliest difference in what the two answers depend
// on; zero if nothing of it has differed.
func (t *taint) depends(m *matter) (root int64) {
	on := func(cause int64) {
		if cause != 0 && (root == 0 || cause < root) {
			root = cause
		}
	}
	op := m.op
	switch op.Kind {
	case lease.Acquire:
		on(t.locks[op.Lock])
		if m.want.token != m.got.token {
			on(t.counters[op.Lock])
		}
		if m.want.fails(lease.ClientBusy) || m.got.fails(lease.ClientBusy) {
			on(t.clients[op.Client])
		}
		if !slices.Equal(m.want.victims, m.got.victims) || m.want.form == "deadlock" {
			on(t.earliest()) // whatever waits for whatever may be on the cycle
		}
	case lease.Status, lease.Close:
		on(t.clients[op.Client])
		for _, h := range append(m.want.holds, m.got.holds...) {
			on(t.locks[h.name])
			on(t.counters[h.name])
		}
		if m.want.age != m.got.age {
			on(t.ages)
		}
	case lease.Write, lease.Read:
		on(t.stores[op.Lock])
	case lease.Repeat:
		on(t.earliest())
		for _, e := range m.events {
			on(t.stores[e.Lock])
		}
	case lease.Forget:
		on(t.locks[op.Lock])
		on(t.stores[op.Lock])
	default:
		on(t.locks[op.Lock])
		on(t.counters[op.Lock])
	}
	return root
}

// spread takes note of all whose state may be another since this difference.
func (t *taint) spread(m *matter, root int64) {
	op := m.op
	switch op.Kind {
	case lease.Write, lease.Read:
		mark(t.stores, op.Lock, root)
		return
	case lease.Repeat, lease.Refused:
		t.spreadEvents(m, root)
	case lease.Status, lease.Close:
		t.client(m, op.Client, root)
		if m.want.age != m.got.age {
			t.ages = root
		}
	default:
		t.lock(m, op.Lock, root)
		if m.want.fails(lease.ClientBusy) || m.got.fails(lease.ClientBusy) {
			t.client(m, op.Client, root)
		}
	}
	if op.Client != "" {
		mark(t.clients, op.Client, root)
	}
	if registers(&m.want) != registers(&m.got) || !slices.Equal(m.want.victims, m.got.victims) {
		if t.ages == 0 {
			t.ages = root
		}
	}
	for _, victim := range append(m.want.victims, m.got.victims...) {
		if !slices.Contains(m.want.victims, victim) || !slices.Contains(m.got.victims, victim) {
			t.client(m, victim, root)
		}
	}
	t.spreadEvents(m, root)
}

// spreadEvents marks what the rules had happen here and the record may not have.
func (t *taint) spreadEvents(m *matter, root int64) {
	for _, e := range m.events {
		hidden := e.Abort || e.Kind == story.Granted && e.FromQueue && e.Cause != nil && e.Cause.Abort
		if hidden && !slices.Equal(m.want.victims, m.got.victims) || m.op.Kind == lease.Repeat && e.Lock != "" {
			t.lock(m, e.Lock, root)
			mark(t.clients, e.Client, root)
			if e.Kind == story.Wrote || e.Kind == story.Refused {
				mark(t.stores, e.Lock, root)
			}
		}
	}
}

// registers tells whether an acquire with that answer registers its client (C2).
func registers(a *answer) bool {
	return a.form == "granted" || a.form == "queued" || a.form == "deadlock"
}

// lock marks a lock, and all who have something of it.
func (t *taint) lock(m *matter, name string, root int64) {
	if name == "" {
		return
	}
	mark(t.locks, name, root)
	mark(t.counters, name, root)
	for _, claims := range [][]story.Claim{m.story.Book().Holders(name), m.story.Book().Queue(name)} {
		for _, c := range claims {
			mark(t.clients, c.Client, root)
		}
	}
}

// client marks a client, and all it has something of.
func (t *taint) client(m *matter, name string, root int64) {
	mark(t.clients, name, root)
	for _, c := range m.story.Book().Holding(name) {
		t.lock(m, c.Lock, root)
	}
	if c := m.story.Book().Waiting(name); c != nil {
		t.lock(m, c.Lock, root)
	}
}

func mark(in map[string]int64, name string, root int64) {
	if in[name] == 0 {
		in[name] = root
	}
}
