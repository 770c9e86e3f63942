package journal_test

import (
	"bytes"
	"encoding/binary"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/leasekeeper/lkactor/sequencer/journal"
	"github.com/leasekeeper/lkactor/sequencer/journal/crashfs"
)

// journalOf makes a journal of so many records and gives its files. closed says
// whether it was closed or its process died.
func journalOf(t testing.TB, last uint64, group int, segmentBytes int64, closed bool) map[string][]byte {
	t.Helper()
	fs := crashfs.New(1)
	j := mustOpen(t, dir, options(fs, segmentBytes))
	fill(t, j, last, group)
	if !closed {
		return files(t, fs.Kill(1))
	}
	mustClose(t, j)
	return files(t, fs)
}

// newestSegment gives the name of the last segment among the files.
func newestSegment(all map[string][]byte) string {
	names := slices.Sorted(maps.Keys(all))
	return names[len(names)-1]
}

// ends gives, for the frames of a segment, the offset after each, and the index of
// the first record.
func ends(segment []byte) (first uint64, offsets []int) {
	first = binary.LittleEndian.Uint64(segment[24:])
	for at := 64; at+24 <= len(segment) && segment[at+21] == 1; {
		at += 24 + int(binary.LittleEndian.Uint32(segment[at+16:]))
		offsets = append(offsets, at)
	}
	return first, offsets
}

// harmless says why a flipped byte of a closed journal loses nothing.
func harmless(name string, content []byte, at int, newest bool) string {
	switch {
	case name == "lock":
		return "the lock file's content is for people"
	case !strings.HasPrefix(name, "segment-"):
		return ""
	}
	_, offsets := ends(content)
	end := 64
	if len(offsets) > 0 {
		end = offsets[len(offsets)-1]
	}
	switch {
	case at < end:
		return ""
	case at < end+24:
		return "the end mark or the seal: it holds no record"
	}
	if !newest {
		return "" // nobody writes there any more
	}
	return "set aside, nothing is written there"
}

// TestP1_EveryByteFlipped changes every byte of a closed journal of several
// segments in turn, in one bit and in all: it is refused, or one of the harmless.
func TestP1_EveryByteFlipped(t *testing.T) {
	all := journalOf(t, 60, 3, 2048, true)
	refused, harmed := 0, map[string]int{}
	for _, name := range slices.Sorted(maps.Keys(all)) {
		whole := all[name]
		for at := range whole {
			for _, flip := range []byte{1 << (at % 8), 0xff} {
				all[name] = bytes.Clone(whole)
				all[name][at] ^= flip
				j, err := journal.Open(dir, options(withFiles(all), 2048))
				why := harmless(name, whole, at, name == newestSegment(all))
				switch damage := damageIn(err); {
				case why != "" && err == nil:
					checkRecords(t, j, 1, 60)
					harmed[why]++
				case damage == nil:
					t.Fatalf("%s byte %d: %v", name, at, err)
				case why != "":
					t.Fatalf("%s byte %d, %s: %v", name, at, why, err)
				case !strings.HasSuffix(damage.File, name):
					t.Fatalf("%s byte %d: blamed on %s", name, at, damage.File)
				default:
					refused++
				}
			}
		}
		all[name] = whole
	}
	t.Logf("%d refused; harmless: %v", refused, harmed)
}

// TestP1_FlipsAfterACrash does the same to a journal whose process died. Of the
// last group, and of it alone, a flip cannot be told from a write that was torn;
// what is cut is then said.
func TestP1_FlipsAfterACrash(t *testing.T) {
	const group, last = 4, 60
	all := journalOf(t, last, group, 16384, false)
	name := newestSegment(all)
	whole := all[name]
	_, offsets := ends(whole)
	lastGroup := offsets[last-group-1]
	for at := range offsets[last-1] {
		all[name] = bytes.Clone(whole)
		all[name][at] ^= 1 << (at % 8)
		j, err := journal.Open(dir, options(withFiles(all), 16384))
		if at < lastGroup {
			if damageIn(err) == nil {
				t.Fatalf("byte %d: %v", at, err)
			}
			continue
		}
		if err != nil {
			t.Fatalf("byte %d of the last group: %v", at, err)
		}
		kept := uint64(last - group)
		for offsets[kept] <= at {
			kept++
		}
		checkRecords(t, j, 1, kept)
		if torn := j.Recovery().Torn; torn.Index != kept+1 || torn.Bytes == 0 {
			t.Fatalf("byte %d: cut to %d without a word: %+v", at, kept, torn)
		}
	}
}

