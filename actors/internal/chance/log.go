package chance

import (
	"bytes"
	"math/rand/v2"
	"slices"
)

// Sizes of a log, in operations.
const (
	leastOps     = 5
	mostOps      = 200
	mostShortOps = 40 // the size of half of all logs stays below it

	// The sizes of logs in which one client may use more ids than are remembered
	// (E3).
	leastLongOps = 1130
	mostLongOps  = 1200
)

// mixTurn is for how many operations at most the mix stays with one profile.
const mixTurn = 40

// stream separates the numbers of this package from other uses of one seed.
const stream = 0x6c6b6163746f72

// Log makes the log of a seed under a profile: from 5 to 200 operations, under
// "many ids" now and then some 1150, each the text of one JSON value. The header of
// a live log is not among them. The same seed and profile always give the same log.
// Times go back only by a repeat that ran ahead, except under the profiles named
// "bad input" and in the parts of a mix that are made by them.
func Log(seed uint64, p Profile) [][]byte {
	rng := rand.New(rand.NewPCG(seed, stream))
	size := leastOps + rng.IntN(mostOps-leastOps+1)
	if rng.IntN(2) == 0 {
		size = leastOps + rng.IntN(mostShortOps-leastOps+1)
	}
	if p.long > 0 && rng.IntN(100) < p.long {
		size = leastLongOps + rng.IntN(mostLongOps-leastLongOps+1)
	}
	m := newMaker(rng, p, size)
	if p.moves != nil {
		for !m.full() {
			m.move()
		}
		return m.ops
	}
	pure := Profiles[:len(Profiles)-1]
	if p.Live {
		pure = LiveProfiles[:len(LiveProfiles)-1]
	}
	for !m.full() {
		m.p = pure[rng.IntN(len(pure))]
		for turn := len(m.ops) + 1 + rng.IntN(mixTurn); len(m.ops) < turn && !m.full(); {
			m.move()
		}
	}
	return m.ops
}

// Header is a header for the logs of [LiveProfiles] (E1).
const Header = `{"lkactor":1,"unit":"ns","zero":"2026-03-01T08:30:00Z","engine":"0f8b4c1e-9a55-4f0a-8d3c-6f1f4a2b7c90"}`

// LiveText is [Text] with the header before the operations.
func LiveText(log [][]byte) []byte {
	return Text(slices.Concat([][]byte{[]byte(Header)}, log))
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
