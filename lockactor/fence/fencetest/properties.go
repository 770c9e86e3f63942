package fencetest

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/leasekeeper/lkactor/actors/lease"
	"github.com/leasekeeper/lkactor/lockactor/fence"
)

// properties are tried in this order, each in scopes of its own.
var properties = []property{
	{"F1_FirstWrite", firstWrite},
	{"F1_StaleIsRefused", staleIsRefused},
	{"F1_RefusalChangesNothing", refusalChangesNothing},
	{"F1_StaleWhateverIsWritten", staleWhatever},
	{"F1_MarkWhateverIsWritten", markWhatever},
	{"F1_TokensOfAnySize", tokensOfAnySize},
	{"F1_EqualTokenAgain", equalTokenAgain},
	{"F1_ManyKeysUnderOneToken", manyKeys},
	{"F1_PauseAndResume", pauseAndResume},
	{"F2_ReadsTheLastAccepted", readsTheLast},
	{"P1_ReopenKeepsTheMark", reopenKeeps},
	{"P2_Race", raceIsLinearizable},
	{"P2_KilledAnywhere", killedAnywhere},
	{"P3_IndependentScopes", independentScopes},
	{"P3_ScopeAndKeyAreTwoThings", scopeAndKey},
	{"O6_ArgumentsAreChecked", argumentsAreChecked},
	{"O10_StrangeNames", strangeNames},
	{"O10_StrangeValues", strangeValues},
	{"CancelledContext", cancelledContext},
}

// A scope nobody has written to takes any token from 1 up.
func firstWrite(tr *trial) {
	s := tr.store()
	for _, token := range []lease.Token{1, 2, 71, 1 << 40, fence.MaxToken} {
		scope := tr.scope(fmt.Sprint(token))
		tr.mark(s, scope, 0)
		tr.accepted(s, scope, "k", "first", token)
		tr.mark(s, scope, token)
		tr.reads(s, scope, "k", "first")
	}
}

// A token below the highest accepted one is refused, by however little.
func staleIsRefused(tr *trial) {
	s, scope := tr.store(), tr.scope("s")
	tr.accepted(s, scope, "k", "a", 71)
	tr.accepted(s, scope, "k", "b", 72)
	tr.refused(s, scope, "k", "late", 71, 72)
	tr.refused(s, scope, "k", "late", 1, 72)
	tr.accepted(s, scope, "k", "c", 1000)
	tr.refused(s, scope, "k", "late", 72, 1000)
	tr.refused(s, scope, "k", "late", 999, 1000)
	tr.reads(s, scope, "k", "c")
}

// A refused write leaves the value, the token and the absence of a key as they
// were.
func refusalChangesNothing(tr *trial) {
	s, scope := tr.store(), tr.scope("s")
	tr.accepted(s, scope, "k", "kept", 72)
	tr.refused(s, scope, "k", "late", 71, 72)
	tr.reads(s, scope, "k", "kept")
	tr.mark(s, scope, 72)
	tr.refused(s, scope, "other", "late", 70, 72)
	tr.lacks(s, scope, "other")
	tr.mark(s, scope, 72)
	tr.refused(s, scope, "k", "late", 71, 72) // the refusals have not opened the way
	tr.accepted(s, scope, "k", "next", 72)
}

// The owner writes again under its own token, the same key too, and the same
// value too (P4).
func equalTokenAgain(tr *trial) {
	s, scope := tr.store(), tr.scope("s")
	for _, value := range []string{"one", "two", "two", "three"} {
		tr.accepted(s, scope, "k", value, 71)
		tr.reads(s, scope, "k", value)
	}
	tr.mark(s, scope, 71)
	tr.refused(s, scope, "k", "late", 70, 71)
}

// The token is the scope's: an owner writes many keys under one, and is
// overtaken on all of them at once, those that its successor has not touched and
// those that do not exist yet included.
func manyKeys(tr *trial) {
	s, scope := tr.store(), tr.scope("s")
	const keys = 40
	for i := range keys {
		tr.accepted(s, scope, fmt.Sprint("k", i), fmt.Sprint("a", i), 71)
	}
	tr.accepted(s, scope, "k0", "b", 72)
	for i := range keys + 1 {
		tr.refused(s, scope, fmt.Sprint("k", i), "late", 71, 72)
	}
	tr.reads(s, scope, "k0", "b")
	for i := 1; i < keys; i++ {
		tr.reads(s, scope, fmt.Sprint("k", i), fmt.Sprint("a", i))
	}
	tr.lacks(s, scope, fmt.Sprint("k", keys))
}

// The story that fencing is for: the holder of token 71 stops, its lease runs
// out, 72 writes, and 71 goes on as if nothing had happened. Each has the store
// open for itself, as two processes would.
func pauseAndResume(tr *trial) {
	scope := tr.scope("s")
	a, b := tr.store(), tr.store()
	tr.accepted(a, scope, "part-1", "a: rows 1-100", 71)
	tr.accepted(b, scope, "part-1", "b: rows 1-100", 72)
	tr.refused(a, scope, "part-2", "a: rows 101-200", 71, 72)
	tr.refused(a, scope, "part-1", "a: rows 1-100", 71, 72)
	tr.reads(a, scope, "part-1", "b: rows 1-100")
	tr.lacks(b, scope, "part-2")
	tr.mark(a, scope, 72)
	tr.accepted(b, scope, "part-2", "b: rows 101-200", 72)
}

