package actors_test

import (
	"testing"

	"github.com/leasekeeper/lkactor/actors"
	"github.com/leasekeeper/lkactor/actors/lease"
	"github.com/leasekeeper/lkactor/actors/oplog"
)

// Logs cut into submissions by hand: what is in one submission is one batch. Each
// is a way in which an operation depends on an earlier one of its batch.
func TestCutRules(t *testing.T) {
	tests := []struct {
		name    string
		batches []string
		want    string // the last result
	}{
		{
			"a ring closed within one batch",
			[]string{`[["acquire",0,"a","L",90],["acquire",0,"b","M",90],["acquire",1,"a","M",90],["acquire",1,"b","L",90]]`},
			`["deadlock",["b"]]`,
		},
		{
			"a ring whose first half is tried in the batch of the second",
			[]string{
				`[["acquire",0,"c4","L0",90],["acquire",0,"c0","L2",90]]`,
				`[["acquire",1,"c0","L0",90],["acquire",1,"c4","L2",90]]`,
			},
			`["granted",2,91,["c0"]]`,
		},
		{
			"a wait that ends with a release in the batch",
			[]string{
				`[["acquire",0,"a","L",90],["acquire",0,"b","L",90]]`,
				`[["release",1,"a","L"],["acquire",1,"b","M",90]]`,
			},
			`["granted",1,91]`,
		},
		{
			"a wait that ends with a lapse nobody has seen",
			[]string{
				`[["acquire",0,"a","L",5],["acquire",0,"b","L",90]]`,
				`[["acquire",6,"b","M",90]]`,
			},
			`["granted",1,96]`,
		},
		{
			"a wait that begins in the batch",
			[]string{`[["acquire",0,"a","L",90],["acquire",0,"b","L",90],["acquire",0,"b","M",90]]`},
			`"error: client busy"`,
		},
		{
			"a lock that looks lapsed but is renewed in the batch",
			[]string{
				`[["acquire",0,"d","L",10]]`,
				`[["renew",9,"d","L",80],["acquire",12,"c","L",5],["acquire",12,"c","M",5]]`,
			},
			`"error: client busy"`,
		},
		{
			"a reader that comes back as a writer while another still reads",
			[]string{
				`[["acquire",0,"a","L",90,"shared"],["acquire",0,"b","L",90,"shared"]]`,
				`[["release",1,"b","L"],["acquire",1,"b","L",90],["acquire",1,"b","M",90]]`,
			},
			`"error: client busy"`,
		},
		{
			"already holding is not waiting",
			[]string{`[["acquire",0,"a","L",90],["acquire",0,"a","L",90],["acquire",0,"a","M",90]]`},
			`["granted",1,90]`,
		},
		{
			"a status of a client whose wait ends by a lapse",
			[]string{
				`[["acquire",0,"a","L",5],["acquire",0,"b","L",90]]`,
				`[["status",5,"b"]]`,
			},
			`{"age":2,"holds":[["L","exclusive",2,95]],"waiting":null}`,
		},
		{
			"a status before the registration in the same batch",
			[]string{`[["write",0,"L","k","v",1],["status",0,"a"],["acquire",0,"a","L",5],["status",0,"a"]]`},
			`{"age":1,"holds":[["L","exclusive",1,5]],"waiting":null}`,
		},
		{
			"a cycle that a lapse has already broken",
			[]string{
				`[["acquire",0,"a","L",90],["acquire",0,"b","M",5],["acquire",0,"c","M",90],["acquire",1,"b","L",90]]`,
				`[["acquire",6,"a","M",9]]`,
			},
			`["queued",1]`,
		},
	}
	system := newSystem(t)
	for _, test := range tests {
		for _, d := range dispatches {
			t.Run(test.name+"/"+d.String(), func(t *testing.T) {
				engine := start(t, system, actors.WithDispatch(d))
				var results []lease.Result
				for _, batch := range test.batches {
					ops := decode(t, []byte(batch))
					results = make([]lease.Result, len(ops))
					if err := engine.Run(t.Context(), ops, results); err != nil {
						t.Fatal(err)
					}
				}
				last := string(oplog.AppendResult(nil, &results[len(results)-1]))
				if last != test.want {
					t.Errorf("got %s, want %s", last, test.want)
				}
				if err := engine.Stop(t.Context()); err != nil {
					t.Fatal(err)
				}
			})
		}
	}
}

// A client that takes three free locks in a row and gives them back, again and
// again, does not end its batch at every second operation.
func TestFreeLocksKeepBatchesLong(t *testing.T) {
	var ops []lease.Operation
	for round := range 10_000 {
		for _, kind := range []lease.Kind{lease.Acquire, lease.Release} {
			for _, lock := range []string{"A", "B", "C"} {
				ops = append(ops, lease.Operation{Kind: kind, At: lease.Instant(round), Client: "c", Lock: lock, TTL: 60})
			}
		}
	}
	longBatches(t, ops)
}

// Nor does a release make the next acquire wait for its outcome: neither that of a
// request, after which the client waits no more, nor that of a lease others wait
// for, after which it is in nobody's way.
func TestReleasesKeepBatchesLong(t *testing.T) {
	acquires := func(client, lock string) lease.Operation { return acquire(0, client, lock) }
	releases := func(client, lock string) lease.Operation {
		return lease.Operation{Kind: lease.Release, Client: client, Lock: lock}
	}
	rounds := map[string][]lease.Operation{
		"of a request": {
			acquires("c", "taken"), releases("c", "taken"), acquires("c", "other"), releases("c", "other"),
		},
		"of a lease": {
			acquires("c", "X"), acquires("w", "X"), releases("c", "X"),
			acquires("c", "taken"), releases("w", "X"), releases("c", "taken"),
		},
	}
	for name, round := range rounds {
		t.Run(name, func(t *testing.T) {
			ops := []lease.Operation{acquires("holder", "taken")}
			for range 5_000 {
				ops = append(ops, round...)
			}
			longBatches(t, ops)
		})
	}
}

func longBatches(t *testing.T, ops []lease.Operation) {
	t.Helper()
	engine := start(t, newSystem(t), actors.WithDispatch(actors.Inline))
	results := make([]lease.Result, len(ops))
	if err := engine.Run(t.Context(), ops, results); err != nil {
		t.Fatal(err)
	}
	for i, r := range results {
		if r.Outcome == lease.Failed {
			t.Fatalf("operation %d: %v", i, r.Code)
		}
	}
	counts, err := engine.Counts(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if mean := counts.Operations / counts.Batches; mean < 48 {
		t.Errorf("%d operations in a batch on average", mean)
	}
	if err := engine.Stop(t.Context()); err != nil {
		t.Fatal(err)
	}
}
