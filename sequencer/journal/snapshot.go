package journal

import (
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
)

// Snapshot is a whole snapshot: its checksum has been verified.
type Snapshot struct {
	Index uint64 // the last record that is in it
	Bytes int64  // length of the file
}

// WriteSnapshot makes what write writes the snapshot of the state after record
// index, which must be durable. The snapshot is there whole once WriteSnapshot
// has returned nil, and otherwise not at all, whenever the power goes. Appending
// and syncing go on meanwhile; releasing and other snapshots wait.
//
// A snapshot that cannot be written, an error of write among the reasons, leaves
// the journal as it was; only a failure to make its name durable stops it.
func (j *Journal) WriteSnapshot(index uint64, write func(io.Writer) error) error {
	if err := j.begin(); err != nil {
		return err
	}
	defer j.admin.Unlock()
	if durable := j.Durable(); index > durable {
		return fmt.Errorf("journal: a snapshot of %d with only %d durable: %w", index, durable, ErrNotFound)
	}
	j.mu.Lock()
	trail := j.trail()
	j.mu.Unlock()
	chain, err := trail.chainAt(index)
	if err != nil {
		return err
	}
	if err := j.still(); err != nil {
		return j.failed("writing a snapshot", err)
	}
	name := snapshotName(index)
	temp := j.path(name + tempSuffix)
	if err := j.fillSnapshot(temp, header{magic: magicSnapshot, id: j.id, index: index, chain: chain}, write); err != nil {
		_ = j.fs.Remove(temp) // the next Open removes it otherwise
		return fmt.Errorf("journal: writing a snapshot: %w", err)
	}
	if err := j.still(); err != nil {
		return j.failed("publishing a snapshot", err)
	}
	if err := j.fs.Rename(temp, j.path(name)); err != nil {
		return j.failed("publishing a snapshot", err)
	}
	return j.failed("publishing a snapshot", j.syncDir())
}

// fillSnapshot writes and syncs a snapshot under its temporary name.
func (j *Journal) fillSnapshot(temp string, head header, write func(io.Writer) error) error {
	f, err := j.fs.Create(temp)
	if err != nil {
		return err
	}
	w, err := newChunkWriter(f, head.encode(), j.sync)
	if err == nil {
		err = write(w)
	}
	if err == nil {
		err = w.finish()
	}
	if err == nil {
		err = j.sync(f)
	}
	if closed := f.Close(); err == nil {
		err = closed
	}
	return err
}

// SnapshotReader reads one snapshot. Every byte is checked before it is given;
// io.EOF comes only after a whole snapshot.
type SnapshotReader struct {
	Snapshot
	chunkReader
	file File
}

// Close lets go of the file.
func (r *SnapshotReader) Close() error { return r.file.Close() }

// OpenSnapshot opens the snapshot of this index for reading; ErrNotFound if there
// is none. The caller closes it.
func (j *Journal) OpenSnapshot(index uint64) (*SnapshotReader, error) {
	if err := j.Err(); err != nil {
		return nil, err
	}
	j.mu.Lock()
	trail := j.trail()
	j.mu.Unlock()
	return trail.openSnapshot(index)
}

// openSnapshot opens a snapshot of this journal.
func (t *trail) openSnapshot(index uint64) (*SnapshotReader, error) {
	path := t.disk.path(snapshotName(index))
	f, err := t.disk.fs.OpenRead(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, ErrNotFound
	}
	if err != nil {
		return nil, fmt.Errorf("journal: reading %s: %w", path, err)
	}
	r, err := t.startSnapshot(f, path, index)
	if err != nil {
		_ = f.Close() // the first error is the one to tell
		return nil, err
	}
	return r, nil
}