// read answers the last accepted value, and nothing where nothing was written. A
// value that is written over is gone there and nowhere else.
func readsTheLast(tr *trial) {
	s, scope := tr.store(), tr.scope("s")
	tr.lacks(s, scope, "k")
	tr.mark(s, scope, 0)
	tr.accepted(s, scope, "k", "one", 1)
	tr.lacks(s, scope, "j")
	tr.accepted(s, scope, "j", "other", 1)
	tr.accepted(s, scope, "k", "two", 2)
	tr.reads(s, scope, "k", "two")
	tr.reads(s, scope, "j", "other")
	twin := tr.scope("twin")
	for _, value := range []string{"the same, for all", "short", ""} {
		tr.accepted(s, scope, "k", value, 2)
		tr.accepted(s, scope, "j", value, 2)
		tr.accepted(s, twin, "k", value, 2)
		tr.accepted(s, scope, "k", "over", 2)
		tr.reads(s, scope, "k", "over")
		tr.reads(s, scope, "j", value)
		tr.reads(s, twin, "k", value)
	}
}

// What was accepted stays accepted when the store is closed and opened again.
func reopenKeeps(tr *trial) {
	scope := tr.scope("s")
	tr.accepted(tr.store(), scope, "k", "a", 72)
	s := tr.reopen()
	tr.mark(s, scope, 72)
	tr.reads(s, scope, "k", "a")
	tr.refused(s, scope, "k", "late", 71, 72)
	s = tr.reopen()
	tr.refused(s, scope, "j", "late", 71, 72)
	tr.accepted(s, scope, "k", "b", 72)
	tr.reads(tr.reopen(), scope, "k", "b")
	for _, pair := range overtaken {
		scope := tr.scope(fmt.Sprint(pair))
		tr.accepted(tr.store(), scope, "k", "a", pair.accepted)
		s := tr.reopen()
		tr.mark(s, scope, pair.accepted)
		tr.refused(s, scope, "k", "late", pair.stale, pair.accepted)
	}
}

// Tokens of two scopes are never compared, and their keys are not the same keys.
func independentScopes(tr *trial) {
	s, one, two := tr.store(), tr.scope("one"), tr.scope("two")
	tr.accepted(s, one, "k", "of one", 1000)
	tr.lacks(s, two, "k")
	tr.mark(s, two, 0)
	tr.accepted(s, two, "k", "of two", 3)
	tr.mark(s, one, 1000)
	tr.mark(s, two, 3)
	tr.reads(s, one, "k", "of one")
	tr.reads(s, two, "k", "of two")
	tr.refused(s, two, "k", "late", 2, 3)
	tr.refused(s, one, "k", "late", 999, 1000)
	tr.accepted(s, two, "k", "again", 3)
}

// A scope and a key are told apart wherever the one ends and the other begins:
// "a/b" in scope "s" is not "b" in scope "s/a", for any sign between them.
func scopeAndKey(tr *trial) {
	s := tr.store()
	for i, sign := range []string{"", "/", "\x00", ":", "::", ".", "-", "_", "|", ",", " ", "\n", "\t", "\\", "#", "\x1f"} {
		one := tr.scope(fmt.Sprint("s", i))
		two := one + sign + "a"
		tr.accepted(s, one, "a"+sign+"b", "of one", 1000)
		tr.lacks(s, two, "b")
		tr.mark(s, two, 0)
		tr.accepted(s, two, "b", "of two", 3)
		tr.reads(s, one, "a"+sign+"b", "of one")
		tr.reads(s, two, "b", "of two")
		tr.mark(s, one, 1000)
		tr.refused(s, one, "b", "late", 999, 1000)
	}
}

// What is no name and no token is refused as such and leaves no trace.
func argumentsAreChecked(tr *trial) {
	s, scope := tr.store(), tr.scope("s")
	invalid := func(what string, err error) {
		if !errors.Is(err, fence.ErrInvalid) {
			tr.failf("%s: %v, want fence.ErrInvalid", what, err)
		}
	}
	for _, token := range []lease.Token{0, -1, math.MinInt64, fence.MaxToken + 1, math.MaxInt64} {
		invalid(fmt.Sprintf("write with token %d", token), s.Write(tr.ctx, scope, "k", "v", token))
	}
	for _, name := range []string{"", "\xff", "a\xc3", "\xed\xa0\x80", string(make([]byte, fence.MaxNameBytes+1))} {
		what := "the name " + brief(name)
		invalid(what+" as scope of a write", s.Write(tr.ctx, name, "k", "v", 1))
		invalid(what+" as key of a write", s.Write(tr.ctx, scope, name, "v", 1))
		_, _, err := s.Read(tr.ctx, name, "k")
		invalid(what+" as scope of a read", err)
		_, _, err = s.Read(tr.ctx, scope, name)
		invalid(what+" as key of a read", err)
		_, err = s.Accepted(tr.ctx, name)
		invalid(what+" as scope of Accepted", err)
	}
	tr.lacks(s, scope, "k")
	tr.mark(s, scope, 0)
}

// A context that has ended before the call: its error, and nothing done.
func cancelledContext(tr *trial) {
	s, scope := tr.store(), tr.scope("s")
	tr.accepted(s, scope, "k", "kept", 71)
	ctx, cancel := context.WithCancel(tr.ctx)
	cancel()
	ended := func(what string, err error) {
		if !errors.Is(err, context.Canceled) {
			tr.failf("%s with a cancelled context: %v, want context.Canceled", what, err)
		}
	}
	ended("write", s.Write(ctx, scope, "k", "late", 72))
	ended("first write of a scope", s.Write(ctx, tr.scope("t"), "k", "late", 72))
	_, _, err := s.Read(ctx, scope, "k")
	ended("read", err)
	_, err = s.Accepted(ctx, scope)
	ended("Accepted", err)
	tr.mark(s, scope, 71)
	tr.reads(s, scope, "k", "kept")
	tr.lacks(s, tr.scope("t"), "k")
	tr.accepted(s, scope, "k", "next", 71)
}
