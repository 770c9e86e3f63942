package journal

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// Sync implements File.
func (f osFile) Sync() error {
	for {
		err := unix.Fdatasync(int(f.Fd()))
		if errors.Is(err, unix.EINTR) {
			continue // interrupted, not failed: nothing was given up
		}
		if err != nil {
			return &fs.PathError{Op: "fdatasync", Path: f.Name(), Err: err}
		}
		return nil
	}
}

// Preallocate implements File.
func (f osFile) Preallocate(size int64) error {
	have, err := f.Size()
	if err != nil || have >= size {
		return err
	}
	for {
		err := unix.Fallocate(int(f.Fd()), 0, have, size-have)
		switch {
		case err == nil:
			return nil
		case errors.Is(err, unix.EINTR):
			continue
		case errors.Is(err, unix.EOPNOTSUPP), errors.Is(err, unix.ENOSYS):
			return f.extendWithZeros(size)
		}
		return &fs.PathError{Op: "fallocate", Path: f.Name(), Err: err}
	}
}

// wholeFile describes a write lock on the whole of a file. The lock is one of an
// open file description: it keeps out a second opener in this process as well as
// other processes, ends when the file is closed or the process dies, and, unlike
// flock, can be asked about without taking it.
func wholeFile() unix.Flock_t {
	return unix.Flock_t{Type: unix.F_WRLCK, Whence: io.SeekStart}
}

// Lock implements FS.
func (OS) Lock(path string) (io.Closer, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, fileMode)
	if err != nil {
		return nil, err
	}
	want := wholeFile()
	err = unix.FcntlFlock(f.Fd(), unix.F_OFD_SETLK, &want)
	if errors.Is(err, unix.EAGAIN) || errors.Is(err, unix.EACCES) {
		err = &LockedError{File: path, PID: readPID(f)}
	}
	if err == nil {
		err = writePID(f)
	}
	if err != nil {
		_ = f.Close()
		return nil, err
	}
	return f, nil
}

// Holder implements FS.
func (OS) Holder(path string) (pid int, held bool, err error) {
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, false, nil
	}
	if err != nil {
		return 0, false, err
	}
	defer func() { _ = f.Close() }()
	ask := wholeFile()
	if err := unix.FcntlFlock(f.Fd(), unix.F_OFD_GETLK, &ask); err != nil {
		return 0, false, err
	}
	if ask.Type == unix.F_UNLCK {
		return 0, false, nil
	}
	return readPID(f), true, nil
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
