package review

import (
	"fmt"
	"slices"

	"github.com/leasekeeper/lkactor/actors/story"
	"github.com/leasekeeper/lkactor/cmd/lkactor/internal/escape"
)

// victims is about who was aborted for an acquire, and whether that was its client.
func (m *matter) victims() (rule, why string) {
	var rounds []*story.Cycle
	for _, e := range m.events {
		if e.Kind == story.Deadlock {
			rounds = append(rounds, e.Deadlock)
		}
	}
	want, got := m.want.victims, m.got.victims
	if len(rounds) == 0 {
		return "D3", fmt.Sprintf("no cycle of waiting leads through %s, so nobody is to be aborted: %s", m.client(), m.held())
	}
	at := 0
	for at < len(want) && at < len(got) && want[at] == got[at] {
		at++
	}
	switch {
	case len(got) == 0:
		return "D3", fmt.Sprintf("the acquire closes a cycle: %s; %s is the youngest on the cycle", through(rounds[0]), youngest(rounds[0]))
	case at < len(want) && at < len(got):
		return "D4", fmt.Sprintf("victim %d has to be %s, the youngest on a cycle through %s: %s", at+1, youngest(rounds[at]), m.client(), ages(rounds[at]))
	case at < len(want):
		return "D6", fmt.Sprintf("after the abort of %s there still is a cycle: %s; %s is to be aborted, too", names(want[:at]), through(rounds[at]), youngest(rounds[at]))
	case at < len(got):
		again := ""
		if slices.Contains(want, got[at]) {
			again = " a second time"
		}
		return "D6", fmt.Sprintf("after the abort of %s no cycle is left through %s, so %s is not aborted%s", names(want), m.client(), escape.Quoted(got[at]), again)
	}
	// The same victims, and the answers differ in whether the requester is the last.
	if slices.Contains(want, m.op.Client) {
		return "D7", fmt.Sprintf("%s is one of the victims, so the answer is the deadlock", m.client())
	}
	return "D7", fmt.Sprintf("%s is not one of the victims, so the answer is how the acquire stands after the aborts", m.client())
}

// through describes a cycle that the victim is on.
func through(c *story.Cycle) string {
	if c.Unexplained {
		return "one of very many"
	}
	return cycle(c.Through)
}

// cycle says who waits for whom: "a waits for L of b, b waits for M of a".
func cycle(edges []story.Edge) string {
	var parts []string
	for _, e := range edges[:min(len(edges), most)] {
		held := fmt.Sprintf("held by %s (token %d)", escape.Quoted(e.Blocker), e.Token)
		if e.Token == 0 {
			held = "behind " + escape.Quoted(e.Blocker)
		}
		parts = append(parts, fmt.Sprintf("%s waits for %s, %s", escape.Quoted(e.Waiter), escape.Quoted(e.Lock), held))
	}
	return some(parts, len(edges))
}

func youngest(c *story.Cycle) string {
	return fmt.Sprintf("%s (age %d)", escape.Quoted(c.Victim.Client), c.Victim.Age)
}

// ages lists who is on a cycle, the youngest first.
func ages(c *story.Cycle) string {
	if c.Unexplained {
		return "there are very many"
	}
	var parts []string
	for i := len(c.Members) - 1; i >= 0; i-- {
		parts = append(parts, fmt.Sprintf("%s has age %d", escape.Quoted(c.Members[i].Client), c.Members[i].Age))
	}
	return some(parts, len(parts))
}

func names(clients []string) string {
	var shown []string
	for _, c := range clients {
		shown = append(shown, escape.Quoted(c))
	}
	return some(shown, len(shown))
}
