// Package cell is the fenced store of one scope, in memory and pure: rules F1
// and F2.
//
// It owns the comparison of tokens. The lock actor keeps one [Cell] for the
// engine's own write and read, and fence.Memory keeps one for each scope, so the
// rule is written down once. It never looks at leases (F2): all it knows is the
// highest token it has accepted. It has no lock of its own, no clock and no
// disk; package fence puts those around it.
package cell
