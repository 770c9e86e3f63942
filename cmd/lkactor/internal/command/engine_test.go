package command

import (
	"context"
	"testing"

	"github.com/leasekeeper/lkactor/actors/lease"
)

func TestEngineStartsWithTheFirstOperation(t *testing.T) {
	e := new(engine)
	if err := e.stop(t.Context()); err != nil || e.system != nil {
		t.Errorf("an engine that never ran: system %v, %v", e.system, err)
	}
	ops := []lease.Operation{{Kind: lease.Acquire, Client: "c", Lock: "l", TTL: 5}, {Kind: lease.Release, Client: "c", Lock: "l"}}
	results := make([]lease.Result, len(ops))
	if err := e.Run(context.Background(), ops, results); err != nil {
		t.Fatal(err)
	}
	if results[0].Outcome != lease.Granted || results[1].Outcome != lease.Released {
		t.Errorf("results %+v", results)
	}
	if err := e.stop(t.Context()); err != nil {
		t.Error(err)
	}
	if err := e.Run(context.Background(), ops, results); err == nil {
		t.Error("it runs after its end")
	}
}
