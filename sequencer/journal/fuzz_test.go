package journal_test

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/leasekeeper/lkactor/sequencer/journal"
)

// FuzzOpen overwrites any part of the newest segment with anything: what opens is
// a beginning of what was written, and look and open agree.
func FuzzOpen(f *testing.F) {
	f.Add(uint16(0), []byte{1})
	f.Add(uint16(70), []byte{0, 0, 0, 0, 0, 0, 0, 0})
	f.Add(uint16(2000), bytes.Repeat([]byte{0xff}, 100))
	f.Add(uint16(80), []byte{0xff, 0xff, 0xff, 0x7f})
	all := journalOf(f, 60, 3, 8192, true)
	name := newestSegment(all)
	whole := all[name]
	f.Fuzz(func(t *testing.T, at uint16, over []byte) {
		damaged := bytes.Clone(whole)
		copy(damaged[int(at)%len(damaged):], over)
		one := map[string][]byte{"manifest": all["manifest"], name: damaged}
		fs := withFiles(one)
		v, lookErr := journal.Look(fs, dir)
		if lookErr != nil {
			t.Fatal(lookErr)
		}
		j, err := journal.Open(dir, options(fs, 8192))
		if fmt.Sprint(err) != fmt.Sprint(v.Report.Err) {
			t.Fatalf("open says %v, look says %v", err, v.Report.Err)
		}
		if err != nil {
			return
		}
		if j.LastIndex() > 60 {
			t.Fatalf("%d records", j.LastIndex())
		}
		checkRecords(t, j, 1, j.LastIndex())
	})
}
