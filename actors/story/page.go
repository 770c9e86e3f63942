package story

import (
	"container/list"

	"github.com/leasekeeper/lkactor/actors/lease"
)

// page is what a [Book] knows of one lock.
type page struct {
	holders, queue row
	grants         map[lease.Token]grant
	endings        map[string]*Ending // the last one of each client
	latest         *Ending            // the last one of all
	accepted       *Write
}

// grant is what stays known of a lease for good: there may be millions.
type grant struct {
	client string
	mode   lease.Mode
	since  lease.Instant
	until  lease.Instant // as it was granted
	asked  Place
}

func newPage() *page {
	return &page{
		holders: newRow(), queue: newRow(),
		grants: map[lease.Token]grant{}, endings: map[string]*Ending{},
	}
}

// owner gives who was granted a token; nothing if nobody was.
func (p *page) owner(token lease.Token) string {
	return p.grants[token].client
}

// row is claims in an order that only ever grows at the end, found by client.
type row struct {
	order    *list.List // of *Claim
	byClient map[string]*list.Element
}

func newRow() row { return row{order: list.New(), byClient: map[string]*list.Element{}} }

func (r *row) size() int { return r.order.Len() }

func (r *row) push(c *Claim) { r.byClient[c.Client] = r.order.PushBack(c) }

// pull takes out the claim of a client; nil if there is none.
func (r *row) pull(client string) *Claim {
	e := r.byClient[client]
	if e == nil {
		return nil
	}
	delete(r.byClient, client)
	return r.order.Remove(e).(*Claim)
}

func (r *row) find(client string) *Claim {
	if e := r.byClient[client]; e != nil {
		return e.Value.(*Claim)
	}
	return nil
}

// last gives the claim at the end; nil if there is none.
func (r *row) last() *Claim {
	if e := r.order.Back(); e != nil {
		return e.Value.(*Claim)
	}
	return nil
}

// list gives the first of the claims, at most so many; all of them for a negative
// number.
func (r *row) list(most int) []Claim {
	if most < 0 || most > r.size() {
		most = r.size()
	}
	all := make([]Claim, 0, most)
	for e := r.order.Front(); len(all) < most; e = e.Next() {
		all = append(all, *e.Value.(*Claim))
	}
	return all
}
