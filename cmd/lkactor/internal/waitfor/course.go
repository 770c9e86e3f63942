package waitfor

import "github.com/leasekeeper/lkactor/actors/story"

// course is what is on the cycles of a deadlock: on the shortest one, and on the one
// that the victim is on if that is another. A nil course has nothing on it.
type course struct {
	locks, clients map[string]bool
	held, awaited  map[[2]string]bool // by lock and client
	needed         map[[2]string]bool // must be drawn, as something leads there
	ahead          []story.Edge
}

func newCourse(d *story.Cycle) *course {
	on := &course{
		locks: map[string]bool{}, clients: map[string]bool{},
		held: map[[2]string]bool{}, awaited: map[[2]string]bool{}, needed: map[[2]string]bool{},
	}
	on.add(d.Edges)
	if !d.Direct() {
		on.add(d.Through)
	}
	return on
}

func (on *course) add(edges []story.Edge) {
	for _, e := range edges {
		on.clients[e.Waiter], on.clients[e.Blocker] = true, true
		on.needed[[2]string{e.Lock, e.Waiter}], on.needed[[2]string{e.Lock, e.Blocker}] = true, true
		if e.Token == 0 {
			on.ahead = append(on.ahead, e)
			continue
		}
		on.locks[e.Lock] = true
		on.held[[2]string{e.Lock, e.Blocker}] = true
		on.awaited[[2]string{e.Lock, e.Waiter}] = true
	}
}

func (on *course) needs(c *story.Claim) bool {
	return on != nil && on.needed[[2]string{c.Lock, c.Client}]
}

func (on *course) holds(c *story.Claim) bool {
	return on != nil && on.held[[2]string{c.Lock, c.Client}]
}

func (on *course) waits(c *story.Claim) bool {
	return on != nil && on.awaited[[2]string{c.Lock, c.Client}]
}
