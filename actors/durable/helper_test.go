package durable

import (
	"bytes"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/leasekeeper/lkactor/actors/internal/chance"
	"github.com/leasekeeper/lkactor/actors/lease"
	"github.com/leasekeeper/lkactor/actors/model"
	"github.com/leasekeeper/lkactor/actors/oplog"
	"github.com/leasekeeper/lkactor/sequencer/journal"
	"github.com/leasekeeper/lkactor/sequencer/journal/crashfs"
)

const dir = "/data/journal"

var (
	zero   = time.Date(2026, 3, 1, 8, 30, 0, 0, time.UTC)
	engine = uuid.MustParse("0f8b4c1e-9a55-4f0a-8d3c-6f1f4a2b7c90")
	header = oplog.Header{Zero: zero, Engine: engine}
)

func ignore(uint64, error) {}

// options are those of tests in memory; snapshots are made only when asked for.
func options(fs journal.FS) Options {
	return Options{Journal: journal.Options{FS: fs, SegmentBytes: 2048, ID: 7}, SnapshotBytes: -1}
}

func mustOpen(t testing.TB, o Options) *Store {
	t.Helper()
	s, err := Open(dir, o)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// operations gives the operations of a random live log.
func operations(t testing.TB, seed uint64, profile chance.Profile) []lease.Operation {
	t.Helper()
	log := chance.Log(seed, profile)
	ops := make([]lease.Operation, len(log))
	for i, text := range log {
		if !oplog.ParseOperation(string(text), &ops[i], lease.Live) {
			t.Fatalf("seed %d: %s is no JSON", seed, text)
		}
	}
	return ops
}

// recorder writes operations to a store as an engine does, in intakes of random
// sizes, and keeps what the state was after each of them.
type recorder struct {
	store  *Store
	model  *model.Model
	seq    uint64
	rng    *rand.Rand
	states map[uint64][]byte // by record, 0 for none
	last   uint64            // record
}

// newRecorder begins or goes on with the history of a store.
func newRecorder(t testing.TB, s *Store, seed uint64) *recorder {
	t.Helper()
	_, _, order, err := s.Resume(zero, engine, ignore)
	if err != nil {
		t.Fatal(err)
	}
	r := &recorder{store: s, rng: rand.New(rand.NewPCG(seed, 21)), states: map[uint64][]byte{}}
	r.seq, _ = order.Stamp()
	r.model = model.Resume(order, lease.Live, nil)
	r.last = s.journal.Durable()
	r.states[0] = stateBytes(t, model.Make(lease.Live, nil))
	r.note(t)
	return r
}

func (r *recorder) note(t testing.TB) { r.states[r.last] = stateBytes(t, r.model) }

// run has the operations recorded and run, in intakes of up to most.
func (r *recorder) run(t testing.TB, ops []lease.Operation, most int) {
	t.Helper()
	for from := 0; from < len(ops); {
		to := min(from+1+r.rng.IntN(most), len(ops))
		r.intake(t, ops[from:to])
		from = to
	}
}

// intake has the operations recorded as one intake, and run when that is durable.
func (r *recorder) intake(t testing.TB, ops []lease.Operation) {
	t.Helper()
	for i := range ops {
		r.seq++
		r.store.Add(r.seq, &ops[i])
	}
	ticket, err := r.store.Commit()
	if err == nil {
		err = r.store.journal.Sync()
	}
	if err != nil {
		t.Fatal(err)
	}
	r.model.Run(ops, make([]lease.Result, len(ops)))
	r.last = ticket
	r.note(t)
}

// stateBytes freezes a model and gives its snapshot.
func stateBytes(t testing.TB, m *model.Model) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := writeState(&b, header, m.Freeze()); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// recoveredBytes gives the snapshot of the state that a store has recovered.
func recoveredBytes(t testing.TB, s *Store) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := writeState(&b, header, s.order); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// decoded reads a snapshot's bytes.
func decoded(t testing.TB, b []byte) *model.Model {
	t.Helper()
	_, order, err := readState(bytes.NewReader(b), 1)
	if err != nil {
		t.Fatal(err)
	}
	return model.Resume(order, lease.Live, nil)
}

// written gives a file system with the closed history of a random log.
func written(t testing.TB, seed uint64, profile chance.Profile, most int) (*crashfs.FS, *recorder) {
	t.Helper()
	fs := crashfs.New(seed)
	s := mustOpen(t, options(fs))
	r := newRecorder(t, s, seed)
	r.run(t, operations(t, seed, profile), most)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	return fs, r
}

func resultBytes(r *lease.Result) []byte { return oplog.AppendResult(nil, r) }
