package telling

import (
	"fmt"

	"github.com/leasekeeper/lkactor/actors/story"
)

// Cycle says line by line who waits for whom on the shortest cycle, who else is on
// one, and why the victim is the victim.
func (c Clock) Cycle(d *story.Cycle) []string {
	if d.Unexplained {
		return nil
	}
	var lines []string
	for _, e := range d.Edges {
		lines = append(lines, edge(e))
	}
	members := make([]string, 0, len(d.Members))
	for _, m := range d.Members {
		text := fmt.Sprintf("%s (age %d)", name(m.Client), m.Age)
		if m.Bystander {
			text = fmt.Sprintf("%s (age %d, a bystander)", name(m.Client), m.Age)
		}
		members = append(members, text)
	}
	if d.Count > len(d.Edges) {
		lines = append(lines, fmt.Sprintf("on cycles with %s are %s", name(d.Requester), named(members, d.Count)))
	}
	if d.Direct() {
		return lines
	}
	if d.Victim.Bystander {
		lines = append(lines, fmt.Sprintf("%s is a bystander on a longer cycle, by a place ahead in a queue and not by a lease that somebody waits for:",
			name(d.Victim.Client)))
	} else {
		lines = append(lines, fmt.Sprintf("%s is on a longer cycle:", name(d.Victim.Client)))
	}
	for _, e := range d.Through {
		lines = append(lines, "  "+edge(e))
	}
	return lines
}

// edge says who waits for whom: the age is that of the one who is waited for.
func edge(e story.Edge) string {
	if e.Token == 0 {
		return fmt.Sprintf("%s waits for %s behind %s (%v, age %d) in the queue", name(e.Waiter), name(e.Lock), name(e.Blocker), e.Mode, e.Age)
	}
	return fmt.Sprintf("%s waits for %s, held by %s (%v, token %d, age %d)", name(e.Waiter), name(e.Lock), name(e.Blocker), e.Mode, e.Token, e.Age)
}

// mostMembers is how many clients on cycles are named.
const mostMembers = 12

// named lists the youngest of count clients, which are the ones to be looked at.
func named(members []string, count int) string {
	members = members[max(0, len(members)-mostMembers):]
	if rest := count - len(members); rest > 0 {
		return Many(rest, "older one") + ", " + joined(members)
	}
	return joined(members)
}
