package lockactor

import (
	"slices"

	"github.com/leasekeeper/lkactor/actors/lease"
	"github.com/leasekeeper/lkactor/actors/lease/due"
	"github.com/leasekeeper/lkactor/lockactor/fence/cell"
)

// Lock is the state machine of one lock: (state, step) → (state, result,
// effects). It reads no clock and starts nothing; one goroutine at a time may
// use it. Make one with [New].
//
// Where there are many locks, none is in the cache when it is its turn: what every
// step needs comes first and lies together, and what few locks have is elsewhere.
type Lock struct {
	id      *lease.Lock
	counter lease.Token // the last token issued (Q2)

	// mode is that of all holders: several can only be shared (L1).
	mode lease.Mode

	// mirrored says that the deadlock graph knows the holders and the queue.
	mirrored bool

	holders line // by token, lowest first
	queue   line // by arrival, oldest first

	// effects collects what the step in hand does; the lane's, nil between lanes.
	effects *[]lease.Effect

	ledger ledger
	expiry *due.Heap // the holders' slots by expires_at; nil until there are several
	store  cell.Cell
}

// calmHolders is up to how many holders are forgotten by the deadlock graph as
// soon as nobody waits any more. With more of them the mirror stays until most
// have left, so that a waiter who comes and goes does not introduce each of
// them anew.
const calmHolders = 4

// New gives the lock id as it was left; the zero Residue and no claims for a lock
// that was never used. claims may be nil.
func New(id *lease.Lock, rest lease.Residue, claims *lease.Claims) *Lock {
	l := new(Lock)
	l.open(id, rest, claims)
	return l
}

// Run takes the steps of a lane one after the other, and fills in their results
// and effects and what the lane wants to know of the lock afterwards.
func (l *Lock) Run(lane *lease.Lane) {
	lane.Effects = lane.Effects[:0]
	l.effects = &lane.Effects
	for s := lane.First; s != nil; s = s.Next {
		lane.Current = s
		s.From = int32(len(lane.Effects))
		l.settle(s.Now)
		l.take(s)
		l.calm(s.Now)
		s.To = int32(len(lane.Effects))
	}
	l.effects = nil
	lane.Holders, lane.Waiters, lane.Mirrored = l.holders.size, l.queue.size, l.mirrored
	_, lane.Due = l.next()
	lane.Current = nil
	if lane.Leave {
		*lane.Rest, lane.Claims = l.leave()
	}
}

func (l *Lock) take(s *lease.Step) {
	switch s.Kind {
	case lease.Acquire:
		l.acquire(s)
	case lease.Renew:
		l.renew(s)
	case lease.Release, lease.Evict:
		l.release(s)
	case lease.Inspect:
		*s.Result = lease.Result{Outcome: lease.Inspected, Detail: &lease.Detail{Lock: l.view()}}
	case lease.Write:
		l.write(s)
	case lease.Read:
		l.read(s)
	case lease.Bump:
		l.counter = max(l.counter, s.Token)
		*s.Result = lease.Result{Outcome: lease.Bumped, Token: l.counter}
	case lease.Forget:
		l.forget(s)
	case lease.Settle, lease.Status: // Run has settled; the client answers a status
	}
}

// settle retires every lease that has ended by now, each at its own instant, and
// hands over at that instant, until the state is that of now (T1, T3).
func (l *Lock) settle(now lease.Instant) {
	for {
		s, at := l.next()
		if at > now {
			return
		}
		l.end(s, at, lease.ChangeLapsed, nil)
		l.promote(at)
	}
}

