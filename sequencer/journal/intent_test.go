package journal_test

import (
	"bytes"
	"maps"
	"strings"
	"testing"

	"github.com/leasekeeper/lkactor/sequencer/journal"
	"github.com/leasekeeper/lkactor/sequencer/journal/crashfs"
)

// manifestsOf collects every manifest that comes to be in a directory while do works.
func manifestsOf(t *testing.T, fs *crashfs.FS, do func()) map[string]bool {
	t.Helper()
	seen := map[string]bool{}
	fs.Before(func(crashfs.Op) {
		if content := fs.Bytes(dir + "/manifest"); content != nil {
			seen[string(content)] = true
		}
	})
	do()
	fs.Before(nil)
	return seen
}

// TestOldManifests puts every manifest that a directory ever had back into it later, used
// on: the first one of all, with which a new directory is made, and those with which it
// was emptied and cut. The start is refused and nothing changes, or nothing is lost.
func TestOldManifests(t *testing.T) {
	fs := crashfs.New(1)
	old := manifestsOf(t, fs, func() {
		j := mustOpen(t, dir, options(fs, 1024))
		fill(t, j, 30, 2)
		if err := j.Reset(50); err != nil {
			t.Fatal(err)
		}
		fill(t, j, 70, 2)
		if err := j.TruncateAfter(60); err != nil {
			t.Fatal(err)
		}
		fill(t, j, 100, 2)
		if err := j.ReleaseBefore(55); err != nil {
			t.Fatal(err)
		}
		fill(t, j, 120, 2)
		mustClose(t, j)
	})
	if len(old) < 6 {
		t.Fatalf("only %d manifests", len(old))
	}
	refused := 0
	for manifest := range old {
		all := files(t, fs)
		all["manifest"] = []byte(manifest)
		used := withFiles(all)
		j, err := journal.Open(dir, options(used, 1024))
		if err == nil {
			checkRecords(t, j, j.FirstIndex(), 120)
			if j.FirstIndex() > 55 {
				t.Errorf("begins with %d", j.FirstIndex())
			}
			continue
		}
		refused++
		if damageIn(err) == nil {
			t.Error(err)
		}
		left := files(t, used)
		delete(left, "lock")
		delete(all, "lock")
		if !maps.EqualFunc(left, all, bytes.Equal) {
			t.Error("a start that was refused has changed something")
		}
	}
	if refused < 4 {
		t.Errorf("%d of %d refused", refused, len(old))
	}
}

// TestTheFirstManifestPutBack says what is wrong.
func TestTheFirstManifestPutBack(t *testing.T) {
	fs := crashfs.New(1)
	var first []byte
	fs.Before(func(crashfs.Op) {
		if first == nil {
			first = fs.Bytes(dir + "/manifest")
		}
	})
	j := mustOpen(t, dir, options(fs, 1024))
	fs.Before(nil)
	fill(t, j, 30, 2)
	mustClose(t, j)
	all := files(t, fs)
	all["manifest"] = first
	_, err := journal.Open(dir, options(withFiles(all), 1024))
	if damage := damageIn(err); damage == nil || !strings.HasSuffix(damage.File, "manifest") || !strings.Contains(damage.Why, "older") {
		t.Errorf("%v", err)
	}
	if r := mustLook(t, withFiles(all)).Report; r.Whole() {
		t.Error("a look finds nothing wrong")
	}
	// With nothing but a snapshot left of it all, too.
	for name := range all {
		if strings.HasPrefix(name, "segment-") {
			delete(all, name)
		}
	}
	all["snapshot-00000000000000000030"] = []byte("whatever")
	if _, err := journal.Open(dir, options(withFiles(all), 1024)); damageIn(err) == nil {
		t.Errorf("%v", err)
	}
}
