package telling

import (
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/leasekeeper/lkactor/actors/lease"
	"github.com/leasekeeper/lkactor/actors/oplog"
	"github.com/leasekeeper/lkactor/actors/story"
	"github.com/leasekeeper/lkactor/cmd/lkactor/internal/escape"
)

// JSON adds an event to buf as one JSON object on one line. Its keys are the fields
// of [story.Event], those left out that do not matter; instants are numbers as in
// the log.
func JSON(buf []byte, e *story.Event) []byte {
	text, err := json.Marshal(lineOf(e), json.Deterministic(true))
	if err != nil {
		panic(err) // all of it are numbers and valid strings
	}
	return append(escape.JSON(buf, text), '\n')
}

// line is the object of an event. Pointers are for what may be zero and matters all
// the same.
type line struct {
	Event     string         `json:"event"`
	Operation int64          `json:"operation"`
	Run       int64          `json:"run,omitzero"`
	Doing     string         `json:"doing"`
	At        *lease.Instant `json:"at"` // null while the clock has not been set
	Noticed   *lease.Instant `json:"noticed"`

	Lock   string         `json:"lock,omitzero"`
	Client string         `json:"client,omitzero"`
	Mode   string         `json:"mode,omitzero"`
	Token  lease.Token    `json:"token,omitzero"`
	Until  *lease.Instant `json:"until,omitzero"`
	Age    lease.Age      `json:"age,omitzero"`

	FromQueue *bool          `json:"from_queue,omitzero"`
	Since     *lease.Instant `json:"since,omitzero"`
	Was       *lease.Instant `json:"was,omitzero"`
	Shortened bool           `json:"shortened,omitzero"`
	Abort     bool           `json:"abort,omitzero"`
	Operator  bool           `json:"operator,omitzero"`

	Position    int     `json:"position,omitzero"`
	Behind      *claim  `json:"behind,omitzero"`
	Holders     []claim `json:"holders,omitempty"`
	HolderCount int     `json:"holder_count,omitzero"`

	Cause  *ending `json:"cause,omitzero"`
	Forgot *place  `json:"forgotten,omitzero"`
	Claim  *claim  `json:"claim,omitzero"`

	Key   string `json:"key,omitzero"`
	Value string `json:"value,omitzero"` // none of a read: nothing is stored
	Owner string `json:"owner,omitzero"`
	Newer *write `json:"newer,omitzero"`

	Deadlock *cycle         `json:"deadlock,omitzero"`
	First    *place         `json:"first,omitzero"`
	Code     string         `json:"code,omitzero"`
	Form     *form          `json:"form,omitzero"`
	Result   jsontext.Value `json:"result,omitzero"`
}

type form struct {
	Rule  string `json:"rule"`
	Kind  string `json:"kind"`
	Part  string `json:"part"`
	Given string `json:"given,omitzero"` // the text of a JSON value, valid or not
	Fault string `json:"fault"`
}

type place struct {
	Operation int64 `json:"operation"`
	Run       int64 `json:"run,omitzero"`
}

type claim struct {
	Lock   string         `json:"lock"`
	Client string         `json:"client"`
	Age    lease.Age      `json:"age"`
	Mode   string         `json:"mode"`
	Token  lease.Token    `json:"token,omitzero"`
	Since  lease.Instant  `json:"since"`
	Until  *lease.Instant `json:"until,omitzero"`
	Asked  place          `json:"asked"`
}

type ending struct {
	Event string `json:"event"`
	claim `json:",inline"`
	At    lease.Instant `json:"at"`
	Abort bool          `json:"abort,omitzero"`
	Oper  bool          `json:"operator,omitzero"`
	By    place         `json:"by"`
}

type write struct {
	Token lease.Token   `json:"token"`
	Owner string        `json:"owner,omitzero"`
	At    lease.Instant `json:"at"`
	By    place         `json:"by"`
}

type cycle struct {
	Requester string   `json:"requester"`
	Round     int      `json:"round"`
	Victim    member   `json:"victim"`
	Edges     []link   `json:"edges"`
	Through   []link   `json:"through,omitempty"`
	Count     int      `json:"count"`
	Members   []member `json:"members"`
	Unknown   bool     `json:"unexplained,omitzero"`
}

