//go:build !unix

package rounds

import "time"

// CPUTime is not known here.
func CPUTime() time.Duration { return 0 }
