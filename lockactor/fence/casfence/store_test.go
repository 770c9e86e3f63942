package casfence

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/leasekeeper/lkactor/actors/lease"
	"github.com/leasekeeper/lkactor/lockactor/fence"
	"github.com/leasekeeper/lkactor/lockactor/fence/fencetest"
)

// A medium that works, killed before every call and after every call.
func TestKit(t *testing.T) {
	for _, answer := range []bool{false, true} {
		t.Run(fmt.Sprint("answer lost ", answer), func(t *testing.T) {
			m := newMedium()
			fencetest.Run(t, func() fence.Store { return New(m, "p/") },
				fencetest.WithDeath(func(step int) fence.Store {
					return New(&fork{medium: m, hook: dying(step, answer)}, "p/")
				}))
		})
	}
}

// patient is a store whose caller tries again when a call did not come through,
// as any caller of a remote store does. A write of which nobody knows whether it
// was done is not tried again: it would be two writes.
type patient struct{ *Store }

func again(call func() error) error {
	var err error
	for range 100 {
		if err = call(); !errors.Is(err, errNetwork) || errors.Is(err, fence.ErrAmbiguous) {
			return err
		}
	}
	return err
}

func (p patient) Write(ctx context.Context, scope, key, value string, token lease.Token) error {
	return again(func() error { return p.Store.Write(ctx, scope, key, value, token) })
}

func (p patient) Read(ctx context.Context, scope, key string) (value string, ok bool, err error) {
	err = again(func() error { value, ok, err = p.Store.Read(ctx, scope, key); return err })
	return value, ok, err
}

func (p patient) Accepted(ctx context.Context, scope string) (token lease.Token, err error) {
	err = again(func() error { token, err = p.Store.Accepted(ctx, scope); return err })
	return token, err
}

// A medium of whose calls one in four goes wrong: requests and answers lost, puts
// that land late, conflicts where there are none.
func TestKitOnAFlakyMedium(t *testing.T) {
	for seed := range uint64(3) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			m := newMedium()
			m.hook = m.flaky(seed)
			fencetest.Run(t, func() fence.Store { return patient{New(m, "")} })
		})
	}
}

// at lets one call of a kind and object go wrong, counted from 0.
func at(call, object string, count int, what mishap) func(int, string, string) mishap {
	return func(_ int, c, name string) mishap {
		if c != call || !strings.HasPrefix(name, object) {
			return fine
		}
		count--
		if count == -1 {
			return what
		}
		return fine
	}
}

// What Write says when a put of the manifest goes wrong is what happened.
func TestWriteTellsWhatHappened(t *testing.T) {
	for _, what := range []mishap{lostRequest, lostAnswer, delayed, spurious, putTwice} {
		for _, object := range []string{"manifest/", "value/"} {
			m := newMedium()
			s := New(m, "")
			write(t, s, "k", "old", 71, nil)
			m.hook = at("put", object, 0, what)
			write(t, s, "k", "new", 72, nil)
			read(t, s, "k", "new")
			if mf, _, _ := s.manifest(t.Context(), "s"); mf.Count != 2 {
				t.Errorf("%v of %s: %d writes, want 2", what, object, mf.Count)
			}
		}
	}
}

// An answer is lost, and the scope is taken over before the writer looks: if its
// write had been done it says so, if not it is told that it is stale.
func TestOvertakenWhileTheAnswerIsLost(t *testing.T) {
	for what, want := range map[mishap]error{lostAnswer: nil, lostRequest: fence.ErrStale} {
		m := newMedium()
		slow, fast := New(m, ""), New(m, "")
		write(t, slow, "k", "old", 71, nil)
		hook := at("put", "manifest/", 0, what)
		m.hook = func(n int, call, name string) mishap {
			result := hook(n, call, name)
			if result != fine {
				m.hook = func(int, string, string) mishap {
					m.hook = nil // the next call is the slow one's look
					m.mu.Unlock()
					write(t, fast, "k", "taken over", 72, nil)
					m.mu.Lock()
					return fine
				}
			}
			return result
		}
		write(t, slow, "k", "late", 71, want)
		read(t, slow, "k", "taken over")
	}
}

// More writes have followed than a manifest remembers.
func TestTooLongAgoToTell(t *testing.T) {
	for _, since := range []int{maxRemembered - 1, maxRemembered} {
		m := newMedium()
		s := New(m, "")
		write(t, s, "k", "old", 71, nil)
		before, version, err := s.manifest(t.Context(), "s")
		if err != nil {
			t.Fatal(err)
		}
		a := &attempt{scope: "s", key: "k", token: 71, id: "mine", stored: true, before: before, err: errNetwork}
		next := before.with("s", "k", "mine", 71).encode()
		if err := m.Put(t.Context(), s.manifestName("s"), next, version); err != nil {
			t.Fatal(err)
		}
		for range since {
			write(t, s, "j", "more", 71, nil)
		}
		_, _, finished, err := s.look(t.Context(), a)
		if forgotten := since >= maxRemembered; !finished || errors.Is(err, fence.ErrAmbiguous) != forgotten {
			t.Errorf("%d writes later: %v %v", since, finished, err)
		}
	}
}

