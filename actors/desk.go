package actors

import (
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"

	"github.com/asynkron/protoactor-go/actor"

	"github.com/leasekeeper/lkactor/actors/internal/feed"
	"github.com/leasekeeper/lkactor/actors/lease"
	"github.com/leasekeeper/lkactor/sequencer"
)

// desk deals with the actors that are attached to the clients of an engine. All of
// it happens on the sequencer's turn, and nothing of it waits: a message to an actor
// is put into its mailbox, one at a time.
type desk struct {
	engine *Engine
	// attached has the attachments by subscriber, then by client.
	attached map[address]map[string]*attachment
	byNumber map[uint64]*attachment
	watched  map[address]bool // subscribers whose end the engine will be told
	last     uint64           // number given to an attachment
}

// address tells one actor from every other. It is no text: the sequencer is told of
// the end of each actor that it sends away, too, and to write a PID out takes longer
// than all else there is to do then.
type address struct{ host, id string }

func addressOf(pid *actor.PID) address { return address{pid.GetAddress(), pid.GetId()} }

// attachment is one subscriber of one client.
type attachment struct {
	desk   *desk
	number uint64 // tells it from every other one of the desk
	pid    *actor.PID
	bearer actor.Process // who had the PID when the attachment was made
	sub    *sequencer.Subscription
	end    AtEnd

	feed     feed.Feed
	sent     lease.Instant // when the last notice was
	reported bool          // as slow, since it last confirmed anything
	gone     bool          // the actor has terminated
}

func newDesk(e *Engine) *desk {
	return &desk{
		engine: e, attached: make(map[address]map[string]*attachment), byNumber: make(map[uint64]*attachment),
		watched: make(map[address]bool),
	}
}

// serve takes a message that the sequencer does not know.
func (d *desk) serve(turn *sequencer.Actor, ctx actor.Context) {
	switch m := ctx.Message().(type) {
	case *Attach:
		if m != nil {
			d.attach(turn, ctx, m)
		}
	case *Detach:
		if m != nil {
			if a := d.find(subscriber(m.To, ctx), m.Client); a != nil {
				d.drop(turn, ctx, a)
			}
		}
	case *Confirm:
		if m != nil {
			if a := d.byNumber[m.attachment]; a != nil {
				a.confirm(turn, m.number)
			}
		}
	case *actor.Terminated:
		d.terminated(ctx, m.Who)
	case *farewell:
		d.part(turn, ctx, m)
	}
}

// subscriber is who is named, or else the sender; nil if there is neither.
func subscriber(named *actor.PID, ctx actor.Context) *actor.PID {
	if named != nil {
		return named
	}
	return ctx.Sender()
}

// find gives the attachment of the actor to the client, nil if there is none.
func (d *desk) find(pid *actor.PID, client string) *attachment {
	if pid == nil {
		return nil
	}
	return d.attached[addressOf(pid)][client]
}

func (d *desk) attach(turn *sequencer.Actor, ctx actor.Context, m *Attach) {
	sender, pid := ctx.Sender(), subscriber(m.To, ctx)
	if pid == nil {
		return
	}
	if m.AtEnd > LeaveAll {
		d.reply(ctx, sender, m.Client, fmt.Errorf("attach to %q: AtEnd is %d, which is none: %w", m.Client, m.AtEnd, lease.InvalidArguments))
		return
	}
	if old := d.find(pid, m.Client); old != nil {
		d.drop(turn, ctx, old)
	}
	d.last++
	a := &attachment{desk: d, number: d.last, pid: pid, end: m.AtEnd}
	a.sub = &sequencer.Subscription{Client: m.Client, Instance: m.Instance, To: a, Done: func(err error) {
		if err == nil {
			d.enter(ctx, a)
		}
		d.reply(ctx, sender, m.Client, err)
	}}
	turn.Subscribe(a.sub)
}

// reply answers an Attach.
func (d *desk) reply(ctx actor.Context, sender *actor.PID, client string, err error) {
	if sender != nil {
		ctx.Send(sender, &Attached{Client: client, Err: d.engine.explain(err)})
	}
}

// enter has the attachment known and its actor watched.
func (d *desk) enter(ctx actor.Context, a *attachment) {
	key := addressOf(a.pid)
	if d.attached[key] == nil {
		d.attached[key] = make(map[string]*attachment)
	}
	if !d.watched[key] { // by nobody, or only by those who are about to part
		d.watched[key] = true
		ctx.Watch(a.pid)
	}
	d.attached[key][a.sub.Client], d.byNumber[a.number] = a, a
	a.bearer, _ = d.engine.system.ProcessRegistry.Get(a.pid)
}