// startSnapshot checks the header.
func (t *trail) startSnapshot(f File, path string, index uint64) (*SnapshotReader, error) {
	size, err := f.Size()
	if err != nil {
		return nil, fmt.Errorf("journal: reading %s: %w", path, err)
	}
	w := newWindow(f, size)
	w.lot = chunkHeaderBytes + snapshotChunkBytes
	b, _, err := w.from(0, headerBytes)
	if err != nil {
		return nil, fmt.Errorf("journal: reading %s: %w", path, err)
	}
	head, err := decodeHeader(b, path, magicSnapshot)
	if err != nil {
		return nil, err
	}
	if t.id != 0 && head.id != t.id || head.index != index {
		return nil, &DamageError{File: path, Index: index, Why: "the snapshot is of another journal or of another record"}
	}
	if chain, err := t.chainAt(index); err != nil {
		return nil, err
	} else if chain != 0 && head.chain != 0 && chain != head.chain {
		return nil, &DamageError{File: path, Index: index, Why: "the snapshot is of another history: that had another record of this number"}
	}
	r := &SnapshotReader{Snapshot: Snapshot{Index: index, Bytes: size}, file: f}
	r.chunkReader = chunkReader{
		win: w, path: path, index: index, at: headerBytes,
		sum: crc32.Checksum(b[:headerBytes], castagnoli()),
	}
	return r, nil
}

// Snapshots reads every snapshot through. It gives those that are whole, the
// newest first, and beside them what is wrong with the others: a *DamageError or
// *VersionError each. The third is the file system's.
func (j *Journal) Snapshots() (whole []Snapshot, broken []error, err error) {
	if err := j.Err(); err != nil {
		return nil, nil, err
	}
	names, err := j.fs.List(j.dir)
	if err != nil {
		return nil, nil, err
	}
	j.mu.Lock()
	trail := j.trail()
	j.mu.Unlock()
	return trail.checkSnapshots(snapshotsIn(names))
}

// snapshotsIn gives the indexes of snapshots among names, ascending.
func snapshotsIn(names []string) []uint64 {
	var list []uint64
	for _, name := range names { // sorted, and so are their numbers
		if index, ok := indexIn(name, snapshotPrefix); ok {
			list = append(list, index)
		}
	}
	return list
}

func (t *trail) checkSnapshots(indexes []uint64) (whole []Snapshot, broken []error, err error) {
	for i := len(indexes) - 1; i >= 0; i-- {
		s, err := t.checkSnapshot(indexes[i])
		switch {
		case err == nil:
			whole = append(whole, s)
		case isFinding(err):
			broken = append(broken, err)
		case errors.Is(err, ErrNotFound): // removed since
		default:
			return nil, nil, err
		}
	}
	return whole, broken, nil
}

func (t *trail) checkSnapshot(index uint64) (Snapshot, error) {
	r, err := t.openSnapshot(index)
	if err != nil {
		return Snapshot{}, err
	}
	defer func() { _ = r.Close() }()
	for !r.ended {
		if err := r.next(); err != nil {
			return Snapshot{}, err
		}
	}
	return r.Snapshot, nil
}

// isFinding says whether err tells of the content and not of the way to it.
func isFinding(err error) bool {
	var damage *DamageError
	var version *VersionError
	return errors.As(err, &damage) || errors.As(err, &version)
}

// newestSnapshot gives the highest index of a snapshot, whole or not; 0 if there
// is none.
func (j *Journal) newestSnapshot() (uint64, error) {
	names, err := j.fs.List(j.dir)
	if err != nil {
		return 0, err
	}
	list := snapshotsIn(names)
	if len(list) == 0 {
		return 0, nil
	}
	return list[len(list)-1], nil
}

// ReleaseSnapshotsBefore removes the snapshots of records before index.
func (j *Journal) ReleaseSnapshotsBefore(index uint64) error {
	if err := j.begin(); err != nil {
		return err
	}
	defer j.admin.Unlock()
	names, err := j.fs.List(j.dir)
	if err != nil {
		return err
	}
	var old []string
	for _, i := range snapshotsIn(names) {
		if i < index {
			old = append(old, snapshotName(i))
		}
	}
	return j.failed("removing snapshots", j.remove(old))
}
