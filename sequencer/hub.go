package sequencer

import (
	"maps"
	"slices"

	"github.com/leasekeeper/lkactor/actors/lease"
)

// Subscriber is told what becomes of one client, on the sequencer's turn: it must
// not block, and must not ask anything of the engine.
type Subscriber interface{ Tell(lease.Event) }

// Subscription is the interest of one subscriber in one client. Sent to the
// sequencer it takes effect; the first event tells how the client stands.
type Subscription struct {
	Client string
	To     Subscriber
	// Instance, unless empty, is who acts for the client: while it subscribes no other
	// instance may, nor may anybody send requests in the client's name.
	Instance string
	// Done is called once, on the sequencer's turn: with nil before the first event
	// is told, or with the reason why there will be none.
	Done func(error)

	ended bool
}

// Unsubscribe ends a subscription. What is on its way may still be told.
type Unsubscribe struct{ *Subscription }

// hub turns the effects of an engine into what the subscribers of its clients are
// told. Of clients that nobody subscribes to it keeps nothing.
type hub struct {
	audiences   map[string][]*Subscription // by client
	subscribers int                        // in all of them
	news        []news                     // of the intake in hand
	spare       []news
	why         *lease.Explanation // of the victim in hand
}

// news is one event for one subscriber.
type news struct {
	to    *Subscription
	event lease.Event
}

// tell tells the subscriber, if it still wants to know.
func (n *news) tell() {
	if !n.to.ended {
		n.to.To.Tell(n.event)
	}
}

func newHub() *hub { return &hub{audiences: make(map[string][]*Subscription)} }

// note takes an effect that was noticed at the operation of that number.
func (h *hub) note(e *lease.Effect, seq uint64) {
	if len(h.audiences) == 0 {
		return
	}
	audience := h.audiences[e.Client.Name]
	if audience == nil {
		return
	}
	event, ok := h.eventOf(e)
	if !ok {
		return
	}
	event.Seq = seq
	for _, s := range audience {
		h.news = append(h.news, news{s, event})
	}
}

// deadlock takes why the client that is aborted next is.
func (h *hub) deadlock(d *lease.Deadlock) {
	if len(h.audiences) > 0 {
		h.why = d.Explain()
	}
}

// eventOf gives what a client's subscribers are told of an effect; ok is false if
// they know it from an answer.
func (h *hub) eventOf(e *lease.Effect) (event lease.Event, ok bool) {
	event = lease.Event{Client: e.Client.Name, Mode: e.Mode, Token: e.Token, At: e.At}
	switch e.Change {
	case lease.ChangeGranted:
		event.Kind, event.Until = lease.EventGranted, e.Until
		ok = e.FromQueue
	case lease.ChangeLapsed, lease.ChangeReleased:
		event.Kind, event.Reason = lease.EventLost, e.Reason()
		ok = true
	case lease.ChangeWithdrawn:
		event.Kind, event.Reason = lease.EventWithdrawn, e.Reason()
		ok = true
	case lease.ChangeAborted:
		event.Kind, event.Why = lease.EventDeadlock, h.why
		return event, true
	}
	if ok {
		event.Lock = e.Lock.Name
	}
	return event, ok
}

// collect gives the news of the intake in hand and begins the next one's.
func (h *hub) collect() []news {
	taken := h.news
	h.news, h.spare = h.spare[:0], nil
	return taken
}

// reuse takes back news that have been told.
func (h *hub) reuse(told []news) {
	clear(told)
	if cap(told) <= keptSize {
		h.spare = told[:0]
	}
}

// add enters a subscription; its first event is state, as of operation seq.
func (h *hub) add(s *Subscription, state *lease.ClientView, seq uint64) {
	h.audiences[s.Client] = append(h.audiences[s.Client], s)
	h.subscribers++
	h.introduce(s, state, seq)
}

// introduce tells a subscriber how its client stands.
func (h *hub) introduce(s *Subscription, state *lease.ClientView, seq uint64) {
	h.news = append(h.news, news{s, lease.Event{Kind: lease.EventCurrent, Client: s.Client, Seq: seq, State: state}})
}

// remove ends a subscription; twice is harmless.
func (h *hub) remove(s *Subscription) {
	s.ended = true
	audience := h.audiences[s.Client]
	for i, other := range audience {
		if other != s {
			continue
		}
		h.subscribers--
		if len(audience) == 1 {
			delete(h.audiences, s.Client)
			return
		}
		// The news in hand may point at the others, not at the list.
		h.audiences[s.Client] = append(audience[:i:i], audience[i+1:]...)
		return
	}
}

// everybody gives all subscriptions, by client.
func (h *hub) everybody() (all []*Subscription) {
	for _, client := range slices.Sorted(maps.Keys(h.audiences)) {
		all = append(all, h.audiences[client]...)
	}
	return all
}
