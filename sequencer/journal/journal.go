package journal

import (
	"crypto/rand"
	"encoding/binary"
	"fmt"
	"sync"
)

// Options says how a directory is opened. The zero value is the one for use.
type Options struct {
	// FS is the file system; nil means the operating system's.
	FS FS

	// SegmentBytes is how much space is set aside at a time, and so the least that
	// ReleaseBefore can give back; 0 means DefaultSegmentBytes.
	SegmentBytes int64

	// AcceptCut has Open go on where the newest segment has been cut short, which no
	// crash does: with the whole records that are left, and without those that were
	// there, acknowledged ones among them. It says so in Recovery. For whoever has no
	// other copy; tokens are issued again unless counters are raised. See cut.go.
	AcceptCut bool

	// Sparing has nothing set aside beyond what is written, whatever SegmentBytes says: for
	// commands that add a few records where the disk may be nearly full. A segment of another
	// Open stays as long as it is, and the next Open without Sparing sets space aside as ever.
	Sparing bool

	// Progress is told how much of the journal Open has read, in bytes. May be nil.
	Progress func(done, total int64)

	// ID identifies a new directory, for tests that need the same bytes each time;
	// 0 means one drawn at random.
	ID uint64

	groupBytes int64 // for tests with small groups; 0 means maxGroupBytes

	// UnsafeNoSyncForTests leaves out every sync. Whatever was acknowledged since
	// the start may be gone, or damaged beyond opening, after a power failure.
	UnsafeNoSyncForTests bool
}

// Journal is an open directory. Its methods may be called from any goroutine.
//
// After a write or a sync has failed every method answers with that first
// failure, a *FailedError, until the directory is opened afresh; after Close,
// ErrClosed.
type Journal struct {
	disk
	options  Options
	id       uint64 // the manifest's; never changes
	recovery Recovery
	reader   reader

	// admin is held by whoever releases, truncates, resets, closes or writes a
	// snapshot, one at a time. It is taken before mu.
	admin sync.Mutex

	mu       sync.Mutex
	changed  sync.Cond // busy, durable or err has changed
	err      error     // why no call succeeds any more; the first reason stays
	busy     bool      // somebody writes to the newest segment, without mu
	place    placer
	pending  batch // appended, not on its way to disk
	spare    batch // the memory of the batch before
	manifest manifest
	segments []*segment // ascending; never empty
	active   File       // the newest segment
	durable  uint64     // the last record that is durable
}

// Recovery says what Open found and did.
type Recovery struct {
	New     bool     // the directory held no journal
	Clean   bool     // the journal had been closed, or is new
	Torn    Torn     // the torn tail that was cut, if any
	Removed []string // names of files that an interrupted operation had left
}

// Open opens the journal in dir, or makes one. It reads all of it: a torn tail is
// cut, and the cut made durable; whatever else is wrong is refused and left as
// it is. What Open shows is durable, whatever the crash before it was.
//
// Errors are *DamageError, *VersionError, *LockedError or the file system's.
func Open(dir string, options Options) (*Journal, error) {
	if options.FS == nil {
		options.FS = OS{}
	}
	if options.SegmentBytes == 0 {
		options.SegmentBytes = DefaultSegmentBytes
	}
	if options.SegmentBytes < MinSegmentBytes {
		return nil, fmt.Errorf("journal: %d is below the least size of a segment, %d bytes", options.SegmentBytes, MinSegmentBytes)
	}
	if options.Sparing {
		options.SegmentBytes = MinSegmentBytes
	}
	if options.groupBytes == 0 {
		options.groupBytes = maxGroupBytes
	}
	j := &Journal{options: options}
	j.disk = disk{fs: options.FS, dir: dir, unsafe: options.UnsafeNoSyncForTests}
	j.changed.L = &j.mu
	if err := j.fs.MkdirAll(dir); err != nil {
		return nil, fmt.Errorf("journal: making %s: %w", dir, err)
	}
	lock, err := j.fs.Lock(j.path(lockName))
	if err != nil {
		return nil, err
	}
	j.disk.lock = lock
	j.mu.Lock()
	defer j.mu.Unlock()
	if err := j.recover(); err != nil {
		_ = lock.Close() // the first error is the one to tell
		return nil, err
	}
	j.id = j.manifest.id
	j.options.Progress = nil // it is Open's; rebuild reads too
	return j, nil
}

