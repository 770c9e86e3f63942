//go:build unix

package rounds

import (
	"syscall"
	"time"
)

// CPUTime is how long this process has been on a core so far, all threads
// together.
func CPUTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
