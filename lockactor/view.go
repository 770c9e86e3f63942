package lockactor

import "github.com/leasekeeper/lkactor/actors/lease"

// view shows the lock as inspect does: holders by token, then the queue by
// arrival.
func (l *Lock) view() *lease.LockView {
	v := &lease.LockView{
		Holders: make([]lease.HolderView, 0, l.holders.size),
		Queue:   make([]lease.WaiterView, 0, l.queue.size),
	}
	for s := l.holders.first; s != none; s = l.ledger.claims[s].after {
		c := &l.ledger.claims[s]
		v.Holders = append(v.Holders, lease.HolderView{
			Client: c.client.Name, Mode: c.mode, Token: c.token, Until: c.until,
		})
	}
	for s := l.queue.first; s != none; s = l.ledger.claims[s].after {
		c := &l.ledger.claims[s]
		v.Queue = append(v.Queue, lease.WaiterView{Client: c.client.Name, Mode: c.mode})
	}
	return v
}
