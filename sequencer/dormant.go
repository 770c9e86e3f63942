package sequencer

import "github.com/leasekeeper/lkactor/actors/lease"

// dormant is what must be remembered of locks and clients that are in use and
// have no seat: those that a restart has brought back and nobody has touched since,
// and, while an order is frozen, all of them. Whoever serves one next starts from
// it. Most engines have nothing here for most of their time.
type dormant struct {
	locks   map[uint32]*lease.Claims // by ID
	clients map[uint32][]lease.Note  // what to tell first, by ID
}

// putLock keeps the claims of a lock that has given up its seat; nil for a lock
// that nobody holds or awaits.
func (d *dormant) putLock(id uint32, claims *lease.Claims) {
	if claims.Empty() {
		return
	}
	if d.locks == nil {
		d.locks = make(map[uint32]*lease.Claims)
	}
	d.locks[id] = claims
}

// wakeLock gives the claims that a lock which gets a seat is to start from, nil if
// there are none, and forgets them.
func (d *dormant) wakeLock(id uint32) *lease.Claims {
	if len(d.locks) == 0 {
		return nil
	}
	claims := d.locks[id]
	delete(d.locks, id)
	return claims
}

// putClient keeps what a client that has given up its seat holds and awaits.
func (d *dormant) putClient(id uint32, kept []lease.Note) {
	if len(kept) == 0 {
		return
	}
	if d.clients == nil {
		d.clients = make(map[uint32][]lease.Note)
	}
	d.clients[id] = kept
}

// wakeClient gives what a client that gets a seat is to be told first, and forgets
// it.
func (d *dormant) wakeClient(id uint32) []lease.Note {
	if len(d.clients) == 0 {
		return nil
	}
	kept := d.clients[id]
	delete(d.clients, id)
	return kept
}

// addNote adds to what a client is to be told first.
func (d *dormant) addNote(id uint32, n lease.Note) {
	if d.clients == nil {
		d.clients = make(map[uint32][]lease.Note)
	}
	d.clients[id] = append(d.clients[id], n)
}
