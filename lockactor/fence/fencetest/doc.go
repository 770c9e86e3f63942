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
package fencetest