// TestP1_LostSectorsInTheMiddle zeroes each stretch of the journal: after a crash
// a hole is a torn tail only if no group after it was written.
func TestP1_LostSectorsInTheMiddle(t *testing.T) {
	const group, last = 5, 60
	all := journalOf(t, last, group, 16384, false)
	name := newestSegment(all)
	whole := all[name]
	_, offsets := ends(whole)
	lastGroup := offsets[last-group-1]
	for from := 64; from < offsets[last-1]; from += 7 {
		for _, length := range []int{1, 24, 100, 512, 1500} {
			holed := bytes.Clone(whole)
			to := min(from+length, len(holed))
			clear(holed[from:to])
			if bytes.Equal(holed, whole) {
				continue
			}
			all[name] = holed
			j, err := journal.Open(dir, options(withFiles(all), 16384))
			switch {
			case from < lastGroup && to < offsets[last-2]:
				if damageIn(err) == nil {
					t.Fatalf("%d bytes from %d: %v", length, from, err)
				}
			case from < lastGroup: // up to the end: nothing is left to tell
			case err != nil:
				t.Fatalf("%d bytes from %d, in the last group: %v", length, from, err)
			default:
				checkRecords(t, j, 1, j.LastIndex())
			}
		}
	}
}

// TestP1_SplicedFrames puts whole frames in the wrong places.
func TestP1_SplicedFrames(t *testing.T) {
	all := journalOf(t, 8, 1, 16384, true)
	name := newestSegment(all)
	whole := all[name]
	_, offsets := ends(whole)
	frame := func(i int) []byte { // counted from 0
		if i == 0 {
			return whole[64:offsets[0]]
		}
		return whole[offsets[i-1]:offsets[i]]
	}
	build := func(order ...int) []byte {
		b := bytes.Clone(whole[:64])
		for _, i := range order {
			b = append(b, frame(i)...)
		}
		return append(b, make([]byte, 16384-len(b))...)
	}
	for _, order := range [][]int{
		{0, 2, 1, 3}, {0, 1, 1, 2}, {1, 0}, {0, 1, 3}, {4, 5, 6, 7}, {0, 1, 2, 0},
	} {
		all[name] = build(order...)
		if _, err := journal.Open(dir, options(withFiles(all), 16384)); damageIn(err) == nil {
			t.Errorf("order %v: %v", order, err)
		}
	}
	other := crashfs.New(1)
	o := options(other, 16384)
	o.ID = 99
	j := mustOpen(t, dir, o)
	fill(t, j, 8, 1)
	all[name] = files(t, other)[name]
	if _, err := journal.Open(dir, options(withFiles(all), 16384)); damageIn(err) == nil {
		t.Errorf("another journal's segment: %v", err)
	}
}

// TestP1_OldFrames puts back a frame, and a segment, of a time before a truncation:
// whole, of this journal and with the right index.
func TestP1_OldFrames(t *testing.T) {
	fs := crashfs.New(1)
	j := mustOpen(t, dir, options(fs, 1024))
	fill(t, j, 60, 3)
	before := segmentsOf(t, fs)
	if err := j.TruncateAfter(0); err != nil {
		t.Fatal(err)
	}
	for i := range uint64(60) { // others of the same lengths
		mustAppend(t, j, bytes.ToUpper(record(i+1)))
		if i%3 == 2 {
			mustSync(t, j)
		}
	}
	mustClose(t, j)
	for name, old := range before {
		all := files(t, fs)
		all[name] = old
		if _, err := journal.Open(dir, options(withFiles(all), 1024)); damageIn(err) == nil {
			t.Errorf("an old %s: %v", name, err)
		}
		all = files(t, fs)
		_, offsets := ends(old)
		copy(all[name][offsets[2]:offsets[3]], old[offsets[2]:offsets[3]])
		if _, err := journal.Open(dir, options(withFiles(all), 1024)); damageIn(err) == nil {
			t.Errorf("an old frame in %s: %v", name, err)
		}
	}
}

