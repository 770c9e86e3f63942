package durable

import (
	"bytes"
	"errors"
	"flag"
	"os"
	"runtime"
	"strings"
	"testing"

	"github.com/leasekeeper/lkactor/actors/internal/chance"
	"github.com/leasekeeper/lkactor/actors/lease"
	"github.com/leasekeeper/lkactor/actors/model"
	"github.com/leasekeeper/lkactor/sequencer/journal/crashfs"
)

var logs = flag.Int("logs", 1200, "how many random logs the tests of states run")

// howMany is n, or less where the tests are to be quick.
func howMany(n int) int {
	if testing.Short() {
		return max(n/10, 1)
	}
	return n
}

// A state that went through a snapshot's bytes is the same state: it has the same
// bytes and gives the same results ever after. Equal states have equal bytes, however
// they came about.
func TestP1_SnapshotsAreTheState(t *testing.T) {
	for seed := range uint64(howMany(*logs)) {
		profile := chance.LiveProfiles[seed%uint64(len(chance.LiveProfiles))]
		ops := operations(t, seed, profile)
		straight, cut := model.Make(lease.Live, nil), model.Make(lease.Live, nil)
		for from := 0; from < len(ops); from += 25 {
			part := ops[from:min(from+25, len(ops))]
			want, got := make([]lease.Result, len(part)), make([]lease.Result, len(part))
			straight.Run(part, want)
			cut.Run(part, got)
			for i := range part {
				if string(resultBytes(&want[i])) != string(resultBytes(&got[i])) {
					t.Fatalf("%s, seed %d, operation %d: %s after snapshots, %s without",
						profile.Name, seed, from+i, resultBytes(&got[i]), resultBytes(&want[i]))
				}
			}
			text := stateBytes(t, cut)
			cut = decoded(t, text)
			if again := stateBytes(t, cut); !bytes.Equal(again, text) {
				t.Fatalf("%s, seed %d, after %d: %q was read as %q", profile.Name, seed, from, text, again)
			}
		}
		if a, b := stateBytes(t, straight), stateBytes(t, cut); !bytes.Equal(a, b) {
			t.Fatalf("%s, seed %d: %q after snapshots, %q without", profile.Name, seed, b, a)
		}
	}
}

// One journal gives one state, to the byte, whatever the number of processors and the
// seeds of maps and hashes.
func TestP1_OneJournalOneState(t *testing.T) {
	fs := crashfs.New(1)
	s := mustOpen(t, options(fs))
	r := newRecorder(t, s, 1)
	for seed := range uint64(40) {
		r.run(t, operations(t, seed, chance.LiveProfiles[len(chance.LiveProfiles)-1]), 9)
	}
	want := r.states[r.last]
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	for round := range howMany(50) {
		runtime.GOMAXPROCS(1 + round%4)
		s := mustOpen(t, options(fs))
		if got := recoveredBytes(t, s); !bytes.Equal(got, want) {
			t.Fatalf("round %d: another state", round)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("%d operations, a state of %d bytes", r.seq, len(want))
}

var rewrite = flag.Bool("rewrite", false, "write the files in testdata anew")

// formOps bring about everything that a snapshot of version 1 can have.
var formOps = []lease.Operation{
	{Kind: lease.Acquire, At: 1, Client: "a", Lock: "L", TTL: 5e9, ID: "first"},
	{Kind: lease.Acquire, At: 2, Client: "b", Lock: "L", TTL: 6e9, Mode: lease.Shared, ID: "second"},
	{Kind: lease.Acquire, At: 3, Client: "c", Lock: "M", TTL: 7e9, Mode: lease.Shared},
	{Kind: lease.Acquire, At: 4, Client: "d", Lock: "M", TTL: 8e9, Mode: lease.Shared},
	{Kind: lease.Write, At: 5, Lock: "M", Key: "k2", Value: "v\u00e9\n", Token: 1},
	{Kind: lease.Write, At: 6, Lock: "M", Key: "k1", Value: "v", Token: 2},
	{Kind: lease.Renew, At: 7, Client: "b", Lock: "L", TTL: 5e9, ID: "third"},
	{Kind: lease.Status, At: 8, Client: "d", ID: "fourth"},
	{Kind: lease.Bump, At: 9, Lock: "gone", Token: 41},
	{Kind: lease.Forget, At: 10, Lock: "gone"},
	{Kind: lease.Bump, At: 11, Lock: "idle", Token: 77},
	{Kind: lease.Release, At: 12, Client: "c", Lock: "M", Expect: 1, ID: "fifth"},
	{Kind: lease.Acquire, At: 13, Client: "c", Lock: "O", TTL: 5e9},
	{Kind: lease.Acquire, At: 14, Client: "d", Lock: "O", TTL: 5e9},
	{Kind: lease.Acquire, At: 15, Client: "c", Lock: "M", TTL: 5e9, ID: "sixth"},
}

// The form of version 1, to the byte: a snapshot of today is read by every program to
// come. The file is for programs; the test of what is in it is TestP1_SnapshotsAreTheState.
func TestTheFormOfASnapshot(t *testing.T) {
	m := model.Make(lease.Live, nil)
	m.Run(formOps, make([]lease.Result, len(formOps)))
	got := stateBytes(t, m)
	const file = "testdata/snapshot-1"
	if *rewrite {
		if err := os.WriteFile(file, got, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil || !bytes.Equal(got, want) {
		t.Fatalf("%v: got  %q\nwant %q", err, got, want)
	}
	if again := stateBytes(t, decoded(t, want)); !bytes.Equal(again, want) {
		t.Errorf("read as %q", again)
	}
}

// What has another version, or is none, is refused with words that say so.
func TestWhatIsNoSnapshot(t *testing.T) {
	good := stateBytes(t, model.Make(lease.Live, nil))
	for _, c := range []struct {
		text string
		want error
	}{
		{"lkactor-state 2\n" + string(good[len("lkactor-state 1\n"):]), &VersionError{}},
		{"something else\n", &RecordError{}},
		{"", &RecordError{}},
		{string(good) + "x", &RecordError{}},
		{string(good[:len(good)-1]), &RecordError{}},
	} {
		_, _, err := readState(strings.NewReader(c.text), 3)
		var version *VersionError
		var record *RecordError
		if _, ok := c.want.(*VersionError); ok != errors.As(err, &version) || !ok && !errors.As(err, &record) {
			t.Errorf("%.30q: %v", c.text, err)
		}
	}
}
