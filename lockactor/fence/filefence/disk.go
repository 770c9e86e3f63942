package filefence

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// disk is every step that changes something, or makes it durable. There is one
// implementation for use; the tests have others that die at a chosen step.
type disk interface {
	// mkdir makes one directory; it is no error if there is one, but it is if there
	// is a link to one.
	mkdir(path string) error
	// create makes a new file for writing.
	create(path string) (*os.File, error)
	// sync makes the content of f durable; then f may be closed.
	sync(f *os.File) error
	// syncPath makes a file's content or a directory's entries durable.
	syncPath(path string) error
	rename(from, to string) error
	symlink(target, link string) error
	remove(path string) error
	removeAll(path string) error
}

// posix is the disk itself.
type posix struct{}

func (posix) mkdir(path string) error {
	if err := os.Mkdir(path, 0o777); err != nil {
		info, statErr := os.Lstat(path)
		switch {
		case statErr != nil:
			return err
		case info.Mode().Type() == fs.ModeSymlink:
			return &fs.PathError{Op: "mkdir", Path: path, Err: errLink}
		case !info.IsDir():
			return err
		}
	}
	return nil
}

func (posix) create(path string) (*os.File, error) {
	return os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
}

func (posix) sync(f *os.File) error { return f.Sync() }

func (posix) syncPath(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	return f.Sync()
}

func (posix) rename(from, to string) error      { return os.Rename(from, to) }
func (posix) symlink(target, link string) error { return os.Symlink(target, link) }
func (posix) remove(path string) error          { return os.Remove(path) }
func (posix) removeAll(path string) error       { return os.RemoveAll(path) }

// syncTree makes everything in the directory path durable, what is inside a
// directory before the directory itself. Links and what is no file are part of
// their directory.
func syncTree(d disk, path string) error {
	entries, err := os.ReadDir(path)
	if err != nil {
		return err
	}
	for _, e := range entries {
		inner := filepath.Join(path, e.Name())
		switch e.Type() {
		case fs.ModeDir:
			err = syncTree(d, inner)
		case 0:
			err = d.syncPath(inner)
		}
		if err != nil {
			return err
		}
	}
	return d.syncPath(path)
}

// replace puts data durably in place of the file path; through is a name beside
// it for the time being.
func replace(d disk, path, through string, data []byte) error {
	f, err := d.create(through)
	if err != nil {
		return err
	}
	defer f.Close()
	if _, err := f.Write(data); err != nil {
		return err
	}
	if err := d.sync(f); err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	if err := d.rename(through, path); err != nil {
		return err
	}
	return d.syncPath(filepath.Dir(path))
}

// The pauses while somebody else has a lock file. The system call that waits
// cannot be told to stop waiting.
const (
	minPause = time.Millisecond
	maxPause = 20 * time.Millisecond
)

// lockFile is a lock file that this process has locked. The lock ends with it,
// and with the process, whatever ends that.
type lockFile struct{ *os.File }

// lock locks the file path, which is made if it is not there, waiting as long as
// ctx lasts.
func lock(ctx context.Context, path string) (lockFile, error) {
	for wait := minPause; ; wait = min(2*wait, maxPause) {
		l, ok, err := tryLock(path)
		if ok || err != nil {
			return l, err
		}
		timer := time.NewTimer(wait)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return lockFile{}, ctx.Err()
		}
	}
}

// tryLock locks the file path if nobody else has; ok tells.
func tryLock(path string) (l lockFile, ok bool, err error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o666)
	if err != nil {
		return lockFile{}, false, err
	}
	ok, err = flock(f)
	if !ok || err != nil {
		f.Close()
		return lockFile{}, false, err
	}
	return lockFile{f}, true, nil
}
