package story

import (
	"maps"
	"slices"

	"github.com/leasekeeper/lkactor/actors/lease"
)

// Book is the state of all locks as the events so far make it. It is there to be
// looked at between two operations and belongs to its [Story].
type Book struct {
	pages   map[string]*page
	waiting map[string]*Claim            // by client: it waits for at most one lock (C1)
	holding map[string]map[string]*Claim // by client and lock
	forgot  map[string]Place             // by lock: which forget was the last
	looked  int64
}

func newBook() *Book {
	return &Book{
		pages: map[string]*page{}, waiting: map[string]*Claim{}, holding: map[string]map[string]*Claim{},
		forgot: map[string]Place{},
	}
}

// Locks gives the names of all locks that anything has happened to since they were last
// forgotten, ascending (O10).
func (b *Book) Locks() []string { return slices.Sorted(maps.Keys(b.pages)) }

// Awaited gives the names of the locks that somebody waits for, ascending.
func (b *Book) Awaited() []string {
	return slices.DeleteFunc(b.Locks(), func(lock string) bool { return b.pages[lock].queue.size() == 0 })
}

// Holders gives the leases of a lock, by token, lowest first.
func (b *Book) Holders(lock string) []Claim { return b.Crowd(lock, -1).Holders }

// Queue gives the requests of a lock, oldest first.
func (b *Book) Queue(lock string) []Claim { return b.Crowd(lock, -1).Queue }

// Crowd is who has a lock and who waits for it.
type Crowd struct {
	Holders, Queue []Claim // the first of them, as [Book.Holders] and [Book.Queue] have them
	Held, Queued   int     // how many there are of each
}

// Crowd gives the first holders and requests of a lock, at most so many of each; a
// negative number is no limit. It looks at no more than it gives.
func (b *Book) Crowd(lock string, most int) Crowd {
	p := b.peek(lock)
	c := Crowd{p.holders.list(most), p.queue.list(most), p.holders.size(), p.queue.size()}
	b.looked += int64(len(c.Holders) + len(c.Queue))
	return c
}

// Looked is how many claims the book has given out so far by these three, for tests that
// count work.
func (b *Book) Looked() int64 { return b.looked }

// Claim gives what a client has of a lock; nil if that is nothing.
func (b *Book) Claim(lock, client string) *Claim {
	p := b.peek(lock)
	if c := p.holders.find(client); c != nil {
		return c.copy()
	}
	return p.queue.find(client).copy()
}

// Waiting gives the request of a client that waits; nil if it does not.
func (b *Book) Waiting(client string) *Claim { return b.waiting[client].copy() }

// Holding gives the leases of a client, ascending by the name of the lock.
func (b *Book) Holding(client string) []Claim {
	held := b.holding[client]
	all := make([]Claim, 0, len(held))
	for _, lock := range slices.Sorted(maps.Keys(held)) {
		all = append(all, *held[lock])
	}
	return all
}

// Forgotten gives the operation that last forgot a lock (E4); the zero Place if none did. What
// was before that is not in the book: of a lock that was forgotten nothing says who never
// held it.
func (b *Book) Forgotten(lock string) Place { return b.forgot[lock] }

// Last gives how what a client had of a lock ended last; nil if it never had
// anything that ended, or the lock was forgotten since.
func (b *Book) Last(lock, client string) *Ending { return b.peek(lock).endings[client] }

// Latest gives the end of a lease or request of a lock that came last; nil if there
// is none, or the lock was forgotten since.
func (b *Book) Latest(lock string) *Ending { return b.peek(lock).latest }

// Grant gives the lease that a lock granted under a token, as it was granted; the age
// of its client is not kept. ok is false if that token was never granted, or the lock was
// forgotten since.
func (b *Book) Grant(lock string, token lease.Token) (c Claim, ok bool) {
	g, ok := b.peek(lock).grants[token]
	if !ok {
		return Claim{}, false
	}
	return Claim{
		Lock: lock, Client: g.client, Mode: g.mode, Token: token, Since: g.since, Until: g.until, Asked: g.asked,
	}, true
}

// Accepted gives the write with the highest token that a lock's store has accepted,
// the latest of those under that token; nil if there is none (F1).
func (b *Book) Accepted(lock string) *Write { return b.peek(lock).accepted }

// page gives the record of a lock, made if there is none.
func (b *Book) page(lock string) *page {
	p := b.pages[lock]
	if p == nil {
		p = newPage()
		b.pages[lock] = p
	}
	return p
}

// peek gives the record of a lock to be looked at.
func (b *Book) peek(lock string) *page {
	if p := b.pages[lock]; p != nil {
		return p
	}
	return newPage()
}

// forget drops the record of a lock, and keeps that there was one.
func (b *Book) forget(lock string, by Place) {
	if b.pages[lock] != nil || b.forgot[lock] != (Place{}) {
		delete(b.pages, lock)
		b.forgot[lock] = by
	}
}

// granted enters a lease.
func (b *Book) granted(p *page, c *Claim) {
	p.holders.push(c)
	p.grants[c.Token] = grant{c.Client, c.Mode, c.Since, c.Until, c.Asked}
	held := b.holding[c.Client]
	if held == nil {
		held = map[string]*Claim{}
		b.holding[c.Client] = held
	}
	held[c.Lock] = c
}

// leave takes out what a client has of a lock.
func (b *Book) leave(p *page, lock, client string) *Claim {
	c := p.holders.pull(client)
	if c == nil {
		delete(b.waiting, client)
		return p.queue.pull(client)
	}
	if held := b.holding[client]; len(held) > 1 {
		delete(held, lock)
	} else {
		delete(b.holding, client)
	}
	return c
}

func (c *Claim) copy() *Claim {
	if c == nil {
		return nil
	}
	same := *c
	return &same
}
