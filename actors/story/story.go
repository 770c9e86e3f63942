package story

import (
	"github.com/leasekeeper/lkactor/actors/lease"
	"github.com/leasekeeper/lkactor/actors/model"
)

// Story runs a log and tells it. It is for one goroutine at a time. Make one with
// [New].
type Story struct {
	model *model.Model
	teller
}

// New begins the story of a log of the dialect. tell is called for every event in
// order, from within [Story.Do], and must not call back.
func New(d lease.Dialect, tell func(*Event)) *Story {
	s := &Story{teller: teller{tell: tell, book: newBook(), firsts: map[request]Place{}}}
	s.model = model.Watched(d, &s.teller)
	return s
}

// Do runs the next operation of the log and gives its result; everything there is
// to tell of it has been told by then.
func (s *Story) Do(op *lease.Operation) lease.Result { return s.DoForm(op, nil) }

// DoForm is [Story.Do] with what is wrong with the form of an operation that is refused for
// it, or of a repeat whose template is; nil where nothing is, or nobody will ask.
func (s *Story) DoForm(op *lease.Operation, form *lease.Form) lease.Result {
	s.place, s.form = Place{Operation: s.place.Operation + 1}, form
	return s.model.Do(op)
}

// Book gives the state of the locks after the events told so far. It changes with the
// next operation. It may be looked at while an event is told: it is then as of just
// after the event.
func (s *Story) Book() *Book { return s.book }

// teller is the watcher of the model: it makes events of what it is told.
type teller struct {
	tell func(*Event)
	book *Book

	place    Place
	repeat   *lease.Operation // whose runs are in hand
	doing    *lease.Operation
	form     *lease.Form // what is wrong with it, or with the runs of the repeat
	now      lease.Instant
	deadlock *Cycle // the latest round of the operation in hand

	firsts map[request]Place // where request ids were first used
}

// request is a request id of a client (E3).
type request struct{ client, id string }

// Begin implements lease.Watcher.
func (t *teller) Begin(_ uint64, now lease.Instant, op *lease.Operation) {
	if t.repeat != nil {
		t.place.Run++
	}
	if op.Kind == lease.Repeat {
		t.repeat = op
	}
	t.doing, t.now, t.deadlock = op, now, nil
}

// event begins an event that the operation in hand brings about or notices.
func (t *teller) event(kind Kind, at lease.Instant) *Event {
	return &Event{Kind: kind, Place: t.place, Doing: t.doing.Kind, At: at, Noticed: t.now}
}

// Effect implements lease.Watcher.
func (t *teller) Effect(f *lease.Effect) {
	e := t.event(0, f.At)
	e.Client, e.Mode, e.Token, e.Until, e.Age = f.Client.Name, f.Mode, f.Token, f.Until, f.Age
	e.Abort = f.Abort
	e.Operator = !f.Abort && t.doing.Kind == lease.Evict
	if f.Change == lease.ChangeAborted {
		e.Kind, e.Abort, e.Operator, e.Age = Aborted, false, false, t.deadlock.Victim.Age
		t.tell(e)
		return
	}
	e.Lock = f.Lock.Name
	p := t.book.page(e.Lock)
	switch f.Change {
	case lease.ChangeQueued:
		t.queued(e, p)
	case lease.ChangeGranted:
		t.granted(e, p, f.FromQueue)
	case lease.ChangeRenewed:
		e.Kind, e.Abort, e.Operator = Renewed, false, false
		held := p.holders.find(e.Client)
		e.Since, e.Was = held.Since, held.Until
		held.Until = e.Until
	case lease.ChangeLapsed:
		t.ended(e, p, Lapsed)
	case lease.ChangeReleased:
		t.ended(e, p, Released)
	case lease.ChangeWithdrawn:
		t.ended(e, p, Withdrawn)
	}
	t.tell(e)
}

func (t *teller) queued(e *Event, p *page) {
	e.Kind, e.Until, e.Operator = Queued, 0, false
	e.Behind = p.queue.last().copy()
	e.Holders, e.HolderCount = p.holders.list(MostHolders), p.holders.size()
	c := &Claim{Lock: e.Lock, Client: e.Client, Age: e.Age, Mode: e.Mode, Since: e.At, Asked: t.place}
	p.queue.push(c)
	t.book.waiting[c.Client] = c
	e.Position = p.queue.size()
}

func (t *teller) granted(e *Event, p *page, fromQueue bool) {
	e.Kind, e.FromQueue, e.Operator = Granted, fromQueue, false
	c := &Claim{Lock: e.Lock, Client: e.Client, Age: e.Age, Mode: e.Mode, Asked: t.place}
	if fromQueue {
		delete(t.book.waiting, e.Client)
		c = p.queue.pull(e.Client)
		e.Since, e.Cause = c.Since, p.latest
	}
	c.Token, c.Since, c.Until = e.Token, e.At, e.Until
	t.book.granted(p, c)
}

// ended closes a lease or request.
func (t *teller) ended(e *Event, p *page, kind Kind) {
	e.Kind, e.Operator = kind, e.Operator && kind != Lapsed
	c := t.book.leave(p, e.Lock, e.Client)
	if !c.Holds() {
		e.Until = 0
	}
	e.Since = c.Since
	end := &Ending{Claim: *c, Kind: kind, At: e.At, Abort: e.Abort, Operator: e.Operator, By: t.place}
	p.latest, p.endings[c.Client] = end, end
}

// Deadlock implements lease.Watcher.
func (t *teller) Deadlock(d *lease.Deadlock) {
	round := 1
	if t.deadlock != nil {
		round = t.deadlock.Round + 1
	}
	t.deadlock = cycleOf(d, round)
	e := t.event(Deadlock, t.now)
	e.Lock, e.Client, e.Age, e.Deadlock = t.deadlock.Lock, t.deadlock.Victim.Client, t.deadlock.Victim.Age, t.deadlock
	t.tell(e)
}