// newID draws a journal's id.
func newID() uint64 {
	var b [8]byte
	_, _ = rand.Read(b[:]) // never fails
	return binary.LittleEndian.Uint64(b[:])
}

// Recovery says what Open found and did.
func (j *Journal) Recovery() Recovery { return j.recovery }

// Err gives the reason why no call succeeds any more, nil while they do.
func (j *Journal) Err() error {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.err
}

// FirstIndex gives the first record held, 0 when there is none.
func (j *Journal) FirstIndex() uint64 {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.manifest.first == j.place.index {
		return 0
	}
	return j.manifest.first
}

// LastIndex gives the last record appended, durable or not; 0 when none is held.
func (j *Journal) LastIndex() uint64 {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.manifest.first == j.place.index {
		return 0
	}
	return j.place.index - 1
}

// NextIndex gives the index that the next record will get.
func (j *Journal) NextIndex() uint64 {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.place.index
}

// Durable gives the last record that is durable. It stays below NextIndex and
// counts on over releases.
func (j *Journal) Durable() uint64 {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.durable
}

// SealedIndex gives the last record of the segments that nothing is written to
// any more, one less than the first record of the newest.
func (j *Journal) SealedIndex() uint64 {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.segments[len(j.segments)-1].first - 1
}

// Stats is what the journal takes.
type Stats struct {
	Segments int
	Bytes    int64 // in the segments, from the first record held to the last durable
}

// Stats gives the present figures.
func (j *Journal) Stats() Stats {
	j.mu.Lock()
	defer j.mu.Unlock()
	s := Stats{Segments: len(j.segments)}
	for _, seg := range j.segments {
		s.Bytes += seg.end.at
	}
	return s
}

// Close makes durable what was appended, marks the end, which lets the next Open
// tell damage there from a torn tail, and lets go of the directory. It returns
// the failure that stopped the journal, if one did.
func (j *Journal) Close() error {
	j.admin.Lock()
	defer j.admin.Unlock()
	j.mu.Lock()
	defer j.mu.Unlock()
	err := j.settle()
	if err == ErrClosed {
		return ErrClosed
	}
	if err == nil {
		err = j.markEnd(kindEnd, j.active, j.place.cursor)
	}
	if err == nil && j.manifest.known != j.durable {
		// The mark is where the records end, and what takes them away takes it, too.
		j.manifest.known = j.durable
		err = j.publishManifest(j.manifest)
	}
	if closed := j.active.Close(); err == nil {
		err = closed
	}
	j.reader.drop()
	if unlocked := j.lock.Close(); err == nil {
		err = unlocked
	}
	j.err = ErrClosed
	j.changed.Broadcast()
	return err
}

// settle waits, with mu held, until nobody writes to the newest segment, and
// makes durable what has been appended. When it returns, mu has been held since.
func (j *Journal) settle() error {
	for j.busy || (j.err == nil && j.durable < j.place.index-1) {
		if j.busy {
			j.changed.Wait()
		} else {
			j.commit()
		}
	}
	return j.err
}

// fail stops the journal for good, with mu held. The first reason stays.
func (j *Journal) fail(doing string, err error) error {
	if j.err == nil {
		j.err = &FailedError{Doing: doing, Err: err}
	}
	j.changed.Broadcast()
	return j.err
}

// markEnd writes an end mark or a seal where c stands, and syncs it. Everything
// before c must be durable.
func (d *disk) markEnd(k kind, f File, c cursor) error {
	b, _ := appendFrame(nil, c.seed, frame{previous: c.chain, index: c.index, kind: k}, nil)
	if _, err := f.WriteAt(b, c.at); err != nil {
		return err
	}
	return d.sync(f)
}
