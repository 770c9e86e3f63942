package durable

import (
	"crypto/sha256"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"github.com/leasekeeper/lkactor/actors"
	"github.com/leasekeeper/lkactor/actors/lease"
	"github.com/leasekeeper/lkactor/actors/model"
	"github.com/leasekeeper/lkactor/sequencer"
	"github.com/leasekeeper/lkactor/sequencer/journal/crashfs"
)

var engines = flag.Int("engines", 16, "how many engines TestP1_CrashesOfAnEngine crashes")

// tee is a store that keeps what it was given.
type tee struct {
	*Store
	ops []lease.Operation
}

func (t *tee) Add(seq uint64, op *lease.Operation) {
	t.ops = append(t.ops, *op)
	t.Store.Add(seq, op)
}

// fate is one engine's life through crashes, and what was promised meanwhile.
type fate struct {
	t      *testing.T
	system *actor.ActorSystem
	rng    *rand.Rand
	fs     *crashfs.FS
	seed   uint64

	acked  atomic.Uint64          // the last operation that was answered
	tokens map[string]lease.Token // by lock, the highest that was told
	states map[uint64][32]byte    // digest of the state after each operation

	mu     sync.Mutex // a tick may be on its way to disk while a snapshot is written
	found  []finding  // not yet compared
	points int
	bad    error
}

// finding is what a crash at one step left.
type finding struct {
	where string
	seq   uint64
	state [32]byte
}

func digest(order *sequencer.Sequencer) [32]byte {
	h := sha256.New()
	if err := writeState(h, header, order); err != nil {
		panic(err)
	}
	return [32]byte(h.Sum(nil))
}

// crash is called before each operation on the file system: it opens what would be
// there if the power failed now, and if the process died.
func (f *fate) crash(op crashfs.Op) {
	acked := f.acked.Load()
	f.mu.Lock()
	defer f.mu.Unlock()
	seed := f.seed + uint64(op.Number)
	for i, left := range []*crashfs.FS{f.fs.PowerLoss(seed), f.fs.Kill(seed)} {
		where := fmt.Sprintf("seed %d, before operation %d, %s %s, way %d", f.seed, op.Number, op.Verb, op.Path, i)
		f.points++
		s, err := Open(dir, options(left))
		if err != nil {
			f.fail(fmt.Errorf("%s: %w", where, err))
			return
		}
		seq, _ := s.order.Stamp()
		if seq < acked {
			f.fail(fmt.Errorf("%s: operation %d was answered and %d are there", where, acked, seq))
		}
		f.found = append(f.found, finding{where, seq, digest(s.order)})
		if err := s.Close(); err != nil {
			f.fail(fmt.Errorf("%s: %w", where, err))
		}
	}
}

func (f *fate) fail(err error) {
	if f.bad == nil {
		f.bad = err
	}
}

// compare looks whether all that was found are states that there have been.
func (f *fate) compare() {
	f.t.Helper()
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, found := range f.found {
		if want, known := f.states[found.seq]; !known || want != found.state {
			f.fail(fmt.Errorf("%s: %d operations, and not the state after them", found.where, found.seq))
		}
	}
	f.found = nil
	if f.bad != nil {
		f.t.Fatal(f.bad)
	}
}

