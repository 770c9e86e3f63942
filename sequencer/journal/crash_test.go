package journal_test

import (
	"errors"
	"flag"
	"fmt"
	"syscall"
	"testing"

	"github.com/leasekeeper/lkactor/sequencer/journal"
	"github.com/leasekeeper/lkactor/sequencer/journal/crashfs"
)

// howManyWorkloads is for longer runs by hand: go test -run P1 -args -workloads 100.
var howManyWorkloads = flag.Int("workloads", 6, "seeded workloads of the crash tests")

// crashWorkloads is how many seeds to run.
func crashWorkloads() int {
	if testing.Short() || underRace {
		return 1 // one goroutine: there is no race to find
	}
	return *howManyWorkloads
}

// crashes counts what a test has tried.
type crashes struct {
	points int            // a file system after a crash, opened and checked
	verbs  map[string]int // by the operation before which it stopped
}

// stop checks what is found if the machine stops now in one of two ways: the
// power fails, or the process dies.
func (c *crashes) stop(w *workload, op crashfs.Op, seed uint64, depth int) error {
	c.verbs[op.Verb] += 2
	if err := c.reopen(w, w.fs.PowerLoss(seed), seed, depth); err != nil {
		return fmt.Errorf("power lost before operation %d, %s %s, seed %d: %w", op.Number, op.Verb, op.Path, seed, err)
	}
	if err := c.reopen(w, w.fs.Kill(seed), seed, depth); err != nil {
		return fmt.Errorf("killed before operation %d, %s %s, seed %d: %w", op.Number, op.Verb, op.Path, seed, err)
	}
	return nil
}

// reopen opens what a crash has left and checks it, at the end and, if depth
// allows, after a further crash at each step of the recovery. What is shown must
// then survive the power failing at once.
func (c *crashes) reopen(w *workload, fs *crashfs.FS, seed uint64, depth int) error {
	c.points++
	var nested error
	if depth > 0 {
		again := *w
		again.fs = fs
		fs.Before(func(op crashfs.Op) {
			if nested == nil {
				nested = c.stop(&again, op, seed+uint64(op.Number), depth-1)
			}
		})
	}
	j, err := journal.Open(dir, crashOptions(fs))
	fs.Before(nil)
	if err == nil {
		err = w.check(j)
	}
	if err == nil {
		err = nested
	}
	if err != nil {
		return err
	}
	c.points++
	after, err := journal.Open(dir, crashOptions(fs.PowerLoss(seed+1)))
	if err != nil {
		return fmt.Errorf("after a second crash: %w", err)
	}
	if a, b := after.NextIndex(), j.NextIndex(); a != b {
		return fmt.Errorf("next was shown as %d and is %d after a second crash", b, a)
	}
	return w.check(after)
}

// TestP1_CrashAtEveryStep runs seeded workloads of appends, syncs, rotations,
// snapshots, releases, truncations and restarts, and stops the machine before each
// operation on the file system, within it and after it. Each workload is stopped
// for real now and then and goes on with what was found.
func TestP1_CrashAtEveryStep(t *testing.T) {
	const phases, steps = 4, 25
	workloads := crashWorkloads()
	c := &crashes{verbs: map[string]int{}}
	for seed := range uint64(workloads) {
		w := newWorkload(seed)
		fs := crashfs.New(seed)
		for phase := range phases {
			if err := c.phase(w, fs, seed*1000+uint64(phase), steps); err != nil {
				t.Fatalf("workload %d, phase %d: %v", seed, phase, err)
			}
			fs = w.fs
		}
	}
	t.Logf("%d crash points, seeds 0 to %d, before %v", c.points, workloads-1, c.verbs)
}

