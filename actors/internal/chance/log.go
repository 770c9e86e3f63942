package chance

import (
	"bytes"
	"math/rand/v2"
)

// Sizes of a log, in operations.
const (
	leastOps     = 5
	mostOps      = 200
	mostShortOps = 40 // the size of half of all logs stays below it
)

// mixTurn is for how many operations at most the mix stays with one profile.
const mixTurn = 40

// stream separates the numbers of this package from other uses of one seed.
const stream = 0x6c6b6163746f72

// Log makes the log of a seed under a profile: from 5 to 200 operations, each the
// text of one JSON value. The same seed and profile always give the same log.
// Times go back only by a repeat that ran ahead, except under the profile "bad
// input" and in the parts of a mix that are made by it.
func Log(seed uint64, p Profile) [][]byte {
	rng := rand.New(rand.NewPCG(seed, stream))
	size := leastOps + rng.IntN(mostOps-leastOps+1)
	if rng.IntN(2) == 0 {
		size = leastOps + rng.IntN(mostShortOps-leastOps+1)
	}
	m := newMaker(rng, p, size)
	if p.moves != nil {
		for !m.full() {
			m.move()
		}
		return m.ops
	}
	pure := Profiles[:len(Profiles)-1]
	for !m.full() {
		m.p = pure[rng.IntN(len(pure))]
		for turn := len(m.ops) + 1 + rng.IntN(mixTurn); len(m.ops) < turn && !m.full(); {
			m.move()
		}
	}
	return m.ops
}

// Text joins operations to the text of one log, one operation a line, for
// replaying it and for printing.
func Text(log [][]byte) []byte {
	var text bytes.Buffer
	text.WriteString("[")
	for i, op := range log {
		if i > 0 {
			text.WriteString(",\n ")
		}
		text.Write(op)
	}
	text.WriteString("]\n")
	return text.Bytes()
}
