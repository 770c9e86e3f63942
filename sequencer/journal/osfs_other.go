//go:build !linux

package journal

import (
	"errors"
	"fmt"
)

// Preallocate implements File.
func (f osFile) Preallocate(size int64) error { return f.extendWithZeros(size) }

// Lock implements FS. Without a lock that ends with its process two engines could
// write one journal, so on these systems there is none at all.
func (OS) Lock(path string) (Lock, error) {
	return nil, fmt.Errorf("journal: locking %s: %w", path, errors.ErrUnsupported)
}

// Holder implements FS.
func (OS) Holder(string) (pid int, held bool, err error) { return 0, false, nil }