// The medium stops answering with a put open, or the context ends.
func TestAmbiguous(t *testing.T) {
	m := newMedium()
	s := New(m, "")
	write(t, s, "k", "old", 71, nil)
	m.hook = func(_ int, call, name string) mishap {
		if call == "put" && strings.HasPrefix(name, "manifest/") {
			// Removing still works, and must not be used on a value of which nobody
			// knows whether a manifest names it.
			m.hook = func(_ int, call, _ string) mishap {
				if call == "remove" {
					return fine
				}
				return lostRequest
			}
			return lostAnswer
		}
		return fine
	}
	write(t, s, "k", "new", 72, fence.ErrAmbiguous)
	m.hook = nil
	read(t, s, "k", "new")

	ctx, cancel := context.WithCancel(t.Context())
	m.hook = func(_ int, call, name string) mishap {
		if call == "put" && strings.HasPrefix(name, "manifest/") {
			cancel()
			return fine
		}
		return fine
	}
	err := s.Write(ctx, "s", "k", "newer", 73)
	if !errors.Is(err, fence.ErrAmbiguous) || !errors.Is(err, context.Canceled) || errors.Is(err, fence.ErrConflict) {
		t.Error(err)
	}
}

// A write that never wins gives way, and says that nothing was written only
// where that is certain.
func TestGivesWay(t *testing.T) {
	m := newMedium()
	s, other := New(m, ""), New(m, "")
	busy := true
	var hook func(int, string, string) mishap
	hook = func(_ int, call, name string) mishap {
		if busy && call == "put" && strings.HasPrefix(name, "manifest/") {
			m.hook = nil
			m.mu.Unlock()
			write(t, other, "k", "faster", 71, nil)
			m.mu.Lock()
			m.hook = hook
		}
		return fine
	}
	m.hook = hook
	write(t, s, "k", "never", 71, fence.ErrConflict)
	busy = false
	read(t, s, "k", "faster")
	if n := values(m); n != 1 {
		t.Errorf("%d values are left, want 1", n)
	}
}

// What was written over is removed, and what was refused.
func TestNothingIsLeftOver(t *testing.T) {
	m := newMedium()
	s := New(m, "some/prefix/")
	for i := range 10 {
		write(t, s, "k", fmt.Sprint(i), 72, nil)
		write(t, s, "j", fmt.Sprint(i), 72, nil)
		write(t, s, "k", "late", 71, fence.ErrStale)
	}
	if n := values(m); n != 2 {
		t.Errorf("%d values of 2 keys", n)
	}
	for name := range m.objects {
		if !strings.HasPrefix(name, "some/prefix/") {
			t.Errorf("%q is not under the prefix", name)
		}
	}
}

func values(m *medium) int {
	n := 0
	for name := range m.objects {
		if strings.Contains(name, "value/") {
			n++
		}
	}
	return n
}

// A value is written over and removed between the two gets of a read.
func TestReadMeetsARemoval(t *testing.T) {
	m := newMedium()
	s, other := New(m, ""), New(m, "")
	write(t, s, "k", "old", 71, nil)
	m.hook = func(_ int, call, name string) mishap {
		if call == "get" && strings.HasPrefix(name, "value/") {
			m.hook = nil
			m.mu.Unlock()
			write(t, other, "k", "new", 71, nil)
			m.mu.Lock()
		}
		return fine
	}
	read(t, s, "k", "new")

	m.hook = at("get", "value/", 0, removedFirst)
	if _, _, err := s.Read(t.Context(), "s", "k"); !errors.Is(err, ErrNotFound) {
		t.Errorf("%v: a value that is gone for good is not an absent one", err)
	}
}

// Whatever stands in place of a manifest is not taken for an empty scope.
func TestDamagedManifest(t *testing.T) {
	m := newMedium()
	s := New(m, "")
	write(t, s, "k", "v", 71, nil)
	name := s.manifestName("s")
	good := m.objects[name]
	for _, bad := range []string{"", "{}", "null", "[]", `{"scope":"t","token":1,"count":1,"writes":["a"]}`, string(good.data[:len(good.data)/2])} {
		m.objects[name] = object{data: []byte(bad), version: "x"}
		if err := s.Write(t.Context(), "s", "k", "v", 1); err == nil || errors.Is(err, fence.ErrStale) {
			t.Errorf("%q: write: %v", bad, err)
		}
		if _, _, err := s.Read(t.Context(), "s", "k"); err == nil {
			t.Errorf("%q: read", bad)
		}
		if _, err := s.Accepted(t.Context(), "s"); err == nil {
			t.Errorf("%q: Accepted", bad)
		}
	}
}

// A manifest carries its scope and keys as they are.
func TestManifestIsReadable(t *testing.T) {
	names := []string{"exports/daily", "\x00\u2028<&>", "caf\u00e9", "cafe\u0301"}
	for _, name := range names {
		m := new(manifest).with(name, name, "id", 7)
		got, err := decode(m.encode(), name)
		if err != nil || got.Keys[name] != "id" || got.Token != 7 || !slices.Equal(got.Writes, []string{"id"}) {
			t.Errorf("%q: %+v %v", name, got, err)
		}
	}
}

func write(t *testing.T, s *Store, key, value string, token lease.Token, want error) {
	t.Helper()
	if err := s.Write(t.Context(), "s", key, value, token); !errors.Is(err, want) {
		t.Errorf("write of %q with %d: %v, want %v", value, token, err, want)
	}
}

func read(t *testing.T, s *Store, key, want string) {
	t.Helper()
	if got, ok, err := s.Read(t.Context(), "s", key); got != want || !ok || err != nil {
		t.Errorf("read of %q: %q %v %v, want %q", key, got, ok, err, want)
	}
}
