package oplog_test

import (
	"bytes"
	"io"
	"slices"
	"testing"

	"github.com/leasekeeper/lkactor/actors/internal/chance"
	"github.com/leasekeeper/lkactor/actors/internal/twin"
	"github.com/leasekeeper/lkactor/actors/lease"
	"github.com/leasekeeper/lkactor/actors/oplog"
)

// The checks O1 to O7 need no state, so what random operations of both dialects
// are refused for here is what the twin refuses them for, and nothing else. Only
// a repeat may be refused for an instant that nobody knows yet (R3).
func TestRefusalsAreThoseOfTheTwin(t *testing.T) {
	form := map[lease.Code]bool{lease.InvalidArguments: true, lease.UnknownOperation: true, lease.InvalidTTL: true}
	seeds := uint64(20)
	if testing.Short() {
		seeds = 4
	}
	for _, p := range slices.Concat(chance.Profiles, chance.LiveProfiles) {
		refused := 0
		for seed := range seeds {
			log := chance.Log(seed, p)
			text := chance.Text(log)
			if p.Live {
				text = chance.LiveText(log)
			}
			results, err := twin.Replay(text)
			if err != nil {
				t.Fatal(err)
			}
			d := oplog.NewDecoder(bytes.NewReader(text), "log", oplog.Array)
			for i, result := range results {
				var op lease.Operation
				if err := d.Next(&op); err != nil {
					t.Fatalf("%s, seed %d, operation %d: %v", p.Name, seed, i, err)
				}
				if op.Kind == lease.Repeat {
					continue
				}
				if op.Kind == lease.Refused {
					refused++
				}
				for code := range form {
					said := lease.Fail(code)
					if twins := string(oplog.AppendResult(nil, &said)) == result; twins != (op.Kind == lease.Refused && op.Code == code) {
						t.Errorf("%s, seed %d, operation %d: %s\ndecodes to %+v; the twin says %s", p.Name, seed, i, log[i], op, result)
					}
				}
			}
			if err := d.Next(new(lease.Operation)); err != io.EOF {
				t.Errorf("%s, seed %d: %v at the end", p.Name, seed, err)
			}
		}
		t.Logf("%s: %d refused", p.Name, refused)
	}
}
