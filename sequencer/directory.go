package sequencer

import (
	"strings"

	"github.com/leasekeeper/lkactor/actors/lease"
)

// directory knows every lock and client by name. Its entries live as long as the
// engine; what they know beyond names is in belief.go.
type directory struct {
	locks   map[string]*LockEntry
	clients map[string]*ClientEntry

	// By ID; index 0 is no one.
	locksByID   []*LockEntry
	clientsByID []*ClientEntry

	registered lease.Age // the last age given out (C2)
}

func newDirectory() directory {
	return directory{
		locks:       make(map[string]*LockEntry),
		clients:     make(map[string]*ClientEntry),
		locksByID:   make([]*LockEntry, 1),
		clientsByID: make([]*ClientEntry, 1),
	}
}

// LockEntry is what the directory has of one lock.
type LockEntry struct {
	lease.Lock

	// Seat is whoever serves the lock at present, nil if nobody does. It belongs
	// to the Ports; the sequencer never looks at it.
	Seat any
	// Rest is what to start the lock from when it has no seat.
	Rest lease.Residue

	lockBelief
	lane *Lane // of the batch in hand, nil if the lock has no part in it
}

// ClientEntry is what the directory has of one client.
type ClientEntry struct {
	lease.Client

	// Seat is whoever keeps the client at present, as for a LockEntry.
	Seat any
	// Rest is the age to start the client from when it has no seat.
	Rest lease.Age

	age lease.Age // zero while not registered; ahead of the seat in a batch

	clientBelief
	post *Post // of the batch in hand, nil if the client has no part in it
}

// lock gives the entry of a lock, made on first use. The name is copied.
func (d *directory) lock(name string) *LockEntry {
	if l := d.locks[name]; l != nil {
		return l
	}
	l := &LockEntry{Lock: lease.Lock{ID: uint32(len(d.locksByID)), Name: strings.Clone(name)}}
	l.due = lease.Never
	d.locks[l.Name] = l
	d.locksByID = append(d.locksByID, l)
	return l
}

// client gives the entry of a client, made on first use. The name is copied.
func (d *directory) client(name string) *ClientEntry {
	if c := d.clients[name]; c != nil {
		return c
	}
	c := &ClientEntry{Client: lease.Client{ID: uint32(len(d.clientsByID)), Name: strings.Clone(name)}}
	d.clients[c.Name] = c
	d.clientsByID = append(d.clientsByID, c)
	return c
}

// register gives the client its age if it has none: its acquire has passed the
// checks, and a client that is not registered holds and awaits nothing that
// could make it busy (C2).
func (d *directory) register(c *ClientEntry) {
	if c.age == 0 {
		d.registered++
		c.age = d.registered
	}
}
