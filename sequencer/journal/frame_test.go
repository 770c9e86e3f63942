package journal

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"math"
	"math/rand/v2"
	"testing"
)

// frames encodes records as the groups say: so many records each. It returns the
// bytes and where each frame begins; the last begins where the next would.
func frames(seed uint32, first uint64, groups ...int) (b []byte, at []int) {
	chain, index := uint32(7), first
	for _, n := range groups {
		for i := range n {
			at = append(at, len(b))
			f := frame{previous: chain, index: index, kind: kindRecord, unsynced: uint16(i)}
			b, chain = appendFrame(b, seed, f, bytes.Repeat([]byte{byte(index)}, int(index%40)))
			index++
		}
	}
	return b, append(at, len(b))
}

func TestFrameRoundTrip(t *testing.T) {
	want := frame{previous: 1 << 31, index: math.MaxUint64, kind: kindSeal, unsynced: math.MaxUint16}
	b, sum := appendFrame([]byte("before"), 42, want, []byte("record"))
	b = b[len("before"):]
	want.checksum, want.length, want.version = sum, 6, frameVersion
	got := parseFrame(b)
	if got != want || got.size() != int64(len(b)) || !got.holds(42, b) || got.holds(43, b) || !got.known() {
		t.Errorf("%+v, want %+v", got, want)
	}
	if got.group() != math.MaxUint64-math.MaxUint16 {
		t.Errorf("group %d", got.group())
	}
}

// TestFrameChecksEveryByte flips each bit of a frame.
func TestFrameChecksEveryByte(t *testing.T) {
	b, _ := appendFrame(nil, 42, frame{previous: 5, index: 9, kind: kindRecord, unsynced: 3}, []byte("a record"))
	for bit := range len(b) * 8 {
		flipped := bytes.Clone(b)
		flipped[bit/8] ^= 1 << (bit % 8)
		if f := parseFrame(flipped); f.size() == int64(len(b)) && f.holds(42, flipped) {
			t.Errorf("bit %d does not matter", bit)
		}
	}
}

func TestCursorAsksForWhatItNeeds(t *testing.T) {
	b, at := frames(42, 1, 3, 2)
	for _, lot := range []int{1, 5, 24, 40, 1000} {
		c := cursor{seed: 42, index: 1, chain: 7}
		for c.index <= 5 {
			s := step{need: lot}
			for s.need > 0 {
				have := min(int(c.at)+s.need, len(b))
				s = c.step(b[c.at:have], have == len(b))
			}
			if s.found != foundRecord || s.frame.index != c.index-1 || int(c.at) != at[c.index-1] {
				t.Fatalf("lots of %d: %+v at %+v", lot, s, c)
			}
		}
		if int(c.groupAt) != at[3] {
			t.Errorf("the last group begins at %d, want %d", c.groupAt, at[3])
		}
		if s := c.step(nil, true); s.found != foundBad {
			t.Errorf("at the end: %+v", s)
		}
	}
}

func TestCursorTellsFindingsApart(t *testing.T) {
	c := func() *cursor { return &cursor{seed: 42, index: 3, chain: 7} }
	make1 := func(f frame, record string) []byte {
		b, _ := appendFrame(nil, 42, f, []byte(record))
		return b
	}
	long := make([]byte, frameBytes)
	binary.LittleEndian.PutUint32(long[16:], MaxRecordBytes+1)
	unknown := make1(frame{previous: 7, index: 3, kind: kindRecord}, "x")
	unknown[20] = 2
	binary.LittleEndian.PutUint32(unknown, crc32.Update(42, castagnoli(), unknown[4:]))
	for _, test := range []struct {
		name  string
		bytes []byte
		want  finding
	}{
		{"record", make1(frame{previous: 7, index: 3, kind: kindRecord}, "x"), foundRecord},
		{"end mark", make1(frame{previous: 7, index: 3, kind: kindEnd}, ""), foundEnd},
		{"seal", make1(frame{previous: 7, index: 3, kind: kindSeal}, ""), foundSeal},
		{"wrong index", make1(frame{previous: 7, index: 4, kind: kindRecord}, "x"), foundMisplaced},
		{"wrong chain", make1(frame{previous: 8, index: 3, kind: kindRecord}, "x"), foundMisplaced},
		{"unknown kind", make1(frame{previous: 7, index: 3, kind: 4}, "x"), foundUnknown},
		{"unknown version", unknown, foundUnknown},
		{"zeros", make([]byte, 100), foundBad},
		{"too long", long, foundBad},
		{"cut", make1(frame{previous: 7, index: 3, kind: kindRecord}, "xyz")[:25], foundBad},
	} {
		if s := c().step(test.bytes, true); s.found != test.want {
			t.Errorf("%s: %+v", test.name, s)
		}
	}
}

