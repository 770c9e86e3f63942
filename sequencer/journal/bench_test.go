package journal_test

import (
	"fmt"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/leasekeeper/lkactor/sequencer/journal"
)

// recordBytes is about what one operation takes in a log.
const recordBytes = 120

// rawFile is the limit to measure against: bytes written one after another into a
// file set aside beforehand, and fdatasync, by the same calls and nothing else.
type rawFile struct {
	file journal.File
	at   int64
}

func newRawFile(b *testing.B) *rawFile {
	b.Helper()
	f, err := journal.OS{}.Create(filepath.Join(b.TempDir(), "raw"))
	if err == nil {
		err = f.Preallocate(journal.DefaultSegmentBytes)
	}
	if err == nil {
		err = f.Sync()
	}
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = f.Close() })
	return &rawFile{file: f}
}

func (r *rawFile) commit(bytes []byte) error {
	if r.at+int64(len(bytes)) > journal.DefaultSegmentBytes {
		r.at = 0
	}
	if _, err := r.file.WriteAt(bytes, r.at); err != nil {
		return err
	}
	r.at += int64(len(bytes))
	return r.file.Sync()
}

// rawGroups is group commit without a journal: callers hand in their bytes, one of
// them writes for all that wait.
type rawGroups struct {
	mu       sync.Mutex
	changed  sync.Cond
	raw      *rawFile
	pending  []byte
	spare    []byte
	appended int
	durable  int
	busy     bool
	err      error
}

func (r *rawGroups) commit(bytes []byte) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.pending = append(r.pending, bytes...)
	r.appended++
	for want := r.appended; r.durable < want && r.err == nil; {
		if r.busy {
			r.changed.Wait()
			continue
		}
		r.busy = true
		group, upTo := r.pending, r.appended
		r.pending = r.spare[:0]
		r.mu.Unlock()
		err := r.raw.commit(group)
		r.mu.Lock()
		r.busy, r.spare, r.durable, r.err = false, group, upTo, err
		r.changed.Broadcast()
	}
	return r.err
}

// callers runs commit from n goroutines at once, times times together.
func callers(b *testing.B, n, times int, commit func() error) {
	b.Helper()
	var left atomic.Int64
	left.Store(int64(times))
	var all sync.WaitGroup
	for range n {
		all.Go(func() {
			for left.Add(-1) >= 0 {
				if err := commit(); err != nil {
					b.Error(err)
					return
				}
			}
		})
	}
	all.Wait()
}

