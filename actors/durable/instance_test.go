package durable

import (
	"errors"
	"testing"
	"time"

	"github.com/leasekeeper/lkactor/actors"
	"github.com/leasekeeper/lkactor/actors/lease"
	"github.com/leasekeeper/lkactor/sequencer/journal/crashfs"
)

// Who acts for a client is known as long as the engine runs: subscribers are parts of the
// process and end with it. After a restart the first instance that subscribes has the
// name; the client's leases are what they were, with their tokens.
func TestInstancesAreNotKept(t *testing.T) {
	system, fs := newSystem(t), crashfs.New(1)
	clock := &hand{wall: zero}
	subscribe := func(s *service, instance string) error {
		_, err := s.engine.Subscribe(t.Context(), "a", instance, make(told, 10))
		return err
	}
	s := mustServe(t, system, options(fs), clock)
	if err := subscribe(s, "1"); err != nil {
		t.Fatal(err)
	}
	token := s.ask(t, lease.Operation{Kind: lease.Acquire, Client: "a", Lock: "L", TTL: lease.Duration(time.Hour)}).Token
	if err := subscribe(s, "2"); !errors.Is(err, actors.ErrClientInUse) {
		t.Errorf("two at a time: %v", err)
	}
	if err := s.stop(); err != nil {
		t.Fatal(err)
	}
	again := mustServe(t, system, options(fs), clock)
	if err := subscribe(again, "2"); err != nil {
		t.Errorf("the first after the restart: %v", err)
	}
	if err := subscribe(again, "1"); !errors.Is(err, actors.ErrClientInUse) {
		t.Errorf("who had the name before, and comes second: %v", err)
	}
	if v := again.ask(t, lease.Operation{Kind: lease.Status, Client: "a"}).Detail.Client; len(v.Holds) != 1 || v.Holds[0].Token != token {
		t.Errorf("%+v", v)
	}
	if err := again.stop(); err != nil {
		t.Fatal(err)
	}
}