// search runs a tail over b in lots of so many bytes.
func search(t *tail, b []byte, from, lot int) {
	for at, need := from, frameBytes; t.proof == nil; {
		have := min(at+max(need, lot), len(b))
		done, more := t.look(b[at:have], int64(at), have == len(b))
		if have == len(b) && more == 0 {
			return
		}
		at, need = at+done, more
	}
}

// TestTailFindsProofs damages a frame of each group: only a frame of a later group
// proves that it had been synced, in whatever lots the file is read.
func TestTailFindsProofs(t *testing.T) {
	groups := []int{4, 1, 6, 3}
	b, at := frames(42, 1, groups...)
	b = append(b, make([]byte, 10000)...)
	lastGroup := 4 + 1 + 6
	for bad := range 14 {
		damaged := bytes.Clone(b)
		damaged[at[bad]+4] ^= 1
		for _, lot := range []int{24, 100, 4096, 1 << 20} {
			tail := newTail(42, uint64(bad+1), int64(len(b)-at[bad]))
			search(tail, damaged, at[bad], lot)
			if proved := tail.proof != nil; proved != (bad < lastGroup) {
				t.Errorf("record %d damaged, lots of %d: proof %+v", bad+1, lot, tail.proof)
			}
			if tail.proof == nil && tail.dirtyEnd != int64(at[14]) {
				t.Errorf("record %d damaged, lots of %d: dirty up to %d, want %d", bad+1, lot, tail.dirtyEnd, at[14])
			}
		}
	}
}

// TestTailFindsTheLastByte wherever it is.
func TestTailFindsTheLastByte(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 500 {
		b := make([]byte, 1+random.IntN(20000))
		want := int64(0)
		if random.IntN(10) > 0 {
			at := random.IntN(len(b))
			b[at] = 1
			want = int64(at + 1)
		}
		tail := newTail(42, 1, int64(len(b)))
		search(tail, b, 0, 1+random.IntN(9000))
		if tail.dirtyEnd != want || tail.proof != nil {
			t.Fatalf("dirty up to %d, want %d of %d", tail.dirtyEnd, want, len(b))
		}
	}
}

// TestPlacerKeepsItsPromises checks the groups of random batches: within a
// segment, with room for a seal, one after another, none too large.
func TestPlacerKeepsItsPromises(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	p := placer{cursor: cursor{seed: 42, index: 1, at: headerBytes}, size: 1 << 20, segmentBytes: 1 << 20, groupBytes: maxGroupBytes, markedAt: headerBytes, base: 1}
	at, size, next := int64(headerBytes), p.size, uint64(1)
	for range 100 {
		var b batch
		for range 1 + random.IntN(2000) {
			n := random.IntN(200)
			if random.IntN(5000) == 0 {
				n = 9 << 20 // a group and a segment of its own
			}
			p.add(&b, make([]byte, n))
		}
		from := 0
		for _, g := range b.groups {
			if g.fresh {
				if g.before.at+frameBytes > size {
					t.Fatalf("no room for a seal: %d of %d", g.before.at, size)
				}
				at, size = headerBytes, g.size
			} else if g.size > 0 {
				size = g.size
			}
			records := g.last + 1 - next
			long := g.to-g.from > maxGroupBytes && records > 1
			if g.from != from || g.at != at || records > maxGroupRecords || long || parseFrame(b.bytes[g.from:]).unsynced != 0 {
				t.Fatalf("group %+v, want from %d at %d", g, from, at)
			}
			from, at, next = g.to, g.at+int64(g.to-g.from), g.last+1
			if at+frameBytes > size {
				t.Fatalf("group %+v ends at %d of %d", g, at, size)
			}
		}
	}
	if p.index != next || p.at != at || p.size != size {
		t.Errorf("%+v, want next %d at %d of %d", p, next, at, size)
	}
}
