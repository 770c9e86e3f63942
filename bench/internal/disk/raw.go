// Package disk is the limit that a durable engine is measured against: group commit of
// the same bytes with nothing else around it. It owns no journal: what it has written
// nobody could read back.
package disk

import (
	"fmt"
	"os"
	"sync"

	"golang.org/x/sys/unix"
)

// Raw is a file set aside beforehand that is written to from its beginning to its end
// and over again, and synced with fdatasync. Callers hand in their bytes; one of them
// writes for all that wait.
type Raw struct {
	mu       sync.Mutex
	changed  sync.Cond
	file     *os.File
	size, at int64
	pending  []byte
	spare    []byte
	appended int
	durable  int
	busy     bool
	err      error

	syncs int
}

// NewRaw makes the file, of so many bytes.
func NewRaw(path string, size int64) (*Raw, error) {
	f, err := os.Create(path)
	if err != nil {
		return nil, err
	}
	r := &Raw{file: f, size: size}
	r.changed.L = &r.mu
	if err := unix.Fallocate(int(f.Fd()), 0, 0, size); err != nil {
		_ = f.Close()
		return nil, fmt.Errorf("setting %d bytes aside: %w", size, err)
	}
	return r, f.Sync()
}

// Commit returns when the bytes are on disk.
func (r *Raw) Commit(bytes []byte) error {
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
		err := r.write(group)
		r.mu.Lock()
		r.busy, r.spare, r.durable, r.err = false, group, upTo, err
		r.syncs++
		r.changed.Broadcast()
	}
	return r.err
}

// write is the one system call for the bytes and the one for the disk.
func (r *Raw) write(group []byte) error {
	if r.at+int64(len(group)) > r.size {
		r.at = 0
	}
	if _, err := r.file.WriteAt(group, r.at); err != nil {
		return err
	}
	r.at += int64(len(group))
	return unix.Fdatasync(int(r.file.Fd()))
}

// Syncs is how often the disk was waited for.
func (r *Raw) Syncs() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.syncs
}

// Close lets go of the file.
func (r *Raw) Close() error { return r.file.Close() }
