package workloads

import (
	"strings"

	"github.com/leasekeeper/lkactor/actors/lease"
)

// chunkBytes is how many bytes of names share one piece of memory: as many as in
// a log that has been decoded.
const chunkBytes = 32 << 10

// pack gives every operation a copy of its own of each of its names, those of
// one operation beside each other and operation after operation, in chunks. This
// is how names lie in memory after a log has been decoded.
//
// It matters: two strings at one address are equal without a look at their bytes,
// and a service that meets the same string again and again would save work that
// no log and no network ever saves it.
func pack(ops []lease.Operation) {
	var chunk strings.Builder
	for i := range ops {
		size := 0
		for _, s := range texts(&ops[i]) {
			size += len(*s)
		}
		if chunk.Cap()-chunk.Len() < size {
			chunk.Reset() // the full one is left to those who hold its parts
			chunk.Grow(max(chunkBytes, size))
		}
		for _, s := range texts(&ops[i]) {
			start := chunk.Len()
			chunk.WriteString(*s)
			*s = chunk.String()[start:]
		}
	}
}

func texts(op *lease.Operation) [4]*string {
	return [4]*string{&op.Client, &op.Lock, &op.Key, &op.Value}
}
