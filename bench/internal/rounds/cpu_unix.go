//go:build unix

package rounds

import (
	"syscall"
	"time"
)

// cpuTime is how long this process has been on a core so far, all threads
// together.
func cpuTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
