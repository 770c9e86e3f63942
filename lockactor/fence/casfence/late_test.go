package casfence

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/leasekeeper/lkactor/lockactor/fence"
)

// A medium that says of every put that the object has changed is either broken or
// very busy. Nothing was written, the store says so, and in those words.
func TestEveryPutMismatches(t *testing.T) {
	for object, first := range map[string]bool{"manifest/": false, "value/": true, "": true} {
		m := newMedium()
		s := New(m, "")
		if !first {
			write(t, s, "k", "old", 71, nil)
		}
		m.hook = func(_ int, call, name string) mishap {
			if call == "put" && strings.HasPrefix(name, object) {
				return spurious
			}
			return fine
		}
		err := s.Write(t.Context(), "s", "k", "new", 72)
		if !errors.Is(err, fence.ErrConflict) || errors.Is(err, fence.ErrAmbiguous) || errors.Is(err, ErrNotFound) {
			t.Errorf("%q: %v, want a conflict", object, err)
		}
		m.hook = nil
		if value, ok, err := s.Read(t.Context(), "s", "k"); ok == first || err != nil || value == "new" {
			t.Errorf("%q: %q %v %v", object, value, ok, err)
		}
		if n := values(m); n > 1 || first && n > 0 {
			t.Errorf("%q: %d values are left", object, n)
		}
	}
}

// One put is on its way for ever, and all others mismatch: then nobody knows.
func TestMismatchesAfterAStalledPut(t *testing.T) {
	m := newMedium()
	s := New(m, "")
	write(t, s, "k", "old", 71, nil)
	manifests := 0
	m.hook = func(_ int, call, name string) mishap {
		if call != "put" || !strings.HasPrefix(name, "manifest/") {
			return fine
		}
		if manifests++; manifests == 2 {
			return stalled
		}
		return spurious
	}
	write(t, s, "k", "new", 72, fence.ErrAmbiguous)
	m.hook = nil
	m.unstick()
	read(t, s, "k", "new")
}

// A put whose answer was lost stalls, and lands when others have long since
// written: it changes nothing then.
func TestPutsThatLandLate(t *testing.T) {
	for _, object := range []string{"manifest/", "value/"} {
		for _, first := range []bool{true, false} { // the put makes the object; it replaces one
			m := newMedium()
			slow, fast := New(m, ""), New(m, "")
			if !first {
				write(t, slow, "k", "old", 71, nil)
			}
			m.hook = at("put", object, 0, stalled)
			write(t, slow, "k", "slow", 71, nil) // by a second put
			write(t, fast, "k", "fast", 72, nil)
			write(t, fast, "j", "fast too", 72, nil)
			count := mustManifest(t, fast).Count
			m.unstick()
			read(t, slow, "k", "fast")
			read(t, slow, "j", "fast too")
			write(t, slow, "k", "late", 71, fence.ErrStale)
			if mf := mustManifest(t, fast); mf.Count != count || mf.Token != 72 {
				t.Errorf("%s: %+v", object, mf)
			}
		}
	}
}

// The writer has given up with its put on the way. Whoever writes first decides:
// the put, if it lands on what it was meant for, or the next owner, or the writer
// itself with another key; and then it comes to nothing.
func TestAbandonedPutLandsLate(t *testing.T) {
	for _, c := range []struct {
		name   string
		settle func(*Store)
		want   string
	}{
		{"nobody writes", func(*Store) {}, "abandoned"},
		{"the next owner writes", func(s *Store) { write(t, s, "k", "heir", 72, nil) }, "heir"},
		{"the same owner writes elsewhere", func(s *Store) { write(t, s, "j", "x", 71, nil) }, "old"},
	} {
		m := newMedium()
		s := New(m, "")
		write(t, s, "k", "old", 71, nil)
		ctx, cancel := context.WithCancel(t.Context())
		m.hook = func(_ int, call, name string) mishap {
			if call == "put" && strings.HasPrefix(name, "manifest/") {
				m.hook = func(int, string, string) mishap { cancel(); return fine }
				return stalled
			}
			return fine
		}
		if err := s.Write(ctx, "s", "k", "abandoned", 71); !errors.Is(err, fence.ErrAmbiguous) {
			t.Fatal(err)
		}
		m.hook = nil
		read(t, s, "k", "old") // it is not there, and that says nothing
		c.settle(New(m, ""))
		m.unstick()
		if got, _, err := s.Read(t.Context(), "s", "k"); got != c.want || err != nil {
			t.Errorf("%s: %q %v, want %q", c.name, got, err, c.want)
		}
		write(t, s, "k", "heir again", 72, nil)
		read(t, s, "k", "heir again")
		write(t, s, "k", "late", 71, fence.ErrStale)
	}
}

func mustManifest(t *testing.T, s *Store) *manifest {
	t.Helper()
	m, _, err := s.manifest(t.Context(), "s")
	if err != nil {
		t.Fatal(err)
	}
	return m
}
