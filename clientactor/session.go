package clientactor

import (
	"slices"
	"strings"

	"github.com/leasekeeper/lkactor/actors/lease"
	"github.com/leasekeeper/lkactor/actors/lease/slots"
)

// Session is the state machine of one client: a fold of the notes it is sent. It reads no clock; one goroutine at a time may use it. Make one with [New].
type Session struct {
	id      *lease.Client
	age     lease.Age   // zero while not registered (C2)
	waiting *lease.Lock // at most one (C1)

	slots slots.Table // of holds, by lock ID
	holds []hold
	few   [2]hold // what holds starts with; most clients never have more
}

// hold is one lease, as far as the client has been told.
type hold struct {
	lock  *lease.Lock
	mode  lease.Mode
	token lease.Token
	until lease.Instant
}

// New gives the session of a client that holds and awaits nothing; age is zero
// if it is not registered.
func New(id *lease.Client, age lease.Age) *Session {
	s := new(Session)
	s.open(id, age)
	return s
}

// open makes the zero Session that of the client.
func (s *Session) open(id *lease.Client, age lease.Age) { s.id, s.age = id, age }

// Idle tells whether the client holds and awaits nothing, so that its age is all
// there is to remember.
func (s *Session) Idle() bool { return s.waiting == nil && s.slots.Used() == 0 }

// Run takes the notes of a post one after the other and answers what is asked
// between them.
func (s *Session) Run(post *lease.Post) {
	next := 0
	apply := func(end int) {
		for ; next < end; next++ {
			s.Apply(&post.Notes[next])
		}
	}
	for i := range post.Questions {
		q := &post.Questions[i]
		apply(q.After)
		switch q.Kind {
		case lease.AskStatus:
			*q.Result = s.status(q.Now)
		case lease.AskHolds:
			post.Holds = s.locks()
		}
	}
	apply(len(post.Notes))
	if post.Leave {
		post.Kept = s.kept()
	}
}

// Apply takes one note. Notes come in the order of operations.
func (s *Session) Apply(n *lease.Note) {
	switch n.Change {
	case lease.ChangeRegistered:
		s.age = n.Age
	case lease.ChangeQueued:
		s.waiting = n.Lock
	case lease.ChangeGranted:
		if n.FromQueue {
			s.waiting = nil
		}
		s.keep(n)
	case lease.ChangeRenewed:
		s.holds[s.slots.Find(n.Lock.ID)].until = n.Until
	case lease.ChangeLapsed, lease.ChangeReleased:
		slot := s.slots.Find(n.Lock.ID)
		s.holds[slot].lock = nil
		s.slots.Drop(slot)
	case lease.ChangeWithdrawn:
		s.waiting = nil
	case lease.ChangeAborted:
		s.age = 0
	}
}

func (s *Session) keep(n *lease.Note) {
	slot := s.slots.Add(n.Lock.ID)
	if s.holds == nil {
		s.holds = s.few[:0]
	}
	if int(slot) == len(s.holds) {
		s.holds = append(s.holds, hold{})
	}
	s.holds[slot] = hold{lock: n.Lock, mode: n.Mode, token: n.Token, until: n.Until}
}

// status shows the client as of now (C3). A lease that has ended by now is not
// shown, whether or not its lock has noticed yet (T1).
func (s *Session) status(now lease.Instant) lease.Result {
	v := &lease.ClientView{Age: s.age, Holds: make([]lease.HoldView, 0, s.slots.Used())}
	for _, h := range s.holds {
		if h.lock != nil && h.until > now {
			v.Holds = append(v.Holds, lease.HoldView{
				Lock: h.lock.Name, Mode: h.mode, Token: h.token, Until: h.until,
			})
		}
	}
	slices.SortFunc(v.Holds, func(a, b lease.HoldView) int { return strings.Compare(a.Lock, b.Lock) })
	if s.waiting != nil {
		v.Waiting = s.waiting.Name
	}
	return lease.Result{Outcome: lease.Reported, Detail: &lease.Detail{Client: v}}
}

// locks lists what the client holds, ascending by name: the order in which an
// abort gives it up (D5).
func (s *Session) locks() []*lease.Lock {
	var all []*lease.Lock
	for _, h := range s.holds {
		if h.lock != nil {
			all = append(all, h.lock)
		}
	}
	slices.SortFunc(all, func(a, b *lease.Lock) int { return strings.Compare(a.Name, b.Name) })
	return all
}
