// Package fencetest is the kit that tells whether a store keeps the contract of
// fence.Store: one call of [Run] in a test of yours.
//
// It owns the properties (properties.go, death.go), a race of 64 goroutines and
// the exact judgement of what came of it ([History.Check]). It never looks
// inside a store and never trusts one: what it holds against a store is what the
// store itself has answered.
//
// Every property is there because a store can fail it; broken_test.go has, for
// each, a store that does.
//
// It tries from outside and for a few seconds, so some faults are out of its
// reach, and a store must be looked at for them: a mark that is forgotten after a
// time, after many writes or many scopes, or when the machine, and not only the
// process, goes down; a fault that shows with one name or value only which the kit
// does not happen to use; servers that do not tell each other in time; a write by
// some other way than the store's. That it passes says nothing about those.
package fencetest
