//go:build unix

package filefence

import (
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/leasekeeper/lkactor/actors/lease"
)

// The power fails. What a kill leaves is what everybody saw; what a power
// failure leaves may be less: an entry of a directory that was not synced may be
// there or not, and a file that was not synced may have anything in it. These
// tests record what a publisher does to a disk, and then look at every state in
// which the disk can be after each step.

// entry is what a directory has under a name.
type entry struct {
	inode uint64
	dir   bool
	link  string // where it leads, if it is a link
}

// change is one change of an entry; a nil entry removes it.
type change struct {
	name string
	to   *entry
}

// platter is what is on the disk for certain, and what may be.
type platter struct {
	root    uint64
	dirs    map[uint64]map[string]entry
	pending map[uint64][]change // in order, by directory
	files   map[uint64]string   // synced content; others are torn
}

const torn = "\x00torn"

func (p *platter) clone() *platter {
	c := &platter{root: p.root, dirs: map[uint64]map[string]entry{}, pending: map[uint64][]change{}, files: maps.Clone(p.files)}
	for inode, entries := range p.dirs {
		c.dirs[inode] = maps.Clone(entries)
	}
	for inode, changes := range p.pending {
		if len(changes) > 0 {
			c.pending[inode] = slices.Clone(changes)
		}
	}
	return c
}

// recorder is a disk that keeps, for every step, what the platter is like after
// it.
type recorder struct {
	posix
	now     *platter
	history []*platter
	steps   []string
}

func newRecorder(root string) *recorder {
	inode := look(root).inode
	p := &platter{root: inode, dirs: map[uint64]map[string]entry{inode: {}}, pending: map[uint64][]change{}, files: map[uint64]string{}}
	return &recorder{now: p}
}

func look(path string) entry {
	info, err := os.Lstat(path)
	if err != nil {
		panic(err)
	}
	e := entry{inode: info.Sys().(*syscall.Stat_t).Ino, dir: info.IsDir()}
	if info.Mode().Type() == fs.ModeSymlink {
		e.link, _ = os.Readlink(path)
	}
	return e
}

func (r *recorder) did(step, path string) {
	r.history = append(r.history, r.now.clone())
	r.steps = append(r.steps, step+" "+short(path))
}

// change says that the entry path has become what it is now, or is gone.
func (r *recorder) change(path string, gone bool) {
	c := change{name: filepath.Base(path)}
	if !gone {
		e := look(path)
		c.to = &e
	}
	parent := look(filepath.Dir(path)).inode
	r.now.pending[parent] = append(r.now.pending[parent], c)
}

func (r *recorder) mkdir(path string) error {
	_, err := os.Lstat(path)
	known := err == nil
	if err := r.posix.mkdir(path); err != nil || known {
		return err
	}
	r.now.dirs[look(path).inode] = map[string]entry{}
	r.change(path, false)
	r.did("mkdir", path)
	return nil
}

func (r *recorder) create(path string) (*os.File, error) {
	f, err := r.posix.create(path)
	if err == nil {
		delete(r.now.files, look(path).inode) // of whoever had the number before
		r.change(path, false)
		r.did("create", path)
	}
	return f, err
}

func (r *recorder) sync(f *os.File) error { return r.syncPath(f.Name()) }

func (r *recorder) syncPath(path string) error {
	if err := r.posix.syncPath(path); err != nil {
		return err
	}
	e := look(path)
	if e.dir {
		entries, err := os.ReadDir(path)
		if err != nil {
			return err
		}
		r.now.dirs[e.inode] = map[string]entry{}
		for _, inner := range entries {
			r.now.dirs[e.inode][inner.Name()] = look(filepath.Join(path, inner.Name()))
		}
		delete(r.now.pending, e.inode)
	} else {
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		r.now.files[e.inode] = string(data)
	}
	r.did("sync", path)
	return nil
}

func (r *recorder) rename(from, to string) error {
	if err := r.posix.rename(from, to); err != nil {
		return err
	}
	r.change(to, false)
	r.change(from, true)
	r.did("rename to", to)
	return nil
}

func (r *recorder) symlink(target, link string) error {
	if err := r.posix.symlink(target, link); err != nil {
		return err
	}
	r.change(link, false)
	r.did("link", link)
	return nil
}

func (r *recorder) remove(path string) error {
	return r.removeAll(path)
}

func (r *recorder) removeAll(path string) error {
	if err := r.posix.removeAll(path); err != nil {
		return err
	}
	r.change(path, true)
	r.did("remove", path)
	return nil
}

// outcomes gives every state in which the platter can be found: of each
// directory the changes up to some point have reached it.
func (p *platter) outcomes(visit func(*platter)) {
	var open []uint64
	for _, inode := range slices.Sorted(maps.Keys(p.pending)) {
		if len(p.pending[inode]) > 0 {
			open = append(open, inode)
		}
	}
	var choose func(p *platter, open []uint64)
	choose = func(p *platter, open []uint64) {
		if len(open) == 0 {
			visit(p)
			return
		}
		found := p.clone()
		choose(found, open[1:])
		for _, c := range p.pending[open[0]] {
			if found.dirs[open[0]] == nil {
				found.dirs[open[0]] = map[string]entry{}
			}
			if c.to == nil {
				delete(found.dirs[open[0]], c.name)
			} else {
				found.dirs[open[0]][c.name] = *c.to
			}
			choose(found.clone(), open[1:])
		}
	}
	choose(p, open)
}