// acquire grants on the spot if nobody is in line before and the holders allow
// it, and queues otherwise (Q1). A client that holds or awaits this very lock is
// busy (C1); whether it waits elsewhere the sequencer has looked at.
func (l *Lock) acquire(s *lease.Step) {
	if l.ledger.find(s.Client) != none {
		*s.Result = lease.Fail(lease.ClientBusy)
		return
	}
	c := l.ledger.add(s)
	if l.queue.size == 0 && l.compatible(s.Mode) {
		l.grant(c, s.Now)
		granted := &l.ledger.claims[c]
		*s.Result = lease.Result{Outcome: lease.Granted, Token: granted.token, Until: granted.until}
		return
	}
	if s.Holds {
		l.mirror(s.Now)
	}
	l.ledger.push(&l.queue, c)
	l.tell(lease.ChangeQueued, c, s.Now)
	*s.Result = lease.Result{Outcome: lease.Queued, Position: l.queue.size}
}

// renew moves the end of a lease to one ttl from now, later or sooner (L2).
// Whoever does not hold the lock is told so (L3).
func (l *Lock) renew(s *lease.Step) {
	c := l.ledger.find(s.Client)
	if c == none || !l.ledger.claims[c].holds() {
		*s.Result = lease.Fail(lease.NotHolder)
		return
	}
	if s.Expect != 0 && l.ledger.claims[c].token != s.Expect {
		*s.Result = lease.Fail(lease.StaleLease)
		return
	}
	held := &l.ledger.claims[c]
	held.until = s.Now + lease.Instant(s.TTL)
	if l.holders.size > 1 {
		l.schedule(c)
	}
	l.tell(lease.ChangeRenewed, c, s.Now)
	*s.Result = lease.Result{Outcome: lease.Renewed, Token: held.token, Until: held.until}
}

// release ends a lease (L4) or takes a request out of the queue (L5); either may
// let the head of the queue in, as of now. A release that expects a token only
// ever ends the lease that has it (E3).
func (l *Lock) release(s *lease.Step) {
	c := l.ledger.find(s.Client)
	switch {
	case c == none, s.Expect != 0 && !l.ledger.claims[c].holds():
		*s.Result = lease.Fail(lease.NotHolder)
		return
	case s.Expect != 0 && l.ledger.claims[c].token != s.Expect:
		*s.Result = lease.Fail(lease.StaleLease)
		return
	case l.ledger.claims[c].holds():
		l.end(c, s.Now, lease.ChangeReleased, s)
		*s.Result = lease.Result{Outcome: lease.Released}
	default:
		l.withdraw(c, s)
		*s.Result = lease.Result{Outcome: lease.Withdrawn}
	}
	l.promote(s.Now)
}

func (l *Lock) write(s *lease.Step) {
	if code := l.store.Write(s.Key, s.Value, s.Token); code != lease.OK {
		*s.Result = lease.Fail(code)
		return
	}
	*s.Result = lease.Result{Outcome: lease.Written}
}

func (l *Lock) read(s *lease.Step) {
	if value, ok := l.store.Read(s.Key); ok {
		*s.Result = lease.Result{Outcome: lease.Value, Value: value}
		return
	}
	*s.Result = lease.Result{Outcome: lease.Null}
}

// forget tells whether the record of the lock may be dropped: nobody holds or
// awaits it and nothing is stored under it (E4).
func (l *Lock) forget(s *lease.Step) {
	if accepted, _ := l.store.Contents(); accepted != 0 || l.holders.size > 0 || l.queue.size > 0 {
		*s.Result = lease.Fail(lease.LockInUse)
		return
	}
	*s.Result = lease.Result{Outcome: lease.Forgotten}
}

// compatible tells whether a request of that mode may join the holders (L1).
func (l *Lock) compatible(mode lease.Mode) bool {
	return l.holders.size == 0 || mode == lease.Shared && l.mode == lease.Shared
}

// promote grants from the head of the queue while it is compatible, each lease
// starting at the given instant (Q3, T3).
func (l *Lock) promote(at lease.Instant) {
	for l.queue.size > 0 {
		head := l.queue.first
		if !l.compatible(l.ledger.claims[head].mode) {
			return
		}
		l.ledger.pull(&l.queue, head)
		l.grant(head, at).FromQueue = true
	}
}

