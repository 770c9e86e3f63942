package durable

import (
	"fmt"
	"testing"
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"github.com/leasekeeper/lkactor/actors/lease"
	"github.com/leasekeeper/lkactor/sequencer/journal/crashfs"
)

// queued is what a backup has that is restored later: leases that run out at several
// times, and those in line.
var queued = []lease.Operation{
	{Kind: lease.Acquire, Client: "a1", Lock: "one", TTL: 8e9},
	{Kind: lease.Acquire, Client: "b1", Lock: "one", TTL: 3600e9},
	{Kind: lease.Acquire, Client: "a2", Lock: "chain", TTL: 2e9},
	{Kind: lease.Acquire, Client: "b2", Lock: "chain", TTL: 3e9},
	{Kind: lease.Acquire, Client: "c2", Lock: "chain", TTL: 4e9},
	{Kind: lease.Acquire, Client: "d2", Lock: "chain", TTL: 3600e9},
	{Kind: lease.Acquire, Client: "a3", Lock: "shared", Mode: lease.Shared, TTL: 8e9},
	{Kind: lease.Acquire, Client: "b3", Lock: "shared", TTL: 1e9},
	{Kind: lease.Acquire, Client: "c3", Lock: "shared", Mode: lease.Shared, TTL: 3600e9},
	{Kind: lease.Acquire, Client: "d3", Lock: "shared", Mode: lease.Shared, TTL: 3600e9},
	{Kind: lease.Acquire, Client: "a4", Lock: "long", TTL: 36000e9},
	{Kind: lease.Acquire, Client: "b4", Lock: "long", TTL: 3600e9},
}

var queuedLocks = []string{"one", "chain", "shared", "long"}

// backedUp gives a backup of queued, and the highest token that was issued after it.
func backedUp(t *testing.T, system *actor.ActorSystem) (backup *crashfs.FS, highest lease.Token) {
	t.Helper()
	fs, clock := crashfs.New(1), &hand{wall: zero}
	s := mustServe(t, system, options(fs), clock)
	for _, op := range queued {
		s.ask(t, op)
	}
	if err := s.stop(); err != nil {
		t.Fatal(err)
	}
	backup = fs.Clone(2)
	// The world goes on: all of them leave, those in line first, and others come.
	s = mustServe(t, system, options(fs), clock)
	for i := range queued {
		op := &queued[len(queued)-1-i]
		s.ask(t, lease.Operation{Kind: lease.Release, Client: op.Client, Lock: op.Lock})
	}
	for range 9 {
		for _, lock := range queuedLocks {
			a := s.ask(t, lease.Operation{Kind: lease.Acquire, Client: "x", Lock: lock, TTL: 3600e9})
			if a.Outcome != lease.Granted {
				t.Fatalf("%+v", a)
			}
			highest = max(highest, a.Token)
			s.ask(t, lease.Operation{Kind: lease.Release, Client: "x", Lock: lock})
		}
	}
	if err := s.stop(); err != nil {
		t.Fatal(err)
	}
	return backup, highest
}

// repeated starts an engine some time after the backup, lets some more pass, and gives
// the tokens it issues, on the way or when it is asked, that others have had.
func repeated(t *testing.T, system *actor.ActorSystem, fs *crashfs.FS, off, on time.Duration, highest lease.Token) (again []string) {
	t.Helper()
	clock := &hand{wall: zero.Add(off)}
	s := mustServe(t, system, options(fs), clock)
	clock.advance(on)
	for _, lock := range queuedLocks {
		view := s.ask(t, lease.Operation{Kind: lease.Inspect, Lock: lock})
		holders := view.Result.Detail.Lock.Holders
		for _, h := range holders {
			if h.Token <= highest && h.Client[0] != 'a' { // their leases are those of the backup
				again = append(again, fmt.Sprintf("%s to %s: %d", lock, h.Client, h.Token))
			}
		}
		for _, op := range queued {
			if op.Lock == lock {
				s.ask(t, lease.Operation{Kind: lease.Evict, Client: op.Client, Lock: lock})
			}
		}
		a := s.ask(t, lease.Operation{Kind: lease.Acquire, Client: "x", Lock: lock, TTL: 1e9})
		if a.Outcome != lease.Granted {
			t.Fatalf("%s: %+v", lock, a)
		}
		if a.Token <= highest {
			again = append(again, fmt.Sprintf("%s to x: %d", lock, a.Token))
		}
		s.ask(t, lease.Operation{Kind: lease.Release, Client: "x", Lock: lock})
	}
	if err := s.stop(); err != nil {
		t.Fatal(err)
	}
	return again
}

// Leases of a backup that have run out when it is restored hand their locks on to who
// waits in it, and the tokens of those grants are new, too: whatever the leases are, in
// whatever order the locks are bumped, and whether the time passes before the engine
// starts or after.
func TestARestoredBackupWithQueues(t *testing.T) {
	system := newSystem(t)
	backup, highest := backedUp(t, system)
	all := func(t *testing.T, fs *crashfs.FS) {
		if _, err := BumpAll(dir, options(fs), highest); err != nil {
			t.Fatal(err)
		}
	}
	each := func(from, step int) func(*testing.T, *crashfs.FS) {
		return func(t *testing.T, fs *crashfs.FS) {
			for i := range queuedLocks {
				lock := queuedLocks[(from+i*step)%len(queuedLocks)]
				if counter, err := Bump(dir, options(fs), lock, highest); err != nil || counter != highest {
					t.Fatal(counter, err)
				}
			}
		}
	}
	ways := map[string]func(*testing.T, *crashfs.FS){
		"all": all, "each": each(0, 1), "each from the end": each(3, 3), "each and all": func(t *testing.T, fs *crashfs.FS) {
			each(2, 1)(t, fs)
			all(t, fs)
		},
	}
	times := []time.Duration{0, 2 * time.Second, 9 * time.Second, 2 * time.Hour}
	for _, off := range times {
		for _, on := range times {
			if got := repeated(t, system, backup.Clone(3), off, on, highest); len(got) < len(queuedLocks) {
				t.Errorf("without a bump, %v off and %v on: again only %q", off, on, got)
			}
			for way, bump := range ways {
				fs := backup.Clone(4)
				bump(t, fs)
				if got := repeated(t, system, fs, off, on, highest); len(got) > 0 {
					t.Errorf("%s, %v off and %v on: %q", way, off, on, got)
				}
			}
		}
	}
}

// A bump is at an instant that has been recorded before, and at zero where none has.
func TestABumpLetsNoTimePass(t *testing.T) {
	fs, r := briefly(t)
	if _, err := Bump(dir, options(fs), "L", 7); err != nil {
		t.Fatal(err)
	}
	ops, _, _ := history(t, fs)
	if n := len(ops) - 1; uint64(n) != r.seq+1 || ops[n].Kind != lease.Bump || ops[n].At != 5 {
		t.Errorf("%d operations, the last one %+v", n, ops[n])
	}
	unused := crashfs.New(1)
	s := mustOpen(t, options(unused))
	if _, _, _, err := s.Resume(zero, engine, ignore); err != nil {
		t.Fatal(err)
	}
	_, err := BumpAll(dir, options(unused), 7)
	if err == nil {
		t.Error("a directory that is open was bumped")
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := BumpAll(dir, options(unused), 7); err != nil {
		t.Fatal(err)
	}
	if ops, _, _ = history(t, unused); len(ops) != 3 || ops[1].At != 0 {
		t.Errorf("%+v", ops)
	}
}
