package journal_test

import (
	"bytes"
	"maps"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/leasekeeper/lkactor/sequencer/journal"
)

// noised gives the files with noise over a stretch of one.
func noised(all map[string][]byte, name string, random *rand.Rand, from, to int) map[string][]byte {
	all = maps.Clone(all)
	all[name] = bytes.Clone(all[name])
	for i := from; i < to; i++ {
		all[name][i] = byte(1 + random.IntN(255))
	}
	return all
}

// TestP1_NoiseOverTheEnd writes over the end of the newest segment, from any byte on and
// for any length. Of a journal that was closed no record is lost without a word; one
// whose process died can lose those of which nothing after the noise tells, if it goes no
// further than one group. A look finds what a start finds.
func TestP1_NoiseOverTheEnd(t *testing.T) {
	const last, group, groupBytes = 60, 3, 2048
	random := rand.New(rand.NewPCG(6, 6))
	for _, closed := range []bool{true, false} {
		all := journalOf(t, last, group, 16384, closed)
		name := newestSegment(all)
		first, offsets := ends(all[name])
		end := offsets[len(offsets)-1]
		refused, cut := 0, 0
		for from := 64; from < len(all[name]); from += 1 + random.IntN(60) {
			to := min(from+1+random.IntN(5000), len(all[name]))
			damaged := noised(all, name, random, from, to)
			o := options(withFiles(damaged), 16384).WithGroups(groupBytes)
			j, err := journal.Open(dir, o)
			whole := first - 1
			at := 64
			for _, e := range offsets {
				if e <= from {
					whole, at = whole+1, e
				}
			}
			switch damage := damageIn(err); {
			case damage != nil && strings.HasSuffix(damage.File, name):
				refused++
				if from >= end && to <= end+groupBytes {
					t.Fatalf("closed %v, noise from %d to %d, which is after the records: %v", closed, from, to, err)
				}
			case err != nil:
				t.Fatalf("closed %v, noise from %d to %d: %v", closed, from, to, err)
			case closed && whole < last, to > at+groupBytes:
				t.Fatalf("closed %v, noise from %d to %d: opened with %d records", closed, from, to, j.LastIndex())
			default:
				cut++
				checkRecords(t, j, 1, whole)
				if j.Recovery().Torn.Bytes == 0 {
					t.Fatalf("closed %v, noise from %d to %d: cut without a word", closed, from, to)
				}
			}
		}
		t.Logf("closed %v: %d refused, %d cut and said", closed, refused, cut)
		if refused == 0 || cut == 0 {
			t.Error("only one of the two")
		}
	}
}

// TestNoiseIsAccepted: what is left before noise over the end can be gone on with, by who
// accepts the loss, and once is enough.
func TestNoiseIsAccepted(t *testing.T) {
	all := journalOf(t, 60, 3, 16384, true)
	name := newestSegment(all)
	_, offsets := ends(all[name])
	for _, to := range []int{offsets[59] + 100, 16384} {
		o := options(withFiles(noised(all, name, rand.New(rand.NewPCG(1, 1)), offsets[39], to)), 16384).WithGroups(4096)
		if _, err := journal.Open(dir, o); damageIn(err) == nil || !damageIn(err).CutShort {
			t.Fatal(err)
		}
		o.AcceptCut = true
		j := mustOpen(t, dir, o)
		checkRecords(t, j, 1, 40)
		fill(t, j, 50, 2)
		mustClose(t, j)
		o.AcceptCut = false
		checkRecords(t, mustOpen(t, dir, o), 1, 50)
	}
}

// TestARecordBeyondAGroup: what is left of a record that is longer than groups are is
// torn however far it goes, as long as its first bytes are there, which are durable first.
func TestARecordBeyondAGroup(t *testing.T) {
	all := journalOf(t, 5, 1, 16384, false)
	name := newestSegment(all)
	_, offsets := ends(all[name])
	fs := withFiles(all)
	o := options(fs, 16384).WithGroups(1024)
	j := mustOpen(t, dir, o)
	mustAppend(t, j, bytes.Repeat([]byte("x"), 9000))
	mustSync(t, j)
	whole := files(t, fs)[name]
	at := offsets[4]
	for _, lost := range []int{at + 24, at + 100, at + 8000} { // one byte of the record
		damaged := maps.Clone(all)
		damaged[name] = bytes.Clone(whole)
		damaged[name][lost] = 0
		checkRecords(t, mustOpen(t, dir, options(withFiles(damaged), 16384).WithGroups(1024)), 1, 5)
		damaged[name] = bytes.Clone(damaged[name])
		damaged[name][at+24+9000] = 1 // the first byte after it
		if _, err := journal.Open(dir, options(withFiles(damaged), 16384).WithGroups(1024)); damageIn(err) == nil {
			t.Errorf("without byte %d, and something after the record: %v", lost, err)
		}
	}
	clear(whole[at : at+24])
	all[name] = whole
	if _, err := journal.Open(dir, options(withFiles(all), 16384).WithGroups(1024)); damageIn(err) == nil {
		t.Errorf("without its first bytes: %v", err)
	}
}

// TestP1_NoiseAfterASeal: nothing is written any more to a segment that is finished.
func TestP1_NoiseAfterASeal(t *testing.T) {
	all := journalOf(t, 60, 3, 2048, true)
	name := "segment-00000000000000000001"
	_, offsets := ends(all[name])
	for at := offsets[len(offsets)-1] + 24; at < len(all[name]); at++ {
		damaged := maps.Clone(all)
		damaged[name] = bytes.Clone(all[name])
		damaged[name][at] = 1
		_, err := journal.Open(dir, options(withFiles(damaged), 2048))
		if damage := damageIn(err); damage == nil || !strings.HasSuffix(damage.File, name) || damage.Offset != int64(at) {
			t.Errorf("at %d: %v", at, err)
		}
	}
}
