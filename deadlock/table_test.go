package deadlock

import (
	"iter"
	"maps"
	"slices"
	"strings"

	"github.com/leasekeeper/lkactor/actors/lease"
)

// table is a lock table for tests: the rules L, Q, C and D5 in their plainest
// form, without time, and the effects that the graph is a fold of. It is slow and
// shares nothing with the package it tests.
type table struct {
	clients map[string]*person
	locks   map[string]*thing
	age     lease.Age // the last one given (C2)

	// handful is up to how many holders a lock is calm with.
	handful int
	// sink takes the effects that concern the graph.
	sink func(*lease.Effect)
}

type person struct {
	id    *lease.Client
	age   lease.Age // zero while not registered
	waits *thing
	holds map[*thing]bool
}

type thing struct {
	id       *lease.Lock
	counter  lease.Token
	holders  []claim // by token
	queue    []claim // oldest first
	mirrored bool
}

type claim struct {
	who   *person
	mode  lease.Mode
	token lease.Token
	due   bool // the lease has ended, but nobody has noticed yet
}

func newTable(handful int, sink func(*lease.Effect)) *table {
	return &table{
		clients: map[string]*person{}, locks: map[string]*thing{},
		handful: handful, sink: sink,
	}
}

func (t *table) client(name string) *person {
	if t.clients[name] == nil {
		id := &lease.Client{ID: uint32(len(t.clients) + 1), Name: name}
		t.clients[name] = &person{id: id, holds: map[*thing]bool{}}
	}
	return t.clients[name]
}

func (t *table) lock(name string) *thing {
	if t.locks[name] == nil {
		id := &lease.Lock{ID: uint32(len(t.locks) + 1), Name: name}
		t.locks[name] = &thing{id: id}
	}
	return t.locks[name]
}

// acquire answers whether the request was queued; ok is false if the client is
// busy (C1).
func (t *table) acquire(p *person, l *thing, mode lease.Mode) (queued, ok bool) {
	t.settle(l)
	if p.waits != nil || p.holds[l] {
		return false, false
	}
	if p.age == 0 {
		t.age++
		p.age = t.age
	}
	c := claim{who: p, mode: mode}
	if len(l.queue) == 0 && compatible(l, c) {
		t.grant(l, c, false)
		return false, true
	}
	if !l.mirrored {
		l.mirrored = true
		for _, h := range l.holders {
			t.tell(lease.Effect{Change: lease.ChangeHeld, Lock: l.id, Client: h.who.id, Mode: h.mode, Token: h.token})
		}
	}
	l.queue = append(l.queue, c)
	p.waits = l
	t.tell(lease.Effect{Change: lease.ChangeQueued, Lock: l.id, Client: p.id, Mode: mode, Age: p.age})
	return true, true
}

// leave ends a lease or withdraws a request; false if the client has neither.
func (t *table) leave(p *person, l *thing, why lease.Change) bool {
	if i := slices.IndexFunc(l.holders, func(c claim) bool { return c.who == p }); i >= 0 {
		h := l.holders[i]
		l.holders = slices.Delete(l.holders, i, i+1)
		delete(p.holds, l)
		t.tellOf(l, lease.Effect{Change: why, Client: p.id, Mode: h.mode, Token: h.token})
	} else if p.waits == l {
		i := slices.IndexFunc(l.queue, func(c claim) bool { return c.who == p })
		mode := l.queue[i].mode
		l.queue = slices.Delete(l.queue, i, i+1)
		p.waits = nil
		t.tellOf(l, lease.Effect{Change: lease.ChangeWithdrawn, Client: p.id, Mode: mode})
	} else {
		return false
	}
	t.promote(l)
	t.calm(l)
	return true
}

// settle retires what is due on a lock, one lease after the other (T3).
func (t *table) settle(l *thing) {
	for {
		i := slices.IndexFunc(l.holders, func(c claim) bool { return c.due })
		if i < 0 {
			return
		}
		t.leave(l.holders[i].who, l, lease.ChangeLapsed)
	}
}

// settleAll settles every lock, in name order.
func (t *table) settleAll() {
	for _, l := range t.sorted() {
		t.settle(l)
	}
}

// abort is rule D5.
func (t *table) abort(p *person) {
	if p.waits != nil {
		t.leave(p, p.waits, lease.ChangeReleased)
	}
	for _, l := range byName(maps.Keys(p.holds)) {
		t.leave(p, l, lease.ChangeReleased)
	}
	p.age = 0
	t.tell(lease.Effect{Change: lease.ChangeAborted, Client: p.id})
}

func (t *table) promote(l *thing) {
	for len(l.queue) > 0 && compatible(l, l.queue[0]) {
		head := l.queue[0]
		l.queue = l.queue[1:]
		head.who.waits = nil
		t.grant(l, head, true)
	}
}

func (t *table) grant(l *thing, c claim, fromQueue bool) {
	l.counter++
	c.token = l.counter
	l.holders = append(l.holders, c)
	c.who.holds[l] = true
	e := lease.Effect{Change: lease.ChangeGranted, Client: c.who.id, Mode: c.mode, Token: c.token, FromQueue: fromQueue}
	if !fromQueue {
		e.Age = c.who.age
	}
	t.tellOf(l, e)
}

func (t *table) calm(l *thing) {
	if l.mirrored && len(l.queue) == 0 && len(l.holders) <= t.handful {
		t.tellOf(l, lease.Effect{Change: lease.ChangeCalm})
		l.mirrored = false
	}
}

// tellOf tells of an effect on a lock if the graph mirrors it.
func (t *table) tellOf(l *thing, e lease.Effect) {
	if l.mirrored {
		e.Lock = l.id
		t.tell(e)
	}
}

func (t *table) tell(e lease.Effect) {
	e.Contended = e.Lock != nil
	t.sink(&e)
}

// sorted gives all locks in name order.
func (t *table) sorted() []*thing { return byName(maps.Values(t.locks)) }

func byName(locks iter.Seq[*thing]) []*thing {
	return slices.SortedFunc(locks, func(a, b *thing) int { return strings.Compare(a.id.Name, b.id.Name) })
}

func compatible(l *thing, c claim) bool {
	return len(l.holders) == 0 || c.mode == lease.Shared && l.holders[0].mode == lease.Shared
}

// arrows is the graph of D1 word by word: from a waiter to every holder of the
// lock and to everyone queued ahead.
func (t *table) arrows(p *person) (to []*person) {
	if p.waits == nil {
		return nil
	}
	for _, h := range p.waits.holders {
		to = append(to, h.who)
	}
	for _, c := range p.waits.queue {
		if c.who == p {
			break
		}
		to = append(to, c.who)
	}
	return to
}

// reachable gives how many edges it takes at least from one client to each
// client that one edge or more lead to.
func (t *table) reachable(from *person) map[*person]int {
	far := map[*person]int{}
	for edge, ring := 1, []*person{from}; len(ring) > 0; edge++ {
		var next []*person
		for _, p := range ring {
			for _, q := range t.arrows(p) {
				if far[q] == 0 {
					far[q] = edge
					next = append(next, q)
				}
			}
		}
		ring = next
	}
	return far
}

// deadlocked is C of rule D3, youngest first.
func (t *table) deadlocked(requester *person) []*person {
	var c []*person
	for p := range t.reachable(requester) {
		if t.reachable(p)[requester] > 0 {
			c = append(c, p)
		}
	}
	slices.SortFunc(c, func(a, b *person) int { return int(b.age - a.age) })
	return c
}
