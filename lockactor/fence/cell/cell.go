package cell

import (
	"strings"

	"github.com/leasekeeper/lkactor/actors/lease"
)

// Cell is the store in memory for one scope: the resource that one lock
// protects (P3). The zero value is a store that has accepted nothing. It is
// pure; one goroutine at a time may use it.
type Cell struct {
	accepted lease.Token
	values   map[string]string
}

// NewCell gives a store that goes on from what an earlier one had accepted.
func NewCell(accepted lease.Token, values map[string]string) Cell {
	return Cell{accepted: accepted, values: values}
}

// Write stores value under key if token is no lower than any accepted before,
// and otherwise changes nothing and answers lease.StaleToken (F1). Comparing and
// storing are one step (P2). Key and value are copied.
func (c *Cell) Write(key, value string, token lease.Token) lease.Code {
	if token < c.accepted {
		return lease.StaleToken
	}
	c.accepted = token
	if c.values == nil {
		c.values = make(map[string]string)
	}
	// Of a key that is known, too: a map takes the string that it is given last.
	c.values[strings.Clone(key)] = strings.Clone(value)
	return lease.OK
}

// Read gives the last accepted value under key; ok is false if there is none
// (F2).
func (c *Cell) Read(key string) (value string, ok bool) {
	value, ok = c.values[key]
	return value, ok
}

// Contents gives the highest accepted token, zero if none, and the values. The
// map stays the store's.
func (c *Cell) Contents() (accepted lease.Token, values map[string]string) {
	return c.accepted, c.values
}
