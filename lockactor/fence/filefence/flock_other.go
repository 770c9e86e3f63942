//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd)

package filefence

import (
	"errors"
	"os"
)

// flock is not to be had here: nothing can be published.
func flock(f *os.File) (bool, error) {
	return false, &os.PathError{Op: "flock", Path: f.Name(), Err: errors.ErrUnsupported}
}