// lives tells whether the actor that is attached has its PID still: a name can have been
// given to another one since, and then it is the one before that has ended.
func (a *attachment) lives() bool {
	bearer, known := a.desk.engine.system.ProcessRegistry.Get(a.pid)
	return known && bearer == a.bearer
}

// drop ends an attachment.
func (d *desk) drop(turn *sequencer.Actor, ctx actor.Context, a *attachment) {
	turn.Unsubscribe(a.sub)
	key := addressOf(a.pid)
	delete(d.attached[key], a.sub.Client)
	delete(d.byNumber, a.number)
	if len(d.attached[key]) == 0 {
		delete(d.attached, key)
		if d.watched[key] {
			delete(d.watched, key)
			ctx.Unwatch(a.pid)
		}
	}
}

// farewell are the attachments of an actor that is no more, by client.
type farewell struct {
	who  *actor.PID
	left []*attachment
}

// terminated takes the news that an actor is no more. Such news overtakes what the
// actor has sent before it ended, and what it asked for must not be granted after its
// leases were released: so the farewell goes to the end of the queue.
//
// The news may be of one whose name another actor has by now, who has attached already:
// that one stays, and is watched in its turn.
func (d *desk) terminated(ctx actor.Context, who *actor.PID) {
	key := addressOf(who)
	delete(d.watched, key)
	clients := d.attached[key]
	m := &farewell{who: who}
	for _, client := range slices.Sorted(maps.Keys(clients)) {
		if a := clients[client]; !a.lives() {
			a.gone = true
			m.left = append(m.left, a)
		} else if !d.watched[key] {
			d.watched[key] = true
			ctx.Watch(who)
		}
	}
	if len(m.left) == 0 {
		return
	}
	d.engine.queue.PostUserMessage(m) // also when nobody is let in any more
}

// part ends the attachments of an actor that is no more, and does with their clients
// what was asked for.
func (d *desk) part(turn *sequencer.Actor, ctx actor.Context, m *farewell) {
	for _, a := range m.left {
		client := a.sub.Client
		if d.byNumber[a.number] != a {
			continue // it was detached, or attached anew, by what the actor sent
		}
		d.drop(turn, ctx, a)
		d.engine.report.say(slog.LevelInfo, "subscriber has terminated",
			slog.String("client", client), slog.String("pid", m.who.String()))
		if a.end != LeaveAll {
			turn.Abandon(&sequencer.Abandon{
				Client: client, Leases: a.end == ReleaseAll, Done: func([]lease.Result, error) {},
			})
		}
	}
}

// list describes all attachments, by client, those of one client in the order in
// which they were made.
func (d *desk) list() []SubscriberInfo {
	var list []SubscriberInfo
	for _, number := range slices.Sorted(maps.Keys(d.byNumber)) {
		a := d.byNumber[number]
		info := SubscriberInfo{
			Client: a.sub.Client, PID: a.pid, Instance: a.sub.Instance, Waiting: a.feed.Waiting(), Behind: a.feed.Behind(),
		}
		if a.feed.Out() {
			info.Since = a.sent
		}
		list = append(list, info)
	}
	slices.SortStableFunc(list, func(a, b SubscriberInfo) int { return strings.Compare(a.Client, b.Client) })
	return list
}

// Tell takes an event for the subscriber.
func (a *attachment) Tell(e lease.Event) {
	if e.Err != nil {
		e.Err = a.desk.engine.explain(e.Err)
	}
	if a.feed.Put(e) {
		a.slow("too many events wait")
	}
	if a.feed.Out() && a.desk.engine.Now() >= a.sent+slowAfter {
		a.slow("no confirmation")
	}
	a.send()
}

// slow reports the subscriber, once until it confirms something.
func (a *attachment) slow(why string) {
	if a.reported {
		return
	}
	a.reported = true
	a.desk.engine.report.say(slog.LevelWarn, "subscriber is slow",
		slog.String("client", a.sub.Client), slog.String("pid", a.pid.String()), slog.String("why", why))
}

// send sends what there is to tell, unless the subscriber is busy with an earlier
// notice.
func (a *attachment) send() {
	if a.gone {
		return
	}
	number, events := a.feed.Next()
	if events == nil {
		return
	}
	e := a.desk.engine
	a.sent = e.Now()
	e.system.Root.RequestWithCustomSender(a.pid, &Notice{
		Client: a.sub.Client, Events: events, confirm: Confirm{a.number, number},
	}, e.pid)
}

// confirm takes note that the subscriber is done with a notice. One that was too
// slow for all it was to be told is told how its client stands.
func (a *attachment) confirm(turn *sequencer.Actor, number uint64) {
	a.feed.Confirm(number)
	if a.feed.Out() {
		return
	}
	a.reported = false
	if a.feed.Behind() {
		turn.Refresh(a.sub)
	}
	a.send()
}
