package sequencer

import "github.com/leasekeeper/lkactor/actors/lease"

// dormant is what must be remembered of locks and clients that are in use and
// have no seat: those that a restart has brought back and nobody has touched since,
// and, while an order is frozen, all of them. Whoever serves one next starts from
// it. Most engines have nothing here for most of their time.
//
// After a restart everybody in use is in it, so it is lists by ID and not maps; they go
// when the last one is taken out.
type dormant struct {
	locks    []*lease.Claims
	clients  [][]lease.Note // what to tell first
	sleepers [2]int         // how many locks and clients there are
	pool     []lease.Note   // for clients with one note, as most are
}

const (
	sleepingLocks = iota
	sleepingClients
)

// fit makes a list long enough for an ID.
func fit[T any](list []T, id uint32) []T {
	if missing := int(id) + 1 - len(list); missing > 0 {
		return append(list, make([]T, missing)...)
	}
	return list
}

// claims gives the claims of a lock that is dormant, nil if it is not.
func (d *dormant) claims(id uint32) *lease.Claims {
	if int(id) >= len(d.locks) {
		return nil
	}
	return d.locks[id]
}

// putLock keeps the claims of a lock that has given up its seat; nil for a lock
// that nobody holds or awaits.
func (d *dormant) putLock(id uint32, claims *lease.Claims) {
	if claims.Empty() {
		return
	}
	d.locks = fit(d.locks, id)
	d.locks[id] = claims
	d.sleepers[sleepingLocks]++
}

// wakeLock gives the claims that a lock which gets a seat is to start from, nil if
// there are none, and forgets them.
func (d *dormant) wakeLock(id uint32) *lease.Claims {
	claims := d.claims(id)
	if claims == nil {
		return nil
	}
	d.locks[id] = nil
	if d.sleepers[sleepingLocks]--; d.sleepers[sleepingLocks] == 0 {
		d.locks = nil
	}
	return claims
}

// putClient keeps what a client that has given up its seat holds and awaits.
func (d *dormant) putClient(id uint32, kept []lease.Note) {
	if len(kept) == 0 {
		return
	}
	d.clients = fit(d.clients, id)
	d.clients[id] = kept
	d.sleepers[sleepingClients]++
}

// notesTogether is for how many clients with one note memory is made at a time.
const notesTogether = 256

// addNote adds to what a client is to be told first.
func (d *dormant) addNote(id uint32, n lease.Note) {
	d.clients = fit(d.clients, id)
	if d.clients[id] == nil {
		d.sleepers[sleepingClients]++
		if len(d.pool) == 0 {
			d.pool = make([]lease.Note, notesTogether)
		}
		d.clients[id], d.pool = d.pool[:0:1], d.pool[1:]
	}
	d.clients[id] = append(d.clients[id], n)
}

// wakeClient gives what a client that gets a seat is to be told first, and forgets
// it.
func (d *dormant) wakeClient(id uint32) []lease.Note {
	if int(id) >= len(d.clients) || d.clients[id] == nil {
		return nil
	}
	kept := d.clients[id]
	d.clients[id] = nil
	if d.sleepers[sleepingClients]--; d.sleepers[sleepingClients] == 0 {
		d.clients, d.pool = nil, nil
	}
	return kept
}

// wake gives a lane what its lock is to start from, which has no seat.
func (q *Sequencer) wake(l *LockEntry, lane *Lane) {
	lane.rest, lane.Claims = q.residue(l), q.dormant.wakeLock(l.ID)
	delete(q.stored, l.ID)
}
