package durable

import (
	"errors"
	"strings"
	"syscall"
	"testing"

	"github.com/leasekeeper/lkactor/actors"
	"github.com/leasekeeper/lkactor/actors/lease"
	"github.com/leasekeeper/lkactor/actors/model"
	"github.com/leasekeeper/lkactor/sequencer/journal"
	"github.com/leasekeeper/lkactor/sequencer/journal/crashfs"
)

// What docs/DURABILITY.md says of a restored backup: without a bump its engine issues
// tokens that have been issued since, with one it does not, on locks of any kind.
func TestARestoredBackup(t *testing.T) {
	system, fs := newSystem(t), crashfs.New(1)
	clock := &hand{wall: zero}
	locks := []string{"known", "idle", "later"}
	take := func(s *service, lock string) lease.Token {
		a := s.ask(t, lease.Operation{Kind: lease.Acquire, Client: "a", Lock: lock, TTL: 3600e9})
		s.ask(t, lease.Operation{Kind: lease.Release, Client: "a", Lock: lock})
		return a.Token
	}
	s := mustServe(t, system, options(fs), clock)
	take(s, "known")
	take(s, "idle")
	if err := s.stop(); err != nil {
		t.Fatal(err)
	}
	backup := fs.Clone(2)
	s = mustServe(t, system, options(fs), clock)
	highest := map[string]lease.Token{}
	for range 5 {
		for _, lock := range locks {
			highest[lock] = take(s, lock)
		}
	}
	if err := s.stop(); err != nil {
		t.Fatal(err)
	}

	again := func(fs *crashfs.FS) (repeated int) {
		s := mustServe(t, system, options(fs), clock)
		for _, lock := range locks {
			if take(s, lock) <= highest[lock] {
				repeated++
			}
		}
		if err := s.stop(); err != nil {
			t.Fatal(err)
		}
		return repeated
	}
	if n := again(backup.Clone(3)); n != len(locks) {
		t.Errorf("without a bump %d of %d locks issue a token again", n, len(locks))
	}
	bumped := backup.Clone(4)
	known, err := BumpAll(dir, options(bumped), max(highest["known"], highest["idle"], highest["later"]))
	if err != nil || known != 2 {
		t.Fatal(known, err)
	}
	if n := again(bumped); n != 0 {
		t.Errorf("after a bump %d locks issue a token again", n)
	}
	single := backup.Clone(5)
	if counter, err := Bump(dir, options(single), "known", highest["known"]); err != nil || counter != highest["known"] {
		t.Fatal(counter, err)
	}
	if n := again(single); n != len(locks)-1 {
		t.Errorf("after a bump of one lock %d issue a token again", n)
	}
}

// Operators' operations are refused as an engine would, and where no engine has been.
func TestBumpsThatAreRefused(t *testing.T) {
	fs := crashfs.New(1)
	if _, err := Bump(dir, options(fs), "L", 1); !errors.Is(err, ErrUnused) {
		t.Errorf("%v", err)
	}
	fs, _ = briefly(t)
	for _, c := range []struct {
		lock  string
		token lease.Token
	}{{"", 1}, {"L", 0}, {"L", -1}, {"\xff", 1}} {
		if _, err := Bump(dir, options(fs), c.lock, c.token); !errors.Is(err, lease.InvalidArguments) {
			t.Errorf("%q, %d: %v", c.lock, c.token, err)
		}
	}
	if _, err := Bump(dir, options(fs), "L", lease.MaxMagnitude); !errors.Is(err, actors.ErrBump) {
		t.Errorf("%v", err)
	}
	if _, err := BumpAll(dir, options(fs), lease.MaxMagnitude); !errors.Is(err, actors.ErrBump) {
		t.Errorf("%v", err)
	}
	if _, err := BumpAll(dir, options(fs), lease.MaxBump); err != nil {
		t.Errorf("%v", err)
	}
}

// A bump needs room for its records, and for no segment of the size that is usual.
func TestBumpOnAFullDisk(t *testing.T) {
	fs, _ := briefly(t)
	usual := Options{Journal: journal.Options{FS: fs}, SnapshotBytes: -1}
	for token := lease.Token(1); token < 40; token++ { // more than one of its segments takes
		fs.Limit(fs.Used() + 1024)
		if _, err := Open(dir, usual); !errors.Is(err, syscall.ENOSPC) {
			t.Fatalf("there is room for a segment: %v", err)
		}
		if counter, err := Bump(dir, usual, "L", token); err != nil || counter != token {
			t.Fatalf("%d: %v, want %d", counter, err, token)
		}
		if known, err := BumpAll(dir, usual, token); err != nil || known != 1 {
			t.Fatalf("%d locks: %v", known, err)
		}
	}
	fs.Limit(0)
	s := mustServe(t, newSystem(t), options(fs), &hand{wall: zero})
	if r := s.ask(t, lease.Operation{Kind: lease.Acquire, Client: "a", Lock: "L", TTL: 3600e9}); r.Token != 40 {
		t.Errorf("%+v, want the token 40", r)
	}
	if err := s.stop(); err != nil {
		t.Fatal(err)
	}
}

func briefly(t *testing.T) (*crashfs.FS, *recorder) {
	t.Helper()
	fs := crashfs.New(1)
	s := mustOpen(t, options(fs))
	r := newRecorder(t, s, 1)
	r.intake(t, []lease.Operation{{Kind: lease.Tick, At: 5}})
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	return fs, r
}

// Whatever a snapshot's bytes are, they are refused or they are a state: nothing panics.
func TestEveryFlipOfASnapshot(t *testing.T) {
	m := model.Make(lease.Live, nil)
	m.Run(formOps, make([]lease.Result, len(formOps)))
	good := string(stateBytes(t, m))
	refused := 0
	for at := range len(good) {
		for bit := range 8 {
			text := good[:at] + string([]byte{good[at] ^ 1<<bit}) + good[at+1:]
			_, order, err := readState(strings.NewReader(text), 1)
			if err != nil {
				refused++
				continue
			}
			// It is a state, if not the one that was: it can be gone on from.
			after := model.Resume(order, lease.Live, nil)
			for i := range formOps {
				op := formOps[i]
				op.At += 1e10
				after.Do(&op)
			}
			after.Freeze()
		}
	}
	if refused < len(good) {
		t.Errorf("only %d of %d flips refused", refused, 8*len(good))
	}
}
