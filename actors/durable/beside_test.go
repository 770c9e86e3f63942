package durable

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/leasekeeper/lkactor/actors"
	"github.com/leasekeeper/lkactor/actors/lease"
	"github.com/leasekeeper/lkactor/sequencer/journal"
)

// A directory can be looked at while an engine writes to it, makes snapshots and gives up
// records: what is seen is whole, and as of some moment.
func TestLookingBesideAnEngine(t *testing.T) {
	dir := t.TempDir()
	s, err := Open(dir, Options{Journal: journal.Options{SegmentBytes: 16 << 10}, SnapshotBytes: 32 << 10})
	if err != nil {
		t.Fatal(err)
	}
	e, err := actors.Start(newSystem(t), actors.WithJournal(s))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	const callers = 8
	ended := make(chan error, callers)
	for i := range callers {
		go func() {
			op := lease.Operation{Kind: lease.Acquire, Client: fmt.Sprint("c", i), Lock: fmt.Sprint("L", i%3), TTL: 5e6}
			for {
				if _, err := e.Do(ctx, op); err != nil {
					ended <- err
					return
				}
			}
		}()
	}
	seen := uint64(0)
	for looks := 0; looks < howMany(100) || seen == 0; looks++ {
		seen = max(seen, lookBeside(t, dir, seen))
	}
	cancel()
	for range callers {
		if err := <-ended; !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
	}
	if err := errors.Join(e.Stop(t.Context()), s.Close()); err != nil {
		t.Fatal(err)
	}
}

// lookBeside looks in every way and gives how many operations there were.
func lookBeside(t *testing.T, dir string, before uint64) uint64 {
	t.Helper()
	v, err := Look(journal.OS{}, dir)
	if err != nil {
		t.Fatal(err)
	}
	if !v.Files().Whole() || !v.Files().Held {
		t.Fatalf("%+v", v.Files())
	}
	standing, err := v.Standing(t.Context(), math.MaxUint64, nil)
	if errors.Is(err, ErrMoved) {
		return 0
	}
	if err != nil {
		t.Fatal(err)
	}
	if standing.Seq < before {
		t.Fatalf("%d operations, and there had been %d", standing.Seq, before)
	}
	if _, err := v.Verify(t.Context(), nil); err != nil && !errors.Is(err, ErrMoved) {
		t.Fatal(err)
	}
	var log bytes.Buffer
	if err := v.Export(t.Context(), &log, Export{Partial: true, Results: true}); err != nil {
		if !errors.Is(err, ErrMoved) {
			t.Fatal(err)
		}
		return standing.Seq
	}
	if n := strings.Count(log.String(), "\n"); n < 1 || uint64(n-1) > standing.Seq {
		t.Fatalf("%d lines of %d operations", n, standing.Seq)
	}
	return standing.Seq
}
