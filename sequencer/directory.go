package sequencer

import (
	"strings"

	"github.com/leasekeeper/lkactor/actors/lease"
)

// directory knows every lock and client by name. What it knows of each beyond
// the name is in belief.go.
type directory struct {
	lockIndex   index
	clientIndex index
	locks       slab[LockEntry]
	clients     slab[ClientEntry]

	// recent is the lock asked for last; often it is asked for again.
	recent *LockEntry

	// stored is what locks without a seat have accepted and stored (F1), by ID, where
	// that is anything. Most locks protect data that is elsewhere.
	stored map[uint32]lease.Residue

	asked asked // what clients have asked under ids (E3)

	registered lease.Age   // the last age given out (C2)
	floor      lease.Token // the highest token ever forgotten: where counters start (E4)
}

func newDirectory() directory {
	return directory{lockIndex: newIndex(), clientIndex: newIndex(), stored: map[uint32]lease.Residue{}}
}

// LockEntry is what the directory has of one lock. There may be ten million of them,
// and routing one operation touches one at random: each byte here counts twice.
type LockEntry struct {
	lease.Lock

	// Seat is whoever serves the lock at present, nil if nobody does. It belongs
	// to the Ports; the sequencer never looks at it.
	Seat LockSeat

	lockBelief

	// counter is the last token issued (Q2), as of when the lock had no seat.
	counter lease.Token
}

// ClientEntry is what the directory has of one client.
type ClientEntry struct {
	lease.Client

	// Seat is whoever keeps the client at present, as for a LockEntry.
	Seat ClientSeat

	age lease.Age // zero while not registered (C2)

	clientBelief
	requests *requests // what the client has asked under ids; nil for nothing

	post *Post // what the client has yet to be told, nil for nothing
}

// Rest is the age that whoever keeps the client is to start from: what comes before
// the next note.
func (c *ClientEntry) Rest() lease.Age {
	if c.unborn {
		return 0
	}
	return c.age
}

// knownLock gives the entry of a lock, nil if the name was never used.
func (d *directory) knownLock(name string) *LockEntry {
	if d.recent != nil && d.recent.Name == name {
		return d.recent
	}
	id, _ := d.lockIndex.find(name, d.lockName)
	if id == 0 {
		return nil
	}
	d.recent = d.locks.at(id)
	return d.recent
}

// lock gives the entry of a lock, made on first use. The name is copied.
func (d *directory) lock(name string) *LockEntry {
	if l := d.knownLock(name); l != nil {
		return l
	}
	l, _ := d.enterLock(strings.Clone(name))
	return l
}

// enterLock makes the entry of a lock unless there is one. The name is kept as it is.
func (d *directory) enterLock(name string) (l *LockEntry, fresh bool) {
	known, hash := d.lockIndex.find(name, d.lockName)
	if known != 0 {
		return d.locks.at(known), false
	}
	id, l := d.locks.add()
	l.ID, l.Name = id, name
	l.due, l.until, l.counter = lease.Never, lease.Dawn, d.floor
	d.lockIndex.add(hash, id)
	return l, true
}

// residue is what to start a lock from that has no seat.
func (d *directory) residue(l *LockEntry) lease.Residue {
	rest := d.stored[l.ID]
	rest.Counter = l.counter
	return rest
}

// leave keeps the residue of a lock that has given up its seat.
func (d *directory) leave(l *LockEntry, rest lease.Residue) {
	l.counter = rest.Counter
	if rest.Accepted > 0 || len(rest.Values) > 0 {
		d.stored[l.ID] = rest
	}
}

// knownClient gives the entry of a client, nil if the name was never used.
func (d *directory) knownClient(name string) *ClientEntry {
	if id, _ := d.clientIndex.find(name, d.clientName); id != 0 {
		return d.clients.at(id)
	}
	return nil
}

// client gives the entry of a client, made on first use. The name is copied.
func (d *directory) client(name string) *ClientEntry {
	id, _ := d.clientIndex.find(name, d.clientName)
	if id != 0 {
		return d.clients.at(id)
	}
	c, _ := d.enterClient(strings.Clone(name))
	return c
}

// enterClient makes the entry of a client unless there is one. The name is kept as it
// is.
func (d *directory) enterClient(name string) (c *ClientEntry, fresh bool) {
	known, hash := d.clientIndex.find(name, d.clientName)
	if known != 0 {
		return d.clients.at(known), false
	}
	id, c := d.clients.add()
	c.ID, c.Name = id, name
	d.clientIndex.add(hash, id)
	return c, true
}

// dropLock forgets a lock that has no seat and nothing on its way to it.
func (d *directory) dropLock(l *LockEntry) {
	d.floor = max(d.floor, l.counter)
	d.lockIndex.remove(l.Name, l.ID)
	d.recent = nil
	shelved := l.marks & markShelved
	d.locks.drop(l.ID)
	l.marks = shelved
}

// dropClient forgets a client that has no seat and nothing on its way to it.
func (d *directory) dropClient(c *ClientEntry) {
	d.clientIndex.remove(c.Name, c.ID)
	shelved := c.marks & markShelved
	d.clients.drop(c.ID)
	c.marks = shelved
}

func (d *directory) lockName(id uint32) string   { return d.locks.at(id).Name }
func (d *directory) clientName(id uint32) string { return d.clients.at(id).Name }

// register gives the client its age if it has none: its acquire has passed the
// checks, and a client that is not registered holds and awaits nothing that
// could make it busy (C2).
func (q *Sequencer) register(c *ClientEntry) {
	if c.age == 0 {
		q.registered++
		q.setAge(c, q.registered)
		c.unborn = true
	}
}