// TestP1_WrongIndex has a frame that is right in everything but its index.
func TestP1_WrongIndex(t *testing.T) {
	all := journalOf(t, 8, 1, 4096, false)
	name := newestSegment(all)
	_, offsets := ends(all[name])
	frame := all[name][offsets[6]:offsets[7]]
	frame[8]++
	reframe(frame, 0x1d1d1d1d)
	if _, err := journal.Open(dir, options(withFiles(all), 4096)); damageIn(err) == nil {
		t.Error(err)
	}
}

// TestP1_EndsBeforeWhatWasReleased: what was released was durable once, and so was what
// there was at the release.
func TestP1_EndsBeforeWhatWasReleased(t *testing.T) {
	fs := crashfs.New(1)
	j := mustOpen(t, dir, options(fs, 4096))
	fill(t, j, 20, 1)
	if err := j.ReleaseBefore(15); err != nil {
		t.Fatal(err)
	}
	all := files(t, fs)
	name := newestSegment(all)
	whole := all[name]
	_, offsets := ends(whole)
	for last, end := range offsets {
		all[name] = append(bytes.Clone(whole[:end]), make([]byte, len(whole)-end)...)
		j, err := journal.Open(dir, options(withFiles(all), 4096))
		switch {
		case last+1 < 20 && damageIn(err) == nil:
			t.Errorf("opened with records up to %d, released up to 14 with 20 durable: %v", last+1, err)
		case last+1 >= 20 && err != nil:
			t.Errorf("records up to %d: %v", last+1, err)
		case last+1 >= 20:
			checkRecords(t, j, 15, uint64(last+1))
		}
	}
}

// TestP1_MissingFiles takes away one file after another.
func TestP1_MissingFiles(t *testing.T) {
	for _, closed := range []bool{true, false} {
		all := journalOf(t, 100, 3, 1024, closed)
		names := slices.Sorted(maps.Keys(all))
		if len(names) < 6 {
			t.Fatalf("only %v", names)
		}
		for _, name := range names {
			if name == "lock" {
				continue
			}
			without := maps.Clone(all)
			delete(without, name)
			_, err := journal.Open(dir, options(withFiles(without), 1024))
			if damage := damageIn(err); damage == nil || !strings.HasSuffix(damage.File, name) {
				t.Errorf("without %s: %v", name, err)
			}
		}
	}
}

// TestP1_TheSealIsMadeUpFor dies between making a segment and sealing the one
// before it: after the next start a segment that goes missing is missed again.
func TestP1_TheSealIsMadeUpFor(t *testing.T) {
	fs := crashfs.New(1)
	j := mustOpen(t, dir, options(fs, 1024))
	var last string
	var dead *crashfs.FS
	fs.Before(func(op crashfs.Op) {
		if dead == nil && last == "syncdir" && op.Verb == "write" {
			dead = fs.Kill(3)
		}
		last = op.Verb
	})
	fill(t, j, 30, 2)
	mustClose(t, mustOpen(t, dir, options(dead, 1024)))
	all := files(t, dead)
	delete(all, newestSegment(all))
	if _, err := journal.Open(dir, options(withFiles(all), 1024)); damageIn(err) == nil {
		t.Errorf("opened without the newest segment: %v", err)
	}
}

// TestP1_GarbageAfterTheEnd is cut, whatever it is, and said.
func TestP1_GarbageAfterTheEnd(t *testing.T) {
	for _, closed := range []bool{true, false} {
		all := journalOf(t, 20, 2, 4096, closed)
		name := newestSegment(all)
		_, offsets := ends(all[name])
		end := offsets[len(offsets)-1]
		for length := 1; length < 300; length++ {
			whole := bytes.Clone(all[name])
			for i := range length {
				whole[end+i] = byte(i*37 + length)
			}
			damaged := maps.Clone(all)
			damaged[name] = whole
			fs := withFiles(damaged)
			j := mustOpen(t, dir, options(fs, 4096))
			checkRecords(t, j, 1, 20)
			if j.Recovery().Torn.File == "" {
				t.Fatalf("%d bytes were cut without a word", length)
			}
			v, err := journal.Look(fs, dir)
			if err != nil || v.Report.Torn.File != "" {
				t.Fatalf("after the cut: %+v, %v", v.Report.Torn, err)
			}
		}
	}
}
