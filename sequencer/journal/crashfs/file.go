package crashfs

import (
	"io"
	"io/fs"
	"path/filepath"

	"github.com/leasekeeper/lkactor/sequencer/journal"
)

// file is an open file.
type file struct {
	fs     *FS
	node   *inode
	path   string
	closed bool
}

var _ journal.File = (*file)(nil)

// on gives this file's inode in a file system that may be a copy.
func (f *file) on(other *FS) *inode {
	if other == f.fs {
		return f.node
	}
	return other.node(f.path)
}

// change is FS.change for a file.
func (f *file) change(verb string, do func(n *inode, part int)) error {
	return f.fs.change(verb, f.path, func(on *FS, part int) error {
		if f.closed {
			return errClosed
		}
		if n := f.on(on); n != nil {
			do(n, part)
		}
		return nil
	})
}

// ReadAt implements journal.File.
func (f *file) ReadAt(p []byte, off int64) (int, error) {
	f.fs.mu.Lock()
	defer f.fs.mu.Unlock()
	if f.closed {
		return 0, errClosed
	}
	if off >= int64(len(f.node.seen)) {
		return 0, io.EOF
	}
	n := copy(p, f.node.seen[off:])
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

// WriteAt implements journal.File.
func (f *file) WriteAt(p []byte, off int64) (int, error) {
	if err := f.fs.room("write", f, off+int64(len(p))); err != nil {
		return 0, err
	}
	err := f.change("write", func(n *inode, part int) {
		if part < 0 {
			part = len(p)
		} else {
			part %= len(p) + 1
		}
		n.write(p[:part], int(off))
	})
	if err != nil {
		return 0, err
	}
	return len(p), nil
}

// Size implements journal.File.
func (f *file) Size() (int64, error) {
	f.fs.mu.Lock()
	defer f.fs.mu.Unlock()
	return int64(len(f.node.seen)), nil
}

// Truncate implements journal.File.
func (f *file) Truncate(size int64) error {
	if err := f.fs.room("truncate", f, size); err != nil {
		return err
	}
	return f.change("truncate", func(n *inode, _ int) { n.resize(int(size)) })
}

// Preallocate implements journal.File.
func (f *file) Preallocate(size int64) error {
	if err := f.fs.room("preallocate", f, size); err != nil {
		return err
	}
	return f.change("preallocate", func(n *inode, _ int) {
		if int(size) > len(n.seen) {
			n.resize(int(size))
		}
	})
}

// Sync implements journal.File.
func (f *file) Sync() error {
	return f.change("sync", func(n *inode, part int) {
		if part < 0 { // one that was not finished has promised nothing
			n.sync()
		}
	})
}

// Close implements journal.File.
func (f *file) Close() error {
	f.fs.mu.Lock()
	defer f.fs.mu.Unlock()
	if f.closed {
		return errClosed
	}
	f.closed = true
	return nil
}

// lock is a lock that is held.
type lock struct {
	fs   *FS
	path string
}

// Lock implements journal.FS. The holder's number is 1.
func (f *FS) Lock(path string) (journal.Lock, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.dirs[filepath.Dir(path)] == nil {
		return nil, &fs.PathError{Op: "lock", Path: path, Err: fs.ErrNotExist}
	}
	if f.locked[path] {
		return nil, &journal.LockedError{File: path, PID: 1}
	}
	f.locked[path] = true
	return &lock{fs: f, path: path}, nil
}

// Holder implements journal.FS.
func (f *FS) Holder(path string) (pid int, held bool, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.locked[path] {
		return 1, true, nil
	}
	return 0, false, nil
}

// Still implements journal.Lock: directories are never renamed here.
func (l *lock) Still() error { return nil }

// Close implements journal.Lock.
func (l *lock) Close() error {
	l.fs.mu.Lock()
	defer l.fs.mu.Unlock()
	delete(l.fs.locked, l.path)
	return nil
}