// phase runs a workload from an open to a crash and an open after that.
func (c *crashes) phase(w *workload, fs *crashfs.FS, seed uint64, steps int) error {
	var failed error
	w.fs = fs
	watch := func(op crashfs.Op) {
		if failed == nil {
			depth := 0
			if op.Number%5 == 0 {
				depth = 1
			}
			failed = c.stop(w, op, seed+uint64(op.Number), depth)
		}
	}
	fs.Before(watch)
	if err := w.open(fs); err != nil {
		return err
	}
	for i := range steps {
		if err := w.step(); err != nil {
			return fmt.Errorf("step %d: %w", i, err)
		}
		if failed != nil {
			return fmt.Errorf("step %d: %w", i, failed)
		}
	}
	for range 3 { // appended, not synced
		if err := w.append(); err != nil {
			return err
		}
	}
	fs = w.fs.PowerLoss(seed)
	if seed%2 == 0 {
		fs = w.fs.Kill(seed)
	}
	j, err := journal.Open(dir, crashOptions(fs))
	if err != nil {
		return err
	}
	if err := w.check(j); err != nil {
		return err
	}
	if err := w.found(fs, j); err != nil {
		return err
	}
	if err := w.j.Close(); err != nil {
		return err
	}
	w.fs = fs.Clone(seed)
	return nil
}

// TestP1_EveryOperationFails has each operation of seeded workloads fail in turn,
// with a full disk or an I/O error. Whoever was told of nothing has lost nothing:
// the failure is told, stays, and a restart finds what was acknowledged.
func TestP1_EveryOperationFails(t *testing.T) {
	const steps = 20
	workloads := (crashWorkloads() + 1) / 2
	failures, restarts, harmless := 0, 0, 0
	for seed := range uint64(workloads) {
		total := opsOf(t, seed, steps)
		for number := 1; number <= total; number++ {
			fault := error(syscall.EIO)
			if number%2 == 0 {
				fault = syscall.ENOSPC
			}
			stopped, err := failOnce(seed, steps, number, fault, &restarts)
			if err != nil {
				t.Fatalf("workload %d, operation %d fails with %v: %v", seed, number, fault, err)
			}
			failures++
			if !stopped {
				harmless++
			}
		}
	}
	t.Logf("%d failed operations, %d of them only cost a snapshot; %d restarts; seeds 0 to %d", failures, harmless, restarts, workloads-1)
}

func opsOf(t *testing.T, seed uint64, steps int) int {
	w, fs := newWorkload(seed), crashfs.New(seed)
	if err := w.open(fs); err != nil {
		t.Fatal(err)
	}
	for range steps {
		if err := w.step(); err != nil {
			t.Fatal(err)
		}
	}
	return fs.Ops()
}

// failOnce runs a workload in which one operation fails.
func failOnce(seed uint64, steps, number int, fault error, restarts *int) (stopped bool, err error) {
	w, fs := newWorkload(seed), crashfs.New(seed)
	fs.FailAt(number, fault)
	w.fs = fs
	err = w.open(fs)
	for i := 0; err == nil && i < steps; i++ {
		err = w.step()
	}
	if err == nil {
		return false, errors.New("no call has failed")
	}
	if !errors.Is(err, fault) {
		return false, fmt.Errorf("another error: %w", err)
	}
	if w.j != nil {
		if stopped, err = staysFailed(w, err); err != nil {
			return stopped, err
		}
	}
	c := &crashes{verbs: map[string]int{}}
	for extra := range uint64(3) {
		*restarts += 2
		if err := c.stop(w, crashfs.Op{Verb: "restart"}, seed+extra*100, 1); err != nil {
			return stopped, err
		}
	}
	return stopped, nil
}

// staysFailed wants every call to answer with the same failure, unless it was a
// snapshot that could not be written.
func staysFailed(w *workload, failure error) (stopped bool, err error) {
	first := w.j.Err()
	if first == nil {
		return false, w.sync()
	}
	if errors.Is(first, journal.ErrClosed) {
		return true, nil // it was Close or the Open after it that failed
	}
	durable := w.j.Durable()
	_, appended := w.j.Append([]byte("x"))
	_, read := w.j.Read(1, nil)
	for i, err := range []error{
		appended, read, w.j.Sync(), w.j.Err(), w.j.ReleaseBefore(1), w.j.TruncateAfter(1), w.j.Reset(1),
		w.j.WriteSnapshot(1, snapshotOf("")), w.j.Replay(1, 1, nil), w.j.ReleaseSnapshotsBefore(1), w.j.Close(),
	} {
		if err != first {
			return true, fmt.Errorf("call %d answers %v after %w", i, err, failure)
		}
	}
	if w.j.Durable() != durable {
		return true, fmt.Errorf("durable went from %d to %d after %w", durable, w.j.Durable(), failure)
	}
	return true, nil
}
