package fencetest

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/leasekeeper/lkactor/actors/lease"
)

// One line is one event of one scope; overlapping calls are written with their
// numbers.
func TestCheckByHand(t *testing.T) {
	write := func(call, ret int64, key, value string, token lease.Token) Event {
		return Event{Call: call, Return: ret, Key: key, Value: value, Token: token}
	}
	refused := func(call, ret int64, key, value string, token, accepted lease.Token) Event {
		return Event{Call: call, Return: ret, Key: key, Value: value, Token: token, End: Refused, Accepted: accepted}
	}
	unknown := func(call, ret int64, key, value string, token lease.Token) Event {
		return Event{Call: call, Return: ret, Key: key, Value: value, Token: token, End: Unknown}
	}
	read := func(call, ret int64, key, value string) Event {
		return Event{Call: call, Return: ret, Kind: ReadEvent, Key: key, Value: value, Found: value != ""}
	}
	mark := func(call, ret int64, token lease.Token) Event {
		return Event{Call: call, Return: ret, Kind: AcceptedEvent, Token: token}
	}
	for _, c := range []struct {
		name string
		ok   bool
		h    History
	}{
		{"nothing", true, nil},
		{"in turn", true, History{write(1, 2, "k", "a", 1), write(3, 4, "k", "b", 2), read(5, 6, "k", "b"), mark(7, 8, 2)}},
		{"stale accepted", false, History{write(1, 2, "k", "a", 2), write(3, 4, "k", "b", 1)}},
		{"stale accepted on another key", false, History{write(1, 2, "k", "a", 2), write(3, 4, "j", "b", 1)}},
		{"overlapping, lower first", true, History{write(1, 4, "k", "a", 2), write(2, 3, "k", "b", 1), read(5, 6, "k", "a")}},
		{"check and write apart", false, History{write(1, 4, "k", "a", 1), write(2, 3, "k", "b", 2), read(5, 6, "k", "a")}},
		{"equal tokens, either order", true, History{write(1, 4, "k", "a", 1), write(2, 3, "k", "b", 1), read(5, 6, "k", "a")}},
		{"equal tokens, order known", false, History{write(1, 2, "k", "a", 1), write(3, 4, "k", "b", 1), read(5, 6, "k", "a")}},
		{"equal refused", false, History{write(1, 2, "k", "a", 1), refused(3, 4, "k", "b", 1, 1)}},
		{"refused by a token nobody wrote", false, History{write(1, 2, "k", "a", 2), refused(3, 4, "k", "b", 1, 3)}},
		{"refused by one that comes later", false, History{refused(1, 2, "k", "b", 1, 2), write(3, 4, "k", "a", 2)}},
		{"refused by one that overlaps", true, History{refused(1, 3, "k", "b", 1, 2), write(2, 4, "k", "a", 2)}},
		{"a refused value is seen", false, History{write(1, 2, "k", "a", 2), refused(3, 4, "k", "b", 1, 2), read(5, 6, "k", "b")}},
		{"the mark goes down", false, History{write(1, 2, "k", "a", 2), mark(3, 6, 2), mark(7, 8, 1)}},
		{"the mark rises unasked", false, History{write(1, 2, "k", "a", 2), mark(3, 4, 3)}},
		{"a write is lost", false, History{write(1, 2, "k", "a", 1), read(3, 4, "k", "")}},
		{"seen, then unseen", false, History{write(1, 6, "k", "a", 1), read(2, 3, "k", "a"), read(4, 5, "k", "")}},
		{"unknown and seen", true, History{unknown(1, 2, "k", "a", 1), read(3, 4, "k", ""), read(5, 6, "k", "a")}},
		{"unknown and never seen", true, History{unknown(1, 2, "k", "a", 5), write(3, 4, "k", "b", 1), mark(5, 6, 1)}},
		{"unknown seen by its token", true, History{unknown(1, 2, "k", "a", 5), refused(3, 4, "k", "b", 1, 5)}},
		{"unknown but refused for good", false, History{unknown(1, 2, "k", "a", 5), write(3, 4, "k", "b", 6), read(5, 6, "k", "b"), read(7, 8, "k", "a")}},
		{"two scopes share nothing", true, History{write(1, 2, "k", "a", 2), {Call: 3, Return: 4, Scope: "t", Key: "k", Value: "b", Token: 1}}},
	} {
		if err := c.h.Check(); (err == nil) != c.ok {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

// The error shows what could not be explained.
func TestCheckTellsWhere(t *testing.T) {
	h := History{
		{Call: 1, Return: 2, Scope: "s", Key: "k", Value: "a", Token: 2},
		{Call: 3, Return: 4, Scope: "s", Key: "k", Value: "b", Token: 1},
		{Call: 5, Return: 6, Scope: "s", Key: "k", Value: "a", Kind: ReadEvent, Found: true},
		{Call: 7, Return: 8, Scope: "s", Key: "j", Kind: ReadEvent},
		{Call: 9, Return: 10, Scope: "s", Key: "k", Value: "c", Token: 1, End: Refused, Accepted: 2},
		{Call: 11, Return: 12, Scope: "s", Token: 2, Kind: AcceptedEvent},
		{Call: 13, Return: 14, Scope: "s", Key: "k", Value: "d", Token: 2, End: Unknown},
		{Call: 15, Return: 16, Scope: "s", Key: "k", Value: "d", Kind: ReadEvent, Found: true},
	}
	err := h.Check()
	if err == nil || !strings.Contains(err.Error(), `write "k"="b" with 1: accepted`) {
		t.Fatal(err)
	}
	for _, e := range h {
		if !strings.Contains(err.Error(), e.String()) {
			t.Errorf("no %v in\n%v", e, err)
		}
	}
}

// Small histories, half of them spoilt, judged by trying every order there is.
func TestCheckAgreesWithTryingEveryOrder(t *testing.T) {
	const histories = 20_000
	verdicts := map[bool]int{}
	for seed := range uint64(histories) {
		h := small(rand.New(rand.NewPCG(seed, 6)))
		got, want := h.Check() == nil, everyOrder(h, nil)
		if got != want {
			for _, e := range h {
				t.Log(e)
			}
			t.Fatalf("seed %d: Check says %v, every order %v", seed, got, want)
		}
		verdicts[want]++
	}
	if verdicts[true] < histories/5 || verdicts[false] < histories/5 {
		t.Errorf("the histories prove little: %v", verdicts)
	}
}

// small makes a history of at most 7 overlapping events by letting a right store
// answer them at some instant within each; then often changes one answer.
func small(chance *rand.Rand) History {
	n := 3 + chance.IntN(5)
	instants := chance.Perm(3 * n)
	h := make(History, n)
	var order [][2]int // the instant at which an event happens, and which
	for i := range h {
		at := instants[3*i : 3*i+3]
		slices.Sort(at)
		h[i] = Event{
			Call: int64(at[0]), Return: int64(at[2]),
			Kind: []Kind{WriteEvent, WriteEvent, ReadEvent, AcceptedEvent}[chance.IntN(4)],
			Key:  fmt.Sprint("k", chance.IntN(2)),
		}
		if h[i].Kind == WriteEvent {
			h[i].Value, h[i].Token = fmt.Sprint("v", i), lease.Token(1+chance.IntN(3))
			if chance.IntN(6) == 0 {
				h[i].End = Unknown
			}
		}
		order = append(order, [2]int{at[1], i})
	}
	slices.SortFunc(order, func(a, b [2]int) int { return a[0] - b[0] })
	var s simple
	for _, o := range order {
		e := &h[o[1]]
		if e.End == Unknown && chance.IntN(2) == 0 {
			continue
		}
		answer := s.answer(*e)
		if e.End != Unknown {
			*e = answer
		}
	}
	if chance.IntN(2) == 0 {
		spoil(&h[chance.IntN(n)], chance, n)
	}
	return h
}

func spoil(e *Event, chance *rand.Rand, n int) {
	switch {
	case e.Kind == ReadEvent:
		e.Found = chance.IntN(4) > 0
		e.Value = ""
		if e.Found {
			e.Value = fmt.Sprint("v", chance.IntN(n))
		}
	case e.Kind == AcceptedEvent:
		e.Token = lease.Token(chance.IntN(4))
	case e.End == Done:
		e.End, e.Accepted = Refused, lease.Token(1+chance.IntN(3))
	case e.End == Refused:
		e.End, e.Accepted = Done, 0
	}
}

// simple is the store of the rules, once more and shorter.
type simple struct {
	accepted lease.Token
	values   [2]string // of k0 and k1
}

// answer does what e asks and gives e with the answer filled in.
func (s *simple) answer(e Event) Event {
	value := &s.values[0]
	if e.Key == "k1" {
		value = &s.values[1]
	}
	switch e.Kind {
	case AcceptedEvent:
		e.Token = s.accepted
	case ReadEvent:
		e.Value, e.Found = *value, *value != ""
	default:
		if e.Token < s.accepted {
			e.End, e.Accepted = Refused, s.accepted
			return e
		}
		e.End, e.Accepted = Done, 0
		s.accepted, *value = e.Token, e.Value
	}
	return e
}

// everyOrder tells whether the events of h, in some order after those in done,
// get their answers from a simple store.
func everyOrder(h History, done []int) bool {
	complete := true
	for i, e := range h {
		if slices.Contains(done, i) {
			continue
		}
		complete = complete && e.End == Unknown
		if tooEarly(h, done, e) {
			continue
		}
		if next := append(slices.Clone(done), i); explains(h, next) && everyOrder(h, next) {
			return true
		}
	}
	return complete
}

// tooEarly tells that an event still to come had ended before e began.
func tooEarly(h History, done []int, e Event) bool {
	for i, o := range h {
		if !slices.Contains(done, i) && o.End != Unknown && o.Return < e.Call {
			return true
		}
	}
	return false
}

func explains(h History, order []int) bool {
	var s simple
	for _, i := range order {
		got := s.answer(h[i])
		if h[i].End == Unknown && got.End == Done {
			continue
		}
		if got != h[i] {
			return false
		}
	}
	return true
}