// life runs an engine from a start to a crash, or to its end in order.
func (f *fate) life(steps int) {
	f.t.Helper()
	f.fs.Before(f.crash)
	// The machine may come back with a clock that is behind.
	clock := &hand{wall: zero.Add(time.Duration(f.rng.IntN(20)-5) * time.Second)}
	s, err := Open(dir, options(f.fs))
	if err != nil {
		f.t.Fatalf("seed %d: %v", f.seed, err)
	}
	f.compare() // against the states of the life before
	seq, _ := s.order.Stamp()
	maps.DeleteFunc(f.states, func(at uint64, _ [32]byte) bool { return at > seq })
	base := digest(s.order)
	if want, known := f.states[seq]; known && want != base {
		f.t.Fatalf("seed %d: the state after %d operations is another one", f.seed, seq)
	}
	f.states[seq] = base
	var before = recoveredBytes(f.t, s)
	kept := &tee{Store: s}
	e, err := actors.Start(f.system, actors.WithJournal(kept), actors.WithClock(clock))
	if err != nil {
		f.t.Fatal(err)
	}
	for range steps {
		f.step(&service{s, e}, clock)
	}
	inOrder := f.rng.IntN(2) == 0
	if !inOrder {
		f.fs.Before(nil)
	}
	if err := e.Stop(f.t.Context()); err != nil {
		f.t.Fatal(err)
	}
	next := f.fs.PowerLoss(f.seed)
	if err := s.Close(); err != nil {
		f.t.Fatal(err)
	}
	f.fs.Before(nil)
	if inOrder {
		next = f.fs.PowerLoss(f.seed)
	}
	m := decoded(f.t, before)
	for i := range kept.ops {
		m.Do(&kept.ops[i])
		f.states[seq+1+uint64(i)] = digest(m.Freeze())
	}
	f.compare()
	f.fs = next
}

// step does something with the engine.
func (f *fate) step(s *service, clock *hand) {
	f.t.Helper()
	switch f.rng.IntN(14) {
	case 0:
		if err := s.store.Snapshot(f.t.Context()); err != nil {
			f.t.Fatal(err)
		}
	case 1, 2:
		clock.advance(time.Duration(f.rng.IntN(1500)) * time.Millisecond)
	case 3:
		ops := make([]lease.Operation, 1+f.rng.IntN(6))
		for i := range ops {
			ops[i] = f.operation()
		}
		if err := s.engine.Run(f.t.Context(), ops, make([]lease.Result, len(ops))); err != nil {
			f.t.Fatal(err)
		}
	default:
		op := f.operation()
		a := s.ask(f.t, op)
		f.acked.Store(a.Seq)
		if op.Kind == lease.Acquire && a.Outcome == lease.Granted && op.ID == "" {
			if a.Token <= f.tokens[op.Lock] {
				f.t.Fatalf("seed %d: token %d of lock %s comes again: %d has been told", f.seed, a.Token, op.Lock, f.tokens[op.Lock])
			}
			f.tokens[op.Lock] = a.Token
		}
	}
}

func (f *fate) operation() lease.Operation {
	op := lease.Operation{
		Client: fmt.Sprint("c", f.rng.IntN(5)), Lock: fmt.Sprint("L", f.rng.IntN(3)), TTL: lease.Duration(1+f.rng.IntN(4000)) * 1e6,
		Key: "k", Value: "v", Token: lease.Token(1 + f.rng.IntN(20)), Mode: lease.Mode(f.rng.IntN(2)),
	}
	kinds := []lease.Kind{lease.Acquire, lease.Acquire, lease.Acquire, lease.Acquire, lease.Release, lease.Release, lease.Renew, lease.Write, lease.Evict, lease.Close}
	op.Kind = kinds[f.rng.IntN(len(kinds))]
	if f.rng.IntN(4) == 0 && op.Kind != lease.Write {
		op.ID = fmt.Sprint(f.rng.IntN(9))
	}
	return op
}

// An engine is stopped before each operation on the file system, by a power failure and
// by the death of its process, while it works, takes snapshots, starts and ends: after
// each, everything that was answered is there, and the state is one that there has
// been. It goes on from some of these crashes with a clock that may be behind, and no
// token is told twice.
func TestP1_CrashesOfAnEngine(t *testing.T) {
	n := howMany(*engines)
	system, points := newSystem(t), 0
	for seed := range uint64(n) {
		f := &fate{
			t: t, system: system, rng: rand.New(rand.NewPCG(seed, 31)), fs: crashfs.New(seed), seed: seed * 100_000,
			tokens: map[string]lease.Token{}, states: map[uint64][32]byte{0: digest(model.Make(lease.Live, nil).Freeze())},
		}
		for range 4 {
			f.life(40)
			f.seed += 20_000
		}
		points += f.points
	}
	t.Logf("%d crash points, seeds 0 to %d", points, n-1)
	if points < 100*n {
		t.Error("hardly any")
	}
}
