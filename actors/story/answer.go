package story

import "github.com/leasekeeper/lkactor/actors/lease"

// answers gives the events of answers that no effect has told of already. Failed and
// Written are not here: which event they are depends on more.
var answers = map[lease.Outcome]Kind{
	lease.Inspected: Inspected,
	lease.Reported:  Reported,
	lease.Value:     Read,
	lease.Null:      Read,
	lease.Repeated:  Repeated,
	lease.Ticked:    Ticked,
	lease.Bumped:    Bumped,
	lease.Forgotten: Forgotten,
	lease.Closed:    Closed,
}

// End implements lease.Watcher.
func (t *teller) End(a *lease.Answer) {
	if t.repeat != nil && a.Result.Outcome == lease.Repeated {
		t.doing, t.repeat, t.place.Run = t.repeat, nil, 0
	}
	if t.repeat == t.doing {
		t.repeat = nil // it was refused: there are no runs
	}
	e := t.event(answers[a.Result.Outcome], t.now)
	op := t.doing
	e.Lock, e.Client, e.Key, e.Value, e.Token = op.Lock, op.Client, op.Key, op.Value, op.Token
	if op.ID != "" {
		e.First = t.first(a)
	}
	switch {
	case a.Remembered:
		e.Kind, e.Result = Again, keep(a.Result)
	case a.Result.Outcome == lease.Failed:
		t.failed(e, a.Result.Code)
	case a.Result.Outcome == lease.Written:
		t.wrote(e)
	case e.Kind == 0:
		return // its effects have been told
	}
	switch e.Kind {
	case Inspected, Reported, Repeated:
		e.Result = keep(a.Result)
	case Read:
		e.Value = a.Result.Value
	case Bumped:
		e.Token = a.Result.Token
	case Forgotten:
		t.book.forget(e.Lock, t.place)
	}
	t.tell(e)
}

// first gives where the request id of the operation in hand was first used, and
// remembers where it is used for the first time.
func (t *teller) first(a *lease.Answer) Place {
	r := request{t.doing.Client, t.doing.ID}
	if !a.Remembered && (a.Result.Outcome != lease.Failed || a.Result.Code != lease.IDReused) {
		t.firsts[r] = t.place
		return Place{}
	}
	return t.firsts[r]
}

func keep(r *lease.Result) *lease.Result {
	kept := *r
	return &kept
}

func (t *teller) wrote(e *Event) {
	e.Kind = Wrote
	p := t.book.page(e.Lock)
	e.Owner = p.owner(e.Token)
	p.accepted = &Write{Token: e.Token, Owner: e.Owner, At: e.At, By: t.place}
}

// failed adds to a refusal what its reader will ask for.
func (t *teller) failed(e *Event, code lease.Code) {
	e.Kind, e.Code = Failed, code
	if f := t.form; f != nil && t.doing.Kind == lease.Refused {
		e.Form, e.Client, e.Lock = f, f.Client, f.Lock
		return
	}
	switch code {
	case lease.StaleToken:
		e.Kind, e.Newer, e.Owner = Refused, t.book.Accepted(e.Lock), t.book.peek(e.Lock).owner(e.Token)
	case lease.NotHolder, lease.StaleLease:
		e.Claim, e.Cause, e.Forgot = t.book.Claim(e.Lock, e.Client), t.book.Last(e.Lock, e.Client), t.book.Forgotten(e.Lock)
	case lease.ClientBusy:
		if e.Claim = t.book.Claim(e.Lock, e.Client); e.Claim == nil {
			e.Claim = t.book.Waiting(e.Client)
		}
		if held := t.book.Holding(e.Client); e.Claim == nil && len(held) > 0 {
			e.Claim = &held[0] // a close
		}
	case lease.LockInUse:
		e.Newer = t.book.Accepted(e.Lock)
		in := t.book.Crowd(e.Lock, 1)
		if first := append(in.Holders, in.Queue...); len(first) > 0 {
			e.Claim = &first[0]
		}
	}
}