type link struct {
	Waiter  string      `json:"waiter"`
	Lock    string      `json:"lock"`
	Blocker string      `json:"blocker"`
	Mode    string      `json:"mode"`
	Token   lease.Token `json:"token,omitzero"` // none: ahead in the queue
	Age     lease.Age   `json:"age"`
}

type member struct {
	Client    string    `json:"client"`
	Age       lease.Age `json:"age"`
	Bystander bool      `json:"bystander,omitzero"`
}

func lineOf(e *story.Event) *line {
	l := &line{
		Event: e.Kind.String(), Operation: e.Operation, Run: e.Run, Doing: e.Doing.String(),
		At: instant(e.At), Noticed: instant(e.Noticed), Lock: e.Lock, Client: e.Client,
		Token: e.Token, Age: e.Age, Shortened: e.Shortened(), Abort: e.Abort, Operator: e.Operator,
		Position: e.Position, Behind: claimOf(e.Behind), HolderCount: e.HolderCount, Claim: claimOf(e.Claim),
		Cause: endingOf(e.Cause), Key: e.Key, Value: e.Value, Owner: e.Owner, Newer: writeOf(e.Newer), Deadlock: cycleOf(e.Deadlock),
	}
	for i := range e.Holders {
		l.Holders = append(l.Holders, *claimOf(&e.Holders[i]))
	}
	switch e.Kind {
	case story.Granted, story.Queued, story.Renewed, story.Lapsed, story.Released, story.Withdrawn:
		l.Mode = e.Mode.String()
	case story.Failed, story.Refused:
		l.Code = e.Code.Error()
	}
	switch e.Kind {
	case story.Granted:
		if l.FromQueue, l.Until = &e.FromQueue, &e.Until; e.FromQueue {
			l.Since = &e.Since
		}
	case story.Renewed:
		l.Since, l.Was, l.Until = &e.Since, &e.Was, &e.Until
	case story.Lapsed, story.Released:
		l.Since, l.Until = &e.Since, &e.Until
	case story.Withdrawn:
		l.Since = &e.Since
	}
	l.First, l.Forgot = placeOf(e.First), placeOf(e.Forgot)
	if f := e.Form; f != nil {
		l.Form = &form{f.Rule, f.Kind.String(), f.Part, strings.ToValidUTF8(f.Given, "\ufffd"), f.Fault}
	}
	if e.Result != nil {
		l.Result = oplog.AppendResult(nil, e.Result)
	}
	return l
}

func placeOf(p story.Place) *place {
	if p == (story.Place{}) {
		return nil
	}
	return &place{p.Operation, p.Run}
}

func instant(at lease.Instant) *lease.Instant {
	if at == lease.Dawn {
		return nil
	}
	return &at
}

func claimOf(c *story.Claim) *claim {
	if c == nil {
		return nil
	}
	out := &claim{
		Lock: c.Lock, Client: c.Client, Age: c.Age, Mode: c.Mode.String(), Token: c.Token, Since: c.Since,
		Asked: place{c.Asked.Operation, c.Asked.Run},
	}
	if c.Holds() {
		out.Until = &c.Until
	}
	return out
}

func endingOf(e *story.Ending) *ending {
	if e == nil {
		return nil
	}
	return &ending{
		Event: e.Kind.String(), claim: *claimOf(&e.Claim), At: e.At, Abort: e.Abort, Oper: e.Operator,
		By: place{e.By.Operation, e.By.Run},
	}
}

func writeOf(w *story.Write) *write {
	if w == nil {
		return nil
	}
	return &write{Token: w.Token, Owner: w.Owner, At: w.At, By: place{w.By.Operation, w.By.Run}}
}

func cycleOf(c *story.Cycle) *cycle {
	if c == nil {
		return nil
	}
	out := &cycle{Requester: c.Requester, Round: c.Round, Victim: member(c.Victim), Edges: links(c.Edges), Count: c.Count, Unknown: c.Unexplained}
	if !c.Direct() {
		out.Through = links(c.Through)
	}
	for _, m := range c.Members {
		out.Members = append(out.Members, member(m))
	}
	return out
}

func links(edges []story.Edge) []link {
	all := make([]link, len(edges))
	for i, e := range edges {
		all[i] = link{e.Waiter, e.Lock, e.Blocker, e.Mode.String(), e.Token, e.Age}
	}
	return all
}
