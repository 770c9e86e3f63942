package actors_test

import (
	"testing"
	"time"

	"github.com/leasekeeper/lkactor/actors"
	"github.com/leasekeeper/lkactor/actors/lease"
)

// What an engine does by itself it does in its log: a client whose actor has terminated
// holds nothing after a restart either, and a name that was forgotten stays forgotten,
// but for its tokens (P1, E4).
func TestP1_WhatAnEngineDoesByItself(t *testing.T) {
	clock, system := newHandClock(), newSystem(t)
	run := durableOn(t, system, clock, actors.WithForget(time.Minute), actors.WithKeep(0, 0), actors.WithIdle(0))
	engine, stop := run()
	_, pid := hire(system, engine)
	system.Root.Send(pid, &actors.Attach{Client: "a", AtEnd: actors.ReleaseAll})
	until(t, "the actor is attached", func() bool {
		list, err := engine.Subscribers(t.Context())
		return err == nil && len(list) == 1
	})
	for _, client := range []string{"a", "b"} {
		ask(t, engine, lease.Acquire, client, "L", 24*3_600_000)
	}
	if _, err := engine.Do(t.Context(), lease.Operation{Kind: lease.Bump, Lock: "idle", Token: 41}); err != nil {
		t.Fatal(err)
	}
	system.Root.Stop(pid)
	until(t, "its lease is released", func() bool { return holderOf(t, engine) == "b until 1440" })
	locks := func() []actors.LockInfo {
		list, err := engine.Locks(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return list
	}
	until(t, "the idle lock is forgotten", func() bool {
		clock.advance(time.Minute)
		return len(locks()) == 1
	})
	stop()

	engine, stop = run()
	if got := holderOf(t, engine); got != "b until 1440" {
		t.Errorf("after the restart L is held by %q", got)
	}
	if list := locks(); len(list) != 1 || list[0].Name != "L" {
		t.Errorf("after the restart there are %+v", list)
	}
	if answer := ask(t, engine, lease.Acquire, "c", "idle", 1000); answer.Token != 42 {
		t.Errorf("%+v", answer)
	}
	stop()
}

// until waits until something that will happen has happened.
func until(t *testing.T, what string, happened func() bool) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); !happened(); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("waited in vain until %s", what)
		}
	}
}
