package journal_test

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"

	"github.com/leasekeeper/lkactor/sequencer/journal"
	"github.com/leasekeeper/lkactor/sequencer/journal/crashfs"
)

// truth is what a journal may hold: from the acknowledged records at least to all
// that were appended.
type truth struct {
	first    uint64   // where it begins
	acked    uint64   // the last record whose Sync returned
	appended [][]byte // record first+i
}

func (h truth) next() uint64 { return h.first + uint64(len(h.appended)) }

// cut gives the truth of which nothing after last is left.
func (h truth) cut(last uint64) truth {
	h.appended = h.appended[: last+1-h.first : last+1-h.first]
	h.acked = min(h.acked, last)
	return h
}

// from gives the truth of which nothing before first is left.
func (h truth) from(first uint64) truth {
	h.appended = h.appended[first-h.first:]
	h.first = first
	return h
}

// matches says whether an open journal is one that this truth allows.
func (h truth) matches(j *journal.Journal) error {
	next, durable := j.NextIndex(), j.Durable()
	switch {
	case durable != next-1:
		return fmt.Errorf("open with %d durable and next %d", durable, next)
	case next <= h.acked:
		return fmt.Errorf("record %d was acknowledged, next is %d", h.acked, next)
	case next > h.next():
		return fmt.Errorf("next is %d, but only %d was reached", next, h.next())
	}
	want := h.first
	if next == h.first {
		want = 0
	}
	if first := j.FirstIndex(); first != want {
		return fmt.Errorf("first is %d, want %d", first, want)
	}
	index := h.first
	err := j.Replay(h.first, durable, func(i uint64, record []byte) error {
		if i != index || !bytes.Equal(record, h.appended[i-h.first]) {
			return fmt.Errorf("record %d, wanted %d, is %q", i, index, record)
		}
		index++
		return nil
	})
	if err == nil && index != next {
		err = fmt.Errorf("%d replayed, next is %d", index, next)
	}
	return err
}

// workload drives a journal through everything it can do, by chance, and knows at
// each instant what may be found if the machine stops there.
type workload struct {
	random *rand.Rand
	serial int // makes every record different, those that follow a truncation too
	j      *journal.Journal
	fs     *crashfs.FS

	now   truth
	other *truth // while an operation runs that changes more than the end

	snapshots map[uint64]string // must be there whole
	perhaps   map[uint64]string // may be there, whole: being written or removed
}

const crashSegmentBytes = 700

// crashOptions are those of the crash tests: with groups that are small enough for some
// records to be longer, and for what a crash leaves to be held against their size.
func crashOptions(fs journal.FS) journal.Options {
	return options(fs, crashSegmentBytes).WithGroups(200)
}

func newWorkload(seed uint64) *workload {
	return &workload{
		random: rand.New(rand.NewPCG(seed, 7)), now: truth{first: 1},
		snapshots: map[uint64]string{}, perhaps: map[uint64]string{},
	}
}

func (w *workload) open(fs *crashfs.FS) error {
	j, err := journal.Open(dir, crashOptions(fs))
	if err == nil {
		w.fs, w.j = fs, j
	}
	return err
}

// step does one thing. Its error is the journal's.
func (w *workload) step() error {
	switch w.random.IntN(16) {
	case 0:
		return w.snapshot()
	case 1:
		return w.release()
	case 2:
		return w.releaseSnapshots()
	case 3:
		if err := w.j.Close(); err != nil {
			return err
		}
		w.now.acked = w.now.next() - 1
		return w.open(w.fs)
	case 4:
		if w.random.IntN(2) == 0 {
			return w.truncate()
		}
		return w.reset()
	}
	for range 1 + w.random.IntN(6) {
		if err := w.append(); err != nil {
			return err
		}
	}
	return w.sync()
}

func (w *workload) append() error {
	w.serial++
	size := w.random.IntN(100)
	if w.random.IntN(30) == 0 {
		size = 2 * crashSegmentBytes
	}
	record := append([]byte(fmt.Sprint(w.serial)), make([]byte, size)...)
	for i := range size / 2 {
		record[i] = byte(w.random.Uint32())
	}
	index := w.now.next()
	w.now.appended = append(w.now.appended, record)
	got, err := w.j.Append(record)
	if err == nil && got != index {
		return fmt.Errorf("record %d got index %d", index, got)
	}
	return err
}

func (w *workload) sync() error {
	err := w.j.Sync()
	if err == nil {
		w.now.acked = w.now.next() - 1
	}
	return err
}