// find follows path from the root; ok is false if it leads nowhere.
func (p *platter) find(path string) (e entry, ok bool) {
	e = entry{inode: p.root, dir: true}
	parts := strings.Split(path, "/")
	for i, part := range parts {
		if e, ok = p.dirs[e.inode][part]; !ok {
			return e, false
		}
		if e.link != "" {
			rest := append([]string{filepath.Join(strings.Join(parts[:i], "/"), e.link)}, parts[i+1:]...)
			return p.find(strings.Join(rest, "/"))
		}
	}
	return e, true
}

// read gives the content of the file path, "" if there is none.
func (p *platter) read(path string) string {
	e, ok := p.find(path)
	if !ok {
		return ""
	}
	content, synced := p.files[e.inode]
	if !synced {
		return torn
	}
	return content
}

// published gives what a reader would find.
func (p *platter) published(directory bool, name string) string {
	if !directory {
		return p.read(name)
	}
	a, d := p.read(name+"/a"), p.read(name+"/b/c/d")
	if a != d {
		return fmt.Sprintf("a mix of %q and %q", a, d)
	}
	return a
}

// After a power failure at any step the old or the new is there, whole; the new
// only with its token; and once Publish has answered, the new for certain.
func TestPowerFailsAtEveryStep(t *testing.T) {
	for _, kind := range kinds {
		root := newRoot(t)
		disk := newRecorder(root)
		p := &Publisher{root: root, disk: disk}
		publish := func(token lease.Token, content string) (until int) {
			t.Helper()
			if err := kind.publish(p, token, "deep/out", content); err != nil {
				t.Fatal(err)
			}
			return len(disk.history)
		}
		first := publish(71, "old")
		second := publish(72, "new")
		third := publish(72, "newest")

		token := filepath.Join(hidden, digest("s"), "token")
		states := 0
		for i, state := range disk.history {
			// What must be there, and what may.
			lawful := map[bool][]string{true: {"", "old"}, false: {"old", "new"}}[i < first]
			if i >= second {
				lawful = []string{"new", "newest"}
			}
			certain := map[int]string{first - 1: "old", second - 1: "new", third - 1: "newest"}[i]
			state.outcomes(func(found *platter) {
				states++
				got := found.published(kind.name == "directory", "deep/out")
				mark := found.read(token)
				switch {
				case !slices.Contains(lawful, got):
					t.Errorf("%s, power fails after step %d (%s): found %q", kind.name, i, disk.steps[i], got)
				case certain != "" && got != certain:
					t.Errorf("%s: %q was published, and after a power failure there is %q", kind.name, certain, got)
				case mark == torn, got == "old" && mark == "", strings.HasPrefix(got, "new") && !strings.Contains(mark, "72"):
					t.Errorf("%s, power fails after step %d (%s): %q under the token %q", kind.name, i, disk.steps[i], got, mark)
				}
			})
		}
		if states < 2*len(disk.history) {
			t.Errorf("%s: only %d states after %d steps", kind.name, states, len(disk.history))
		}
		t.Logf("%s: %d states after %d steps", kind.name, states, len(disk.history))
	}
}

// The order of the steps, for people.
func TestStepsInOrder(t *testing.T) {
	root := newRoot(t)
	disk := newRecorder(root)
	p := &Publisher{root: root, disk: disk}
	if err := publishTree(p, 71, "out", "old"); err != nil {
		t.Fatal(err)
	}
	disk.steps = nil
	if err := publishTree(p, 72, "out", "new"); err != nil {
		t.Fatal(err)
	}
	want := []string{
		"mkdir root/.fence/<digest>/stage-<id>",
		"mkdir root/.fence/<digest>/stage-<id>/output",
		"sync root/.fence/<digest>/stage-<id>/output/a",
		"sync root/.fence/<digest>/stage-<id>/output/b/c/d",
		"sync root/.fence/<digest>/stage-<id>/output/b/c",
		"sync root/.fence/<digest>/stage-<id>/output/b",
		"sync root/.fence/<digest>/stage-<id>/output",
		"rename to root/.fence/<digest>/trees/<digest>/<id>",
		"sync root/.fence/<digest>/trees/<digest>",
		"link root/.fence/<digest>/link-<id>",
		"create root/.fence/<digest>/token-<id>",
		"sync root/.fence/<digest>/token-<id>",
		"rename to root/.fence/<digest>/token",
		"sync root/.fence/<digest>",
		"rename to root/out",
		"sync root",
		"remove root/.fence/<digest>/stage-<id>",
	}
	if !slices.Equal(disk.steps, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(disk.steps, "\n"), strings.Join(want, "\n"))
	}
}