// BenchmarkCommit measures acknowledged records, by callers that each wait for
// theirs: bare groups of as many records as there are callers, group commit
// without a journal, and the journal.
func BenchmarkCommit(b *testing.B) {
	for _, n := range []int{1, 16, 256} {
		b.Run(fmt.Sprintf("callers=%d/raw-full-groups", n), func(b *testing.B) {
			raw, group := newRawFile(b), make([]byte, n*recordBytes)
			for i := 0; i < b.N; i += n {
				if err := raw.commit(group); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(fmt.Sprintf("callers=%d/raw", n), func(b *testing.B) {
			r, one := &rawGroups{raw: newRawFile(b)}, make([]byte, recordBytes)
			r.changed.L = &r.mu
			callers(b, n, b.N, func() error { return r.commit(one) })
		})
		b.Run(fmt.Sprintf("callers=%d/journal", n), func(b *testing.B) {
			j, one := mustOpen(b, b.TempDir(), journal.Options{}), make([]byte, recordBytes)
			b.ResetTimer()
			callers(b, n, b.N, func() error {
				if _, err := j.Append(one); err != nil {
					return err
				}
				return j.Sync()
			})
			b.StopTimer()
			mustClose(b, j)
		})
	}
}

// BenchmarkAgainstRaw alternates between the limit and the journal every few
// dozen groups, so that both meet the same disk, and compares the medians. The
// limit is group commit at the same concurrency, without a journal; an operation is
// a record on each side.
func BenchmarkAgainstRaw(b *testing.B) {
	for _, n := range []int{1, 256} {
		b.Run(fmt.Sprintf("callers=%d", n), func(b *testing.B) {
			r, one := &rawGroups{raw: newRawFile(b)}, make([]byte, recordBytes)
			r.changed.L = &r.mu
			j := mustOpen(b, b.TempDir(), journal.Options{})
			var raw, ours []float64 // ns a record, by turns
			turn := func(times int, commit func() error) float64 {
				start := time.Now()
				callers(b, n, times, commit)
				return float64(time.Since(start).Nanoseconds()) / float64(times)
			}
			b.ResetTimer()
			for left := b.N; left > 0; left -= 50 * n {
				times := min(left, 50*n)
				raw = append(raw, turn(times, func() error { return r.commit(one) }))
				ours = append(ours, turn(times, func() error {
					if _, err := j.Append(one); err != nil {
						return err
					}
					return j.Sync()
				}))
			}
			b.StopTimer()
			mustClose(b, j)
			b.ReportMetric(median(raw), "raw-ns/record")
			b.ReportMetric(median(ours), "journal-ns/record")
			b.ReportMetric(median(ours)/median(raw), "journal/raw")
		})
	}
}

func median(list []float64) float64 {
	slices.Sort(list)
	return list[len(list)/2]
}

// BenchmarkAppend measures what one record costs whoever appends, in memory.
func BenchmarkAppend(b *testing.B) {
	for _, size := range []int{recordBytes, 4096} {
		b.Run(fmt.Sprintf("bytes=%d", size), func(b *testing.B) {
			j := mustOpen(b, b.TempDir(), journal.Options{FS: nowhere{journal.OS{}}})
			one := make([]byte, size)
			b.SetBytes(int64(size))
			b.ReportAllocs()
			b.ResetTimer()
			for i := range b.N {
				if _, err := j.Append(one); err != nil {
					b.Fatal(err)
				}
				if i%256 == 255 {
					mustSync(b, j)
				}
			}
		})
	}
}

// BenchmarkOpen measures reading a journal: scan and replay of 100,000 records.
func BenchmarkOpen(b *testing.B) {
	dir := b.TempDir()
	j := mustOpen(b, dir, journal.Options{})
	one := make([]byte, recordBytes)
	for range 100_000 {
		mustAppend(b, j, one)
	}
	mustClose(b, j)
	b.ResetTimer()
	for range b.N {
		j := mustOpen(b, dir, journal.Options{})
		records := 0
		if err := j.Replay(1, j.Durable(), func(uint64, []byte) error { records++; return nil }); err != nil || records != 100_000 {
			b.Fatal(records, err)
		}
		mustClose(b, j)
	}
	b.ReportMetric(100_000*float64(b.N)/b.Elapsed().Seconds(), "records/s")
}

// BenchmarkRotate measures what starting a segment costs: each group is longer
// than a segment.
func BenchmarkRotate(b *testing.B) {
	j := mustOpen(b, b.TempDir(), journal.Options{SegmentBytes: 1 << 20})
	one := make([]byte, 600<<10)
	var worst time.Duration
	for b.Loop() {
		start := time.Now()
		mustAppend(b, j, one)
		mustSync(b, j)
		worst = max(worst, time.Since(start))
	}
	b.ReportMetric(float64(worst.Microseconds()), "worst-us")
	mustClose(b, j)
}

// nowhere is a file system whose writes and syncs to open files do nothing.
type nowhere struct{ journal.FS }

func (n nowhere) Open(path string) (journal.File, error) {
	f, err := n.FS.Open(path)
	return nowhereFile{f}, err
}

type nowhereFile struct{ journal.File }

func (nowhereFile) WriteAt(p []byte, _ int64) (int, error) { return len(p), nil }
func (nowhereFile) Sync() error                            { return nil }

// TestAppendAllocatesNothing once the buffers have grown.
func TestAppendAllocatesNothing(t *testing.T) {
	j := mustOpen(t, t.TempDir(), journal.Options{FS: nowhere{journal.OS{}}})
	one := make([]byte, recordBytes)
	group := func() {
		for range 256 {
			mustAppend(t, j, one)
		}
		mustSync(t, j)
	}
	for range 4 {
		group()
	}
	// The index of a segment grows by an entry every 64 KiB: not once a group.
	if n := testing.AllocsPerRun(200, group); n >= 1 {
		t.Errorf("%v allocations for a group of 256 records", n)
	}
}
