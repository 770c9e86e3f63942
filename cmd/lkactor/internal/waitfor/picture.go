package waitfor

import (
	"fmt"

	"github.com/leasekeeper/lkactor/actors/lease"
	"github.com/leasekeeper/lkactor/actors/story"
	"github.com/leasekeeper/lkactor/cmd/lkactor/internal/telling"
)

// MostDrawn is how many holders and how many waiters of a lock are drawn; those on a
// cycle always are.
const MostDrawn = 40

// Picture is who waits for whom at one moment.
type Picture struct {
	title   string
	nodes   []node
	arrows  []arrow
	clients map[string]int // index in nodes
}

// node is a client or a lock.
type node struct {
	name   string
	lock   bool
	note   string // beside the name
	cycle  bool   // it is on the cycle
	victim bool
}

// arrow leads from one node to another, by their indices.
type arrow struct {
	from, to int
	label    string
	cycle    bool // it is on the cycle
	ahead    bool // it leads to who stands ahead in a queue
}

// At draws all locks that somebody waits for, as they are after the operation that the
// book stands at.
func At(c telling.Clock, number int64, now string, book *story.Book) *Picture {
	p := newPicture(fmt.Sprintf("after operation #%d, at %s", number, now))
	for _, lock := range book.Awaited() {
		p.lock(c, book, lock, nil)
	}
	return p
}

// Deadlock draws the locks on the cycles of a deadlock as they are before its victim is
// aborted. The book must stand at the event, and the deadlock be explained.
func Deadlock(c telling.Clock, e *story.Event, book *story.Book) *Picture {
	d := e.Deadlock
	p := newPicture(fmt.Sprintf("operation %s, at %s: deadlock %d", telling.Place(e.Place), c.Instant(e.At), d.Round))
	on := newCourse(d)
	drawn := map[string]bool{}
	for _, edges := range [][]story.Edge{d.Edges, d.Through} {
		for _, edge := range edges {
			if !drawn[edge.Lock] {
				drawn[edge.Lock] = true
				p.lock(c, book, edge.Lock, on)
			}
		}
	}
	for _, edge := range on.ahead {
		p.arrows = append(p.arrows, arrow{
			from: p.client(edge.Waiter, 0), to: p.client(edge.Blocker, edge.Age), label: "behind", cycle: true, ahead: true,
		})
	}
	for i := range p.nodes {
		n := &p.nodes[i]
		n.cycle = n.lock && on.locks[n.name] || !n.lock && on.clients[n.name]
		n.victim = !n.lock && n.name == d.Victim.Client
	}
	for _, m := range d.Members {
		if i, known := p.clients[m.Client]; known && m.Bystander {
			p.nodes[i].note += ", a bystander"
		}
	}
	if i := p.client(d.Victim.Client, d.Victim.Age); p.nodes[i].victim {
		p.nodes[i].note += ", the victim"
	}
	return p
}

func newPicture(title string) *Picture { return &Picture{title: title, clients: map[string]int{}} }

// Title says which moment it is, free of names.
func (p *Picture) Title() string { return p.title }

// client gives the node of a client, made if there is none.
func (p *Picture) client(name string, age lease.Age) int {
	i, known := p.clients[name]
	if !known {
		i = len(p.nodes)
		p.clients[name] = i
		p.nodes = append(p.nodes, node{name: name, note: fmt.Sprintf("age %d", age)})
	}
	return i
}

// lock draws a lock with its holders and its queue; on is nil where there is no cycle.
func (p *Picture) lock(c telling.Clock, book *story.Book, name string, on *course) {
	lock := len(p.nodes)
	p.nodes = append(p.nodes, node{name: name, lock: true})
	left := 0
	for i, h := range book.Holders(name) {
		cycle := on.holds(&h)
		if i >= MostDrawn && !on.needs(&h) {
			left++
			continue
		}
		label := fmt.Sprintf("token %d until %s", h.Token, c.Instant(h.Until))
		if h.Mode == lease.Shared {
			label = "shared " + label
		}
		p.arrows = append(p.arrows, arrow{from: lock, to: p.client(h.Client, h.Age), label: label, cycle: cycle})
	}
	waiting := 0
	for i, w := range book.Queue(name) {
		cycle := on.waits(&w)
		if i >= MostDrawn && !on.needs(&w) {
			waiting++
			continue
		}
		label := fmt.Sprintf("%d in the queue", i+1)
		if w.Mode == lease.Shared {
			label += ", to share"
		}
		p.arrows = append(p.arrows, arrow{from: p.client(w.Client, w.Age), to: lock, label: label, cycle: cycle})
	}
	if left+waiting > 0 {
		p.nodes[lock].note = fmt.Sprintf("%s and %s more", telling.Many(left, "holder"), telling.Many(waiting, "waiter"))
	}
}