// changing runs an operation after which the journal is to be after.
func (w *workload) changing(after truth, do func() error) error {
	w.other = &after
	err := do()
	if err == nil {
		w.now, w.other = after, nil
	}
	return err
}

// between draws a number from lo..hi.
func (w *workload) between(lo, hi uint64) uint64 { return lo + w.random.Uint64N(hi-lo+1) }

func (w *workload) release() error {
	at := w.between(w.now.first, w.now.acked+1)
	return w.changing(w.now.from(at), func() error { return w.j.ReleaseBefore(at) })
}

// newestSnapshot gives the last record that a snapshot may cover.
func (w *workload) newestSnapshot() uint64 {
	newest := uint64(0)
	for index := range w.snapshots {
		newest = max(newest, index)
	}
	for index := range w.perhaps {
		newest = max(newest, index)
	}
	return newest
}

func (w *workload) truncate() error {
	if err := w.sync(); err != nil {
		return err
	}
	at := w.between(max(w.now.first-1, w.newestSnapshot()), w.now.acked)
	after := w.now.cut(at)
	after.acked = at
	return w.changing(after, func() error { return w.j.TruncateAfter(at) })
}

func (w *workload) reset() error {
	if err := w.sync(); err != nil {
		return err
	}
	next := w.newestSnapshot() + w.between(1, 20)
	return w.changing(truth{first: next, acked: next - 1}, func() error { return w.j.Reset(next) })
}

func (w *workload) snapshot() error {
	index := w.now.acked
	w.serial++
	text := fmt.Sprintf("snapshot %d of %d %s", w.serial, index, bytes.Repeat([]byte("x"), w.random.IntN(1500)))
	if _, there := w.snapshots[index]; there || index == 0 {
		return nil // the same one again: one of the two would be there
	}
	w.perhaps[index] = text
	err := w.j.WriteSnapshot(index, snapshotOf(text))
	if err == nil {
		delete(w.perhaps, index)
		w.snapshots[index] = text
	}
	return err
}

func (w *workload) releaseSnapshots() error {
	before := w.between(0, w.newestSnapshot()+1)
	for index, text := range w.snapshots {
		if index < before {
			w.perhaps[index] = text
			delete(w.snapshots, index)
		}
	}
	err := w.j.ReleaseSnapshotsBefore(before)
	if err == nil {
		clear(w.perhaps)
	}
	return err
}

// check holds an open journal against what may be found.
func (w *workload) check(j *journal.Journal) error {
	err := w.now.matches(j)
	if err != nil && w.other != nil {
		if otherErr := w.other.matches(j); otherErr != nil {
			return fmt.Errorf("neither as before (%w) nor as after (%w)", err, otherErr)
		}
		err = nil
	}
	if err != nil {
		return err
	}
	return w.checkSnapshots(j)
}

func (w *workload) checkSnapshots(j *journal.Journal) error {
	whole, broken, err := j.Snapshots()
	if err != nil || len(broken) > 0 {
		return fmt.Errorf("snapshots broken: %v, %w", broken, err)
	}
	missing := maps.Clone(w.snapshots)
	for _, s := range whole {
		want, must := w.snapshots[s.Index]
		if !must {
			want = w.perhaps[s.Index]
		}
		delete(missing, s.Index)
		r, err := j.OpenSnapshot(s.Index)
		if err != nil {
			return err
		}
		got, err := io.ReadAll(r)
		if err != nil || string(got) != want {
			return fmt.Errorf("snapshot of %d has %d bytes, want %d: %w", s.Index, len(got), len(want), err)
		}
		if err := r.Close(); err != nil {
			return err
		}
	}
	if len(missing) > 0 {
		return fmt.Errorf("snapshots missing: %d", len(missing))
	}
	return nil
}

// found goes on with what was found after a crash.
func (w *workload) found(fs *crashfs.FS, j *journal.Journal) error {
	if w.other != nil && w.now.matches(j) != nil {
		w.now = *w.other
	}
	w.other = nil
	w.now = w.now.cut(j.Durable())
	w.now.acked = j.Durable()
	w.fs, w.j = fs, j
	whole, _, err := j.Snapshots()
	all := w.snapshots
	maps.Copy(all, w.perhaps)
	w.snapshots, w.perhaps = map[uint64]string{}, map[uint64]string{}
	for _, s := range whole {
		w.snapshots[s.Index] = all[s.Index]
	}
	return err
}
