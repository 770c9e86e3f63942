package journal_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/leasekeeper/lkactor/sequencer/journal"
	"github.com/leasekeeper/lkactor/sequencer/journal/crashfs"
)

// TestP1_EveryCutPoint cuts the newest segment at every byte. Zeros from there on are what
// a crash leaves: what opens is exactly the whole records, and it can be written to at
// once. Where the journal was closed no crash has left them, if a record is gone. A file that is shorter is no crash's doing: it is refused, nothing of it changes,
// and who accepts that gets the whole records.
func TestP1_EveryCutPoint(t *testing.T) {
	for _, c := range []struct {
		group        int
		segmentBytes int64
		closed       bool
	}{{1, 5120, true}, {1, 5120, false}, {60, 5120, false}, {4, 2048, true}} {
		t.Run(fmt.Sprintf("groups of %d, closed %v, segments of %d", c.group, c.closed, c.segmentBytes), func(t *testing.T) {
			all := journalOf(t, 60, c.group, c.segmentBytes, c.closed)
			name := newestSegment(all)
			whole := all[name]
			first, offsets := ends(whole)
			marked := len(whole) // from this length on it ends as it was left
			if c.closed {
				marked = offsets[len(offsets)-1] + 24
			}
			stride := 1
			if underRace {
				stride = 7 // one goroutine: there is no race to find
			}
			for cut := 0; cut <= len(whole); cut += stride {
				shorter, zeroed := first-1, first-1
				for _, end := range offsets {
					if end <= cut {
						shorter++
					}
					if end <= cut || len(bytes.Trim(whole[cut:end], "\x00")) == 0 {
						zeroed++ // all that is gone was zeros
					}
				}
				all[name] = whole[:cut]
				o := options(withFiles(all), c.segmentBytes)
				if cut < marked {
					checkRefusesCut(t, all, o, name, cut)
					o.AcceptCut = true
				}
				checkCut(t, o, cut, shorter)
				if cut >= 64 { // a header that is zeros in part was never on any disk
					all[name] = append(bytes.Clone(whole[:cut]), make([]byte, len(whole)-cut)...)
					o := options(withFiles(all), c.segmentBytes)
					if c.closed && zeroed < 60 {
						kept := 64 // beyond the cut if a record ends with zeros
						if zeroed >= first {
							kept = offsets[zeroed-first]
						}
						checkRefusesCut(t, all, o, name, max(cut, kept))
						o.AcceptCut = true
					}
					checkCut(t, o, cut, zeroed)
				}
			}
		})
	}
}

// checkRefusesCut wants the journal in o's file system, of these files, refused, and left
// as it is.
func checkRefusesCut(t *testing.T, all map[string][]byte, o journal.Options, name string, cut int) {
	t.Helper()
	_, err := journal.Open(dir, o)
	if damage := damageIn(err); damage == nil || !damage.CutShort || !strings.HasSuffix(damage.File, name) || damage.Offset > int64(cut) {
		t.Fatalf("cut at %d: %v", cut, err)
	}
	if left := o.FS.(*crashfs.FS).Bytes(dir + "/" + name); !bytes.Equal(left, all[name]) {
		t.Fatalf("cut at %d: a start that was refused has changed %s", cut, name)
	}
	if cut%5 != 0 {
		return // the rest takes its time
	}
	if r := mustLook(t, o.FS).Report; r.Whole() || r.Err.Error() != err.Error() {
		t.Fatalf("cut at %d: open says %v, a look %v", cut, err, r.Err)
	}
}

func checkCut(t *testing.T, o journal.Options, cut int, last uint64) {
	t.Helper()
	j, err := journal.Open(dir, o)
	if err != nil {
		t.Fatalf("cut at %d: %v", cut, err)
	}
	if r := j.Recovery(); r.Torn.CutShort != o.AcceptCut || o.AcceptCut && (r.Clean || r.Torn.Index != last+1) {
		t.Fatalf("cut at %d: not said: %+v", cut, r)
	}
	checkRecords(t, j, 1, last)
	fill(t, j, last+3, 2)
	o.FS, o.AcceptCut = o.FS.(*crashfs.FS).PowerLoss(uint64(cut)), false
	j = mustOpen(t, dir, o)
	checkRecords(t, j, 1, last+3)
}

// TestCutFilesOfOlderPrograms, which did not say how long they made them: one that ends
// within its header is refused all the same, and the others are torn as far as can be told.
func TestCutFilesOfOlderPrograms(t *testing.T) {
	all := journalOf(t, 60, 3, 2048, false)
	name := newestSegment(all)
	for _, content := range all {
		if len(content) > 64 {
			clear(content[48:56])
			rehead(content)
		}
	}
	checkRecords(t, mustOpen(t, dir, options(withFiles(all), 2048)), 1, 60)
	whole := all[name]
	first, offsets := ends(whole)
	all[name] = whole[:offsets[3]]
	j := mustOpen(t, dir, options(withFiles(all), 2048))
	checkRecords(t, j, 1, first+3)
	all[name] = whole[:63]
	if _, err := journal.Open(dir, options(withFiles(all), 2048)); damageIn(err) == nil {
		t.Error(err)
	}
}

// TestAcceptCutKeepsTheLength: what was accepted is whole from then on, also where
// segments are made shorter by now than that one was.
func TestAcceptCutKeepsTheLength(t *testing.T) {
	all := journalOf(t, 20, 3, 4096, true)
	name := newestSegment(all)
	all[name] = all[name][:500]
	o := options(withFiles(all), 1024)
	o.AcceptCut = true
	mustClose(t, mustOpen(t, dir, o))
	o.AcceptCut = false
	if r := mustOpen(t, dir, o).Recovery(); !r.Clean {
		t.Errorf("%+v", r)
	}
}
