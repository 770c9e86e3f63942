//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package filefence

import (
	"os"
	"syscall"
)

// flock locks f without waiting; ok is false if another open file has the lock.
func flock(f *os.File) (ok bool, err error) {
	for {
		switch err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err {
		case nil:
			return true, nil
		case syscall.EWOULDBLOCK:
			return false, nil
		case syscall.EINTR:
		default:
			return false, &os.PathError{Op: "flock", Path: f.Name(), Err: err}
		}
	}
}
