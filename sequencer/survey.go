package sequencer

import "github.com/leasekeeper/lkactor/actors/lease"

// Survey has Read look at the order, between two intakes; it must change nothing.
// Done is called once, when what was seen may be told.
type Survey struct {
	Read func(*Sequencer) error
	Done func(error)
}

// survey is that message.
func (a *Actor) survey(m *Survey) {
	if m == nil || m.Read == nil || m.Done == nil {
		return
	}
	err := a.read(m)
	a.letOut(outcome{then: m.Done, err: err}, 0, 0)
}

func (a *Actor) read(m *Survey) (err error) {
	if a.failed != nil {
		return a.failed
	}
	defer func() {
		if cause := recover(); cause != nil {
			a.fail(lease.Fault("sequencer", "", nil, cause))
			err = a.failed
		}
	}()
	return m.Read(a.order)
}

// LockInfo is one lock in an operator's list, as of the last operation.
type LockInfo struct {
	Name    string
	Holders int           // leases
	Waiters int           // queued requests
	Until   lease.Instant // when the next lease ends; lease.Never if none does
}

// ClientInfo is one client in an operator's list, as of the last operation.
type ClientInfo struct {
	Name    string
	Age     lease.Age // zero if it is not registered (C2)
	Holds   int       // leases
	Waiting string    // the lock it waits for; empty for none
}

// ListLocks appends up to n locks to list, in the order in which the engine came to
// know them, from after the one numbered last. The number to go on from is zero when
// that was all.
func (q *Sequencer) ListLocks(list []LockInfo, last uint32, n int) ([]LockInfo, uint32) {
	for ; last < q.locks.size && n > 0; n-- {
		last++
		if l := q.locks.at(last); l.Name != "" {
			list = append(list, LockInfo{Name: l.Name, Holders: int(l.holders), Waiters: int(l.waiters), Until: l.due})
		}
	}
	if last == q.locks.size {
		last = 0
	}
	return list, last
}

// ListClients is ListLocks for clients. One that is kept for its requests alone is
// none.
func (q *Sequencer) ListClients(list []ClientInfo, last uint32, n int) ([]ClientInfo, uint32) {
	for ; last < q.clients.size && n > 0; n-- {
		last++
		if c := q.clients.at(last); c.Name != "" && !c.aside() {
			info := ClientInfo{Name: c.Name, Age: c.age, Holds: int(c.holds)}
			if c.waiting != nil {
				info.Waiting = c.waiting.Name
			}
			list = append(list, info)
		}
	}
	if last == q.clients.size {
		last = 0
	}
	return list, last
}

// ViewLock gives a lock as of the last operation; empty for one that is not known.
// Only between intakes.
func (q *Sequencer) ViewLock(name string) (*lease.LockView, error) {
	op := lease.Operation{Kind: lease.Inspect, Lock: name}
	if code := op.Check(q.dialect); code != lease.OK {
		return nil, code
	}
	var result lease.Result
	if err := q.route(&op, &result); err != nil {
		return nil, err
	}
	if err := q.flush(); err != nil {
		return nil, err
	}
	return result.Detail.Lock, nil
}
