package fencetest

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/leasekeeper/lkactor/actors/lease"
)

// Check tells whether the history can be explained by a store that does one
// thing at a time, each at some instant between its call and its return, and
// keeps F1 and F2: whether it is linearizable. In such an order the accepted
// tokens of a scope never go down. It is exact: an error means that there is no
// such order, nil that one was found.
//
// Scopes share nothing (P3), so each is searched for itself.
func (h History) Check() error {
	scopes := map[string]History{}
	var order []string
	for _, e := range h {
		if _, known := scopes[e.Scope]; !known {
			order = append(order, e.Scope)
		}
		scopes[e.Scope] = append(scopes[e.Scope], e)
	}
	for _, scope := range order {
		s := newSearch(scopes[scope])
		if !s.explain() {
			return fmt.Errorf("scope %q: no order of the calls explains the answers\n%s", scope, s.stuck())
		}
	}
	return nil
}

// search looks for an order, depth first. Three things keep it short without
// losing an order:
//
//   - an event that changes nothing is taken as soon as it may come next and its
//     answer is right: that only ever takes constraints away;
//   - the accepted token never goes down, so a write whose token is above that of
//     an event still to come cannot come next;
//   - where the same events led to the same state before, the search has been
//     there.
type search struct {
	events []Event
	keys   []string // by number

	taken    []bool
	left     int // events that must still be taken
	accepted lease.Token
	values   []int // by key: 1 + the event that wrote it, 0 for none

	seen map[string]struct{}
	// The furthest the search came, for the report.
	best      int
	bestTaken []bool
}

func newSearch(events History) *search {
	s := &search{seen: map[string]struct{}{}}
	observed := func(e *Event) bool {
		return slices.ContainsFunc(events, func(o Event) bool {
			token, known := o.level()
			return o.Kind == ReadEvent && o.Found && o.Value == e.Value || known && token == e.Token
		})
	}
	for _, e := range events {
		if e.Kind == WriteEvent && e.End == Unknown {
			// A write that may not have been done and that nobody saw was not done,
			// for all that this history can tell.
			if !observed(&e) {
				continue
			}
			e.Return = math.MaxInt64
		} else {
			s.left++
		}
		if e.Kind != AcceptedEvent && !slices.Contains(s.keys, e.Key) {
			s.keys = append(s.keys, e.Key)
		}
		s.events = append(s.events, e)
	}
	slices.SortStableFunc(s.events, func(a, b Event) int { return int(a.Call - b.Call) })
	s.taken = make([]bool, len(s.events))
	s.values = make([]int, len(s.keys))
	return s
}

// explain tells whether the events not yet taken can be put in order after those
// that are. If not, it leaves everything as it was.
func (s *search) explain() bool {
	var trail []int // observers taken here
	for next := s.nextObserver(); next >= 0; next = s.nextObserver() {
		trail = append(trail, next)
		s.take(next, true)
	}
	if s.left == 0 {
		return true
	}
	if s.record(); s.fresh() {
		horizon, ceiling := s.horizon()
		for i := range s.events {
			e := &s.events[i]
			if s.taken[i] || e.Call > horizon || e.observes() || e.Token < s.accepted || e.Token > ceiling {
				continue
			}
			key := slices.Index(s.keys, e.Key)
			accepted, value := s.accepted, s.values[key]
			s.take(i, true)
			s.accepted, s.values[key] = e.Token, i+1
			if s.explain() {
				return true
			}
			s.accepted, s.values[key] = accepted, value
			s.take(i, false)
		}
	}
	for _, i := range trail {
		s.take(i, false)
	}
	return false
}

// horizon gives the earliest return of an event that must still come, after which
// nothing that comes next may have been called, and the lowest level of one,
// above which no write may come next.
func (s *search) horizon() (earliest int64, ceiling lease.Token) {
	earliest, ceiling = math.MaxInt64, math.MaxInt64
	for i := range s.events {
		e := &s.events[i]
		if s.taken[i] || e.optional() {
			continue
		}
		earliest = min(earliest, e.Return)
		if token, known := e.level(); known {
			ceiling = min(ceiling, token)
		}
	}
	return earliest, ceiling
}

// nextObserver gives an event that changes nothing, may come next and is right
// as things stand; -1 if there is none.
func (s *search) nextObserver() int {
	horizon, _ := s.horizon()
	return slices.IndexFunc(s.events, func(e Event) bool { return e.observes() && e.Call <= horizon && s.right(&e) })
}

// right tells whether the answer of e, which changes nothing and has not been
// taken, is what a store in this state would have said.
func (s *search) right(e *Event) bool {
	i, _ := slices.BinarySearchFunc(s.events, e.Call, func(o Event, call int64) int { return int(o.Call - call) })
	if s.taken[i] {
		return false
	}
	switch {
	case e.Kind == AcceptedEvent:
		return e.Token == s.accepted
	case e.Kind == WriteEvent:
		return e.Accepted == s.accepted && e.Token < s.accepted
	}
	writer := s.values[slices.Index(s.keys, e.Key)]
	if writer == 0 {
		return !e.Found
	}
	return e.Found && e.Value == s.events[writer-1].Value
}

// take takes event i or puts it back.
func (s *search) take(i int, taken bool) {
	s.taken[i] = taken
	switch {
	case s.events[i].optional():
	case taken:
		s.left--
	default:
		s.left++
	}
}

// optional tells that the event need not have happened.
func (e *Event) optional() bool { return e.Kind == WriteEvent && e.End == Unknown }

// fresh tells whether the search is here for the first time.
func (s *search) fresh() bool {
	var here []byte
	for i, taken := range s.taken {
		if i%8 == 0 {
			here = append(here, 0)
		}
		if taken {
			here[i/8] |= 1 << (i % 8)
		}
	}
	for _, v := range s.values {
		here = binary.AppendUvarint(here, uint64(v))
	}
	if _, known := s.seen[string(here)]; known {
		return false
	}
	s.seen[string(here)] = struct{}{}
	return true
}

func (s *search) record() {
	taken := 0
	for _, t := range s.taken {
		if t {
			taken++
		}
	}
	if s.bestTaken == nil || taken > s.best {
		s.best, s.bestTaken = taken, slices.Clone(s.taken)
	}
}

// stuck shows where the search ended that came furthest: what could be explained
// last, and what could not.
func (s *search) stuck() string {
	const most = 12
	var explained, open []string
	for i, e := range s.events {
		if s.bestTaken[i] {
			explained = append(explained, "  "+e.String())
		} else {
			open = append(open, "  "+e.String())
		}
	}
	explained = explained[max(0, len(explained)-most):]
	open = open[:min(len(open), most)]
	return fmt.Sprintf("%d of %d explained, the last of them\n%s\nnot explained, the first of them\n%s",
		s.best, len(s.events), strings.Join(explained, "\n"), strings.Join(open, "\n"))
}
