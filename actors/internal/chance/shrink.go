package chance

import "slices"

// mostPaired is how long a log may be for Shrink to try every pair of
// operations.
const mostPaired = 48

// Shrink gives a log that still fails and from which no single operation can be
// taken away without mending it, nor, if it is short, any two. It leaves out ever
// smaller runs of operations, starting with halves, for as long as the rest
// fails. The log itself is not changed; one that does not fail is given back
// whole. fails must answer the same every time it is asked.
func Shrink(log [][]byte, fails func(log [][]byte) bool) [][]byte {
	log = slices.Clone(log)
	if !fails(log) {
		return log
	}
	for size := max(1, len(log)/2); size > 1; size /= 2 {
		log, _ = withoutRuns(log, size, fails)
	}
	for smaller := true; smaller; {
		log, smaller = withoutRuns(log, 1, fails)
		if !smaller && len(log) <= mostPaired {
			log, smaller = withoutPair(log, fails)
		}
	}
	return log
}

// withoutRuns leaves out every run of a size that is not needed; smaller tells
// whether there was one.
func withoutRuns(log [][]byte, size int, fails func([][]byte) bool) (rest [][]byte, smaller bool) {
	for from := 0; from < len(log); {
		rest := slices.Concat(log[:from], log[min(from+size, len(log)):])
		if fails(rest) {
			log, smaller = rest, true
		} else {
			from += size
		}
	}
	return log, smaller
}

// withoutPair leaves out two operations where one alone could not go, such as an
// acquire and its release.
func withoutPair(log [][]byte, fails func([][]byte) bool) (rest [][]byte, smaller bool) {
	for j := range log {
		for i := range j {
			rest := slices.Concat(log[:i], log[i+1:j], log[j+1:])
			if fails(rest) {
				return rest, true
			}
		}
	}
	return log, false
}
