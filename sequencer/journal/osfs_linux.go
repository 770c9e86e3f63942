package journal

import (
	"errors"
	"io/fs"

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
