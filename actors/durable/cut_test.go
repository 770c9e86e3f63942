package durable

import (
	"bytes"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/leasekeeper/lkactor/actors/internal/chance"
	"github.com/leasekeeper/lkactor/sequencer/journal"
	"github.com/leasekeeper/lkactor/sequencer/journal/crashfs"
)

// longLog gives the history of at least 50 records in one segment, not closed.
func longLog(t *testing.T) (*crashfs.FS, *recorder, string) {
	t.Helper()
	fs := crashfs.New(3)
	o := options(fs)
	o.Journal.SegmentBytes = 16 << 10
	s := mustOpen(t, o)
	r := newRecorder(t, s, 3)
	for seed := uint64(0); r.last < 60; seed++ {
		r.run(t, operations(t, seed, chance.LiveProfiles[seed%3]), 5)
	}
	return fs, r, filepath.Join(dir, fmt.Sprintf("segment-%020d", 1))
}

// For each length the state is that after the last record which is whole: where zeros
// follow, as after a crash, and where the file has been cut short and somebody accepts it.
// Nobody gets the latter unasked.
func TestP1_EveryCut(t *testing.T) {
	fs, r, segment := longLog(t)
	content := fs.Bytes(segment)
	end := int(r.store.journal.Stats().Bytes)
	if int64(len(content)) <= int64(end) || r.last < 50 {
		t.Fatalf("%d records in %d bytes of %d", r.last, end, len(content))
	}
	killed := fs.Kill(1) // its lock is free
	seen := map[uint64]int{}
	for length := 0; length <= end; length++ {
		if testing.Short() && length%7 != 0 {
			continue
		}
		cut := killed.Clone(uint64(length))
		cut.Put(segment, content[:length])
		if length%7 == 0 {
			if _, err := Open(dir, options(cut)); !errors.As(err, new(*journal.DamageError)) {
				t.Fatalf("%d bytes: opened a file that was cut short: %v", length, err)
			}
		}
		accepting := options(cut)
		accepting.Journal.AcceptCut = true
		last := openCut(t, accepting, r, length)
		seen[last]++
		if length < 64 || length%3 != 0 {
			continue // a header that is zeros in part was never on any disk
		}
		torn := killed.Clone(uint64(length))
		torn.Put(segment, append(bytes.Clone(content[:length]), make([]byte, len(content)-length)...))
		if zeroed := openCut(t, options(torn), r, length); zeroed < last {
			t.Fatalf("%d bytes and zeros: %d records, and %d without the zeros", length, zeroed, last)
		}
	}
	for last := uint64(0); last <= r.last; last++ {
		if seen[last] == 0 && !testing.Short() {
			t.Errorf("no cut was after record %d", last)
		}
	}
	t.Logf("%d cuts, %d records", end+1, r.last)
}

// openCut opens a journal of which so many bytes are left, and wants the state after its
// last record.
func openCut(t *testing.T, o Options, r *recorder, length int) (last uint64) {
	t.Helper()
	s, err := Open(dir, o)
	if err != nil {
		t.Fatalf("%d bytes: %v", length, err)
	}
	last = s.journal.Durable()
	if got := recoveredBytes(t, s); !bytes.Equal(got, r.states[last]) && last > 0 {
		t.Fatalf("%d bytes, %d records: not the state after them", length, last)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	return last
}

// Whatever byte of a closed journal is changed: it is refused, and the error names
// the place, or the state is what it was.
func TestP1_EveryFlip(t *testing.T) {
	fs, r, segment := longLog(t)
	if err := r.store.Close(); err != nil {
		t.Fatal(err)
	}
	content := fs.Bytes(segment)
	used := int(r.store.journal.Stats().Bytes) + 64
	refused := 0
	for at := 0; at < used; at++ {
		for _, bit := range []byte{1 << (at % 8)} {
			if testing.Short() && at%7 != 0 {
				continue
			}
			changed := bytes.Clone(content)
			changed[at] ^= bit
			flipped := fs.Clone(uint64(at))
			flipped.Put(segment, changed)
			s, err := Open(dir, options(flipped))
			if err != nil {
				refused++
				if !strings.Contains(err.Error(), segment) {
					t.Fatalf("byte %d: %v does not name the place", at, err)
				}
				continue
			}
			if got := recoveredBytes(t, s); !bytes.Equal(got, r.states[r.last]) {
				t.Fatalf("byte %d, bit %x: opened with another state", at, bit)
			}
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
		}
	}
	if refused == 0 {
		t.Error("nothing was refused")
	}
	t.Logf("%d of %d bytes' flips refused", refused, used)
}

// A record that is whole and makes no sense stops the start and says which it is.
func TestRecordsThatMakeNoSense(t *testing.T) {
	for text, want := range map[string]string{
		"2 3\n[\"tick\",5]\n":        `record 3 has version "2"`,
		"1 4\n[\"tick\",5]\n":        "begins with operation 4, and operation 2 came before",
		"1 3\n[\"tick\",5\n":         "up to 3",
		"1 3\n[\"tick\",5]\n\n":      "blank",
		"1 3\n[\"tick\",5]":          "no end",
		"1 x\n[\"tick\",5]\n":        "number",
		"":                           "version and a number",
		string(headerRecord(header)): "a header in the middle",
	} {
		fs := crashfs.New(1)
		s := mustOpen(t, options(fs))
		newRecorder(t, s, 1).intake(t, operations(t, 1, chance.LiveProfiles[0])[:2])
		if _, err := s.journal.Append([]byte(text)); err != nil {
			t.Fatal(err)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		_, err := Open(dir, options(fs))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want it to say %q", text, err, want)
		}
	}
}

// Two stores cannot have one directory.
func TestOneAtATime(t *testing.T) {
	fs := crashfs.New(1)
	s := mustOpen(t, options(fs))
	var locked *journal.LockedError
	if _, err := Open(dir, options(fs)); !errors.As(err, &locked) {
		t.Errorf("%v", err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if err := mustOpen(t, options(fs)).Close(); err != nil {
		t.Error(err)
	}
}