// grant turns a claim that stands in no line into a lease [at, at+ttl) under the
// next token (Q2, T2).
func (l *Lock) grant(s slot, at lease.Instant) *lease.Effect {
	l.counter++
	c := &l.ledger.claims[s]
	c.token = l.counter
	c.until = at + lease.Instant(c.ttl)
	l.mode = c.mode
	l.ledger.push(&l.holders, s)
	if l.holders.size > 1 {
		l.schedule(s)
		if l.holders.size == 2 {
			l.schedule(l.holders.first)
		}
	}
	return l.tell(lease.ChangeGranted, s, at)
}

// next gives the lease that ends next and when; lease.Never if nobody holds the
// lock. A single lease needs no heap.
func (l *Lock) next() (s slot, at lease.Instant) {
	switch l.holders.size {
	case 0:
		return none, lease.Never
	case 1:
		return l.holders.first, l.ledger.claims[l.holders.first].until
	}
	id, at := l.expiry.Min()
	return slot(id), at
}

// schedule puts the lease in s in its place among those that will end.
func (l *Lock) schedule(s slot) {
	if l.expiry == nil {
		l.expiry = new(due.Heap)
	}
	c := &l.ledger.claims[s]
	l.expiry.Set(uint32(s), c.until, int64(c.token))
}

// end ends a lease, by a step or by itself; the caller looks at the queue.
func (l *Lock) end(s slot, at lease.Instant, why lease.Change, by *lease.Step) {
	l.ledger.pull(&l.holders, s)
	if l.holders.size > 0 {
		l.expiry.Remove(uint32(s))
		if l.holders.size == 1 {
			l.expiry.Remove(uint32(l.holders.first))
		}
	}
	e := l.tell(why, s, at)
	if by != nil {
		e.Abort, e.Evict = by.Abort, by.Kind == lease.Evict
	}
	l.ledger.drop(s)
}

// withdraw takes a request out of the queue; the caller looks at the new head.
func (l *Lock) withdraw(s slot, by *lease.Step) {
	l.ledger.pull(&l.queue, s)
	e := l.tell(lease.ChangeWithdrawn, s, by.Now)
	e.Abort, e.Evict = by.Abort, by.Kind == lease.Evict
	l.ledger.drop(s)
}

// mirror introduces the holders and the queue to the deadlock graph when the
// first client that holds something else is about to wait for them.
//
// Until then the lock can be on no cycle. A cycle comes to it by a waiter that
// somebody waits for on some other lock, so by one that holds something; and a
// waiter holds nothing that it did not hold when it queued, as it waits for one
// lock at a time (C1). In the usual case, where jobs take one lock each, the
// graph has no work at all.
func (l *Lock) mirror(at lease.Instant) {
	if l.mirrored {
		return
	}
	l.mirrored = true
	for s := l.holders.first; s != none; s = l.ledger.claims[s].after {
		l.tell(lease.ChangeHeld, s, at)
	}
	for s := l.queue.first; s != none; s = l.ledger.claims[s].after {
		l.tell(lease.ChangeAwaited, s, at)
	}
}

// calm takes the lock out of the deadlock graph when nobody waits for it and few
// hold it.
func (l *Lock) calm(at lease.Instant) {
	if l.mirrored && l.queue.size == 0 && l.holders.size <= calmHolders {
		*l.effects = append(*l.effects, lease.Effect{
			Change: lease.ChangeCalm, Contended: true, Lock: l.id, At: at,
		})
		l.mirrored = false
	}
}

// tell records an effect on the claim in s. It may be added to until the next
// one.
func (l *Lock) tell(change lease.Change, s slot, at lease.Instant) *lease.Effect {
	c := &l.ledger.claims[s]
	effects := *l.effects
	n := len(effects)
	if n == cap(effects) {
		effects = slices.Grow(effects, 1)
	}
	*l.effects = effects[:n+1]
	e := &(*l.effects)[n]
	e.Change, e.Mode, e.FromQueue, e.Contended, e.Abort, e.Evict = change, c.mode, false, l.mirrored, false, false
	e.Lock, e.Client, e.Token, e.At, e.Until, e.Age = l.id, c.client, c.token, at, c.until, c.age
	return e
}
