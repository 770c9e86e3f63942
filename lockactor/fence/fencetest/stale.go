package fencetest

import (
	"fmt"
	"strings"

	"github.com/leasekeeper/lkactor/actors/lease"
	"github.com/leasekeeper/lkactor/lockactor/fence"
)

// overtaken are pairs of a token and one that has overtaken it. In each some way
// of keeping or comparing tokens goes wrong: too few bits, a sign, a float, text,
// a window outside of which tokens are taken for something else, a greatest token
// that nothing can follow.
var overtaken = []struct{ stale, accepted lease.Token }{
	{1, 2},
	{9, 10},
	{71, 72},
	{1, 1 << 20},
	{1<<31 - 1, 1 << 31},
	{1, 1 << 31},
	{1<<32 - 1, 1 << 32},
	{1 << 32, 1<<32 + 1},
	{1 << 53, 1<<53 + 1},
	{1, 1 << 61},
	{1, fence.MaxToken},
	{1 << 53, fence.MaxToken},
	{fence.MaxToken - 1, fence.MaxToken},
}

// bulk is a value longer than a page of any database, and than what some keep in
// a row.
var bulk = strings.Repeat("0123456789abcdef", 64<<10/16)

// longKey gives a key of so many bytes.
func longKey(bytes int) string { return strings.Repeat("k", bytes) }

// A token that has been overtaken is refused whatever it wants to write and
// wherever, by whatever the two tokens are: nothing, the same again, much, under
// a key that is there or not, short or long or named like the scope. The mark has
// not moved.
func staleWhatever(tr *trial) {
	s := tr.store()
	for i, pair := range overtaken {
		scope := tr.scope(fmt.Sprint(pair.stale, " after ", pair.accepted))
		there := []string{"k", longKey(201), longKey(fence.MaxNameBytes)}
		absent := []string{"j", longKey(256), longKey(fence.MaxNameBytes - 1)}
		if i%2 == 0 {
			there = append(there, scope)
		} else {
			absent = append(absent, scope)
		}
		for _, key := range there {
			tr.accepted(s, scope, key, "kept", pair.accepted)
		}
		for _, value := range []string{"", "kept", "late", bulk} {
			for _, key := range append(there, absent...) {
				tr.refused(s, scope, key, value, pair.stale, pair.accepted)
			}
			tr.mark(s, scope, pair.accepted)
		}
		for _, key := range there {
			tr.reads(s, scope, key, "kept")
		}
		for _, key := range absent {
			tr.lacks(s, scope, key)
		}
	}
}

// Every accepted write records its token, whatever it writes and wherever: it is
// the token that keeps out the owner before.
func markWhatever(tr *trial) {
	s := tr.store()
	for i, value := range []string{"", "kept", "new", bulk} {
		for j, key := range []string{"k", "j", longKey(201), longKey(fence.MaxNameBytes), ""} {
			scope := tr.scope(fmt.Sprintf("value %d, key %d", i, j))
			if key == "" {
				key = scope
			}
			tr.accepted(s, scope, "k", "kept", 71)
			tr.accepted(s, scope, key, value, 72)
			tr.mark(s, scope, 72)
			tr.refused(s, scope, "k", "late", 71, 72)
			tr.reads(s, scope, key, value)
		}
	}
}

// Tokens are integers from 1 to fence.MaxToken and are compared as such, at every
// size: each power of two and of ten is told from its neighbours, and nothing is
// so far behind that it is let in.
func tokensOfAnySize(tr *trial) {
	s, two, ten := tr.store(), tr.scope("two"), tr.scope("ten")
	for power := lease.Token(2); ; power *= 2 {
		tr.accepted(s, two, "k", "a", power)
		tr.refused(s, two, "k", "late", power-1, power)
		tr.refused(s, two, "k", "late", 1, power)
		if power == fence.MaxToken {
			break
		}
		tr.accepted(s, two, "k", "b", power+1)
		tr.refused(s, two, "k", "late", power, power+1)
	}
	for power := lease.Token(10); power < fence.MaxToken/10; power *= 10 {
		tr.accepted(s, ten, "k", "a", power)
		tr.refused(s, ten, "k", "late", power-1, power)
	}
	leap := tr.scope("leap")
	tr.accepted(s, leap, "k", "first", 1)
	tr.accepted(s, leap, "k", "last", fence.MaxToken)
	tr.refused(s, leap, "k", "late", 1, fence.MaxToken)
	tr.mark(s, two, fence.MaxToken)
	tr.accepted(s, two, "k", "last", fence.MaxToken)
	tr.refused(s, two, "k", "late", 1, fence.MaxToken)
	tr.reads(s, two, "k", "last")
}
