package journal

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// A directory is taken twice over: by a lock on the lock file, which can be asked about
// without taking it, and by one on the directory itself, since a file can be removed
// or replaced while it is locked, and a lock on what has no name any more keeps nobody
// out. Both belong to an open file description: they keep out a second opener in this
// process as well as other processes, and end when it is closed or the process dies.
type osLock struct{ file, dir *os.File }

// Close implements Lock.
func (l osLock) Close() error { return errors.Join(l.file.Close(), l.dir.Close()) }

// Still implements Lock.
func (l osLock) Still() error {
	taken, err := l.dir.Stat()
	if err != nil {
		return err
	}
	there, err := os.Stat(l.dir.Name())
	if err != nil {
		return err
	}
	if !os.SameFile(taken, there) {
		return fmt.Errorf("%s is not the directory any more that was opened: it was moved, and another one put in its place", l.dir.Name())
	}
	return nil
}

// A look that finds the lock file free asks the directory's lock by taking it shared,
// for a moment. So whoever has the lock file waits for looks to be over; that it is no look
// that is in the way shows by its not being shared.
const (
	dirLockTries = 5000
	dirLockPause = 2 * time.Millisecond
)

// Lock implements FS.
func (OS) Lock(path string) (Lock, error) {
	if err := regular(path); err != nil {
		return nil, err
	}
	dir, err := os.Open(filepath.Dir(path))
	if err != nil {
		return nil, err
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, fileMode)
	if err != nil {
		_ = dir.Close()
		return nil, err
	}
	l := osLock{f, dir}
	if err := l.take(path); err != nil {
		_ = l.Close() // the first error is the one to tell
		return nil, err
	}
	return l, nil
}

func (l osLock) take(path string) error {
	want := wholeFile()
	err := unix.FcntlFlock(l.file.Fd(), unix.F_OFD_SETLK, &want)
	if errors.Is(err, unix.EAGAIN) || errors.Is(err, unix.EACCES) {
		return &LockedError{File: path, PID: readPID(l.file)}
	}
	if err != nil {
		return err
	}
	for range dirLockTries {
		if free, err := flockDir(l.dir, unix.LOCK_EX); err != nil {
			return err
		} else if free {
			return writePID(l.file)
		}
		if shared, err := flockDir(l.dir, unix.LOCK_SH); err != nil {
			return err
		} else if !shared {
			break
		}
		time.Sleep(dirLockPause)
	}
	return &LockedError{File: path}
}

// Holder implements FS.
func (OS) Holder(path string) (pid int, held bool, err error) {
	if err := regular(path); err != nil {
		return 0, false, err
	}
	f, err := os.Open(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return 0, false, err
	default:
		defer func() { _ = f.Close() }()
		ask := wholeFile()
		if err := unix.FcntlFlock(f.Fd(), unix.F_OFD_GETLK, &ask); err != nil {
			return 0, false, err
		}
		if ask.Type != unix.F_UNLCK {
			return readPID(f), true, nil
		}
	}
	dir, err := os.Open(filepath.Dir(path))
	if errors.Is(err, fs.ErrNotExist) {
		return 0, false, nil
	}
	if err != nil {
		return 0, false, err
	}
	defer func() { _ = dir.Close() }() // and with it the lock, if it was free
	free, err := flockDir(dir, unix.LOCK_SH)
	return 0, err == nil && !free, err
}

// wholeFile describes a write lock on the whole of a file.
func wholeFile() unix.Flock_t {
	return unix.Flock_t{Type: unix.F_WRLCK, Whence: io.SeekStart}
}

// flockDir takes a lock on a directory, if it is free. Some network file systems cannot
// lock one; there the lock file has to do.
func flockDir(dir *os.File, how int) (free bool, err error) {
	for {
		err := unix.Flock(int(dir.Fd()), how|unix.LOCK_NB)
		switch {
		case err == nil, errors.Is(err, unix.EBADF), errors.Is(err, unix.EINVAL), errors.Is(err, unix.ENOLCK),
			errors.Is(err, unix.EOPNOTSUPP), errors.Is(err, unix.ENOSYS):
			return true, nil
		case errors.Is(err, unix.EWOULDBLOCK):
			return false, nil
		case !errors.Is(err, unix.EINTR):
			return false, &fs.PathError{Op: "flock", Path: dir.Name(), Err: err}
		}
	}
}

// writePID leaves the number of this process for people and error messages. The
// lock does not depend on it.
func writePID(f *os.File) error {
	if err := f.Truncate(0); err != nil {
		return err
	}
	_, err := f.WriteAt([]byte(strconv.Itoa(os.Getpid())+"\n"), 0)
	return err
}

// readPID gives 0 when the file does not say.
func readPID(f *os.File) int {
	text := make([]byte, 32)
	n, _ := f.ReadAt(text, 0) // short or unreadable: not known
	pid, err := strconv.Atoi(strings.TrimSpace(string(text[:n])))
	if err != nil || pid < 0 {
		return 0
	}
	return pid
}
