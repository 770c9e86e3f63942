package filefence

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/leasekeeper/lkactor/actors/lease"
	"github.com/leasekeeper/lkactor/lockactor/fence"
	"github.com/leasekeeper/lkactor/lockactor/fence/fencetest"
)

// newRoot gives an empty root whose path ends in /root.
func newRoot(t *testing.T) string {
	t.Helper()
	root := filepath.Join(t.TempDir(), "root")
	if err := os.Mkdir(root, 0o777); err != nil {
		t.Fatal(err)
	}
	return root
}

// The kit, with the process dying before every step that a write takes on disk.
func TestKit(t *testing.T) {
	root := newRoot(t)
	fencetest.Run(t, func() fence.Store { return NewStore(root) },
		fencetest.WithDeath(func(step int) fence.Store {
			return Store{&Publisher{root: root, disk: newMortal(step, nil)}}
		}))
}

func publishFile(p *Publisher, token lease.Token, name, content string) error {
	return p.File(context.Background(), "s", token, name, func(f *os.File) error {
		_, err := f.WriteString(content)
		return err
	})
}

// publishTree publishes a directory of two files, one of them further down.
func publishTree(p *Publisher, token lease.Token, name, content string) error {
	return p.Directory(context.Background(), "s", token, name, func(dir string) error {
		if err := os.MkdirAll(filepath.Join(dir, "b", "c"), 0o777); err != nil {
			return err
		}
		return errors.Join(
			os.WriteFile(filepath.Join(dir, "a"), []byte(content), 0o666),
			os.WriteFile(filepath.Join(dir, "b", "c", "d"), []byte(content), 0o666))
	})
}

// content gives what is published as name: that of a file, or that which all
// files of a directory agree on; "" for nothing.
func content(t *testing.T, root, name string) string {
	t.Helper()
	path := filepath.Join(root, name)
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return ""
	}
	if err != nil {
		t.Fatal(err)
	}
	files := []string{path}
	if info.IsDir() {
		files = []string{filepath.Join(path, "a"), filepath.Join(path, "b", "c", "d")}
	}
	var all []string
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatalf("half a directory: %v", err)
		}
		if all = append(all, string(data)); all[0] != string(data) {
			t.Fatalf("a mix of two versions: %q", all)
		}
	}
	return all[0]
}

// kinds are the two things that can be published, each under a plain name and
// under one further down.
var kinds = []struct {
	name    string
	publish func(p *Publisher, token lease.Token, name, content string) error
}{
	{"file", publishFile},
	{"directory", publishTree},
}

func TestF1_StalePublishIsRefused(t *testing.T) {
	for _, kind := range kinds {
		for _, name := range []string{"out", "deep/er/out"} {
			root := newRoot(t)
			a, b := New(root), New(root)
			for i, step := range []struct {
				p       *Publisher
				token   lease.Token
				content string
				want    error
				now     string
			}{
				{a, 71, "a1", nil, "a1"},
				{a, 71, "a2", nil, "a2"},
				{b, 72, "b1", nil, "b1"},
				{a, 71, "late", fence.ErrStale, "b1"},
				{b, 72, "b2", nil, "b2"},
				{a, 70, "later", fence.ErrStale, "b2"},
			} {
				if err := kind.publish(step.p, step.token, name, step.content); !errors.Is(err, step.want) {
					t.Errorf("%s %s, step %d: %v", kind.name, name, i, err)
				}
				if got := content(t, root, name); got != step.now {
					t.Errorf("%s %s, step %d: %q, want %q", kind.name, name, i, got, step.now)
				}
			}
			if token, err := a.Accepted(t.Context(), "s"); token != 72 || err != nil {
				t.Errorf("%d %v", token, err)
			}
			nothingLeft(t, root)
		}
	}
}

// A job that is overtaken while it writes its output is refused at the end of
// it: what it had found at the beginning protects nothing.
func TestF1_OvertakenWhileWriting(t *testing.T) {
	root := newRoot(t)
	a, b := New(root), New(root)
	err := a.File(t.Context(), "s", 71, "out", func(f *os.File) error {
		if err := publishFile(b, 72, "out", "b"); err != nil {
			return err
		}
		_, err := f.WriteString("a")
		return err
	})
	var stale *fence.StaleError
	if want := (fence.StaleError{Scope: "s", Refused: 71, Accepted: 72}); !errors.As(err, &stale) || *stale != want {
		t.Errorf("%v", err)
	}
	if got := content(t, root, "out"); got != "b" {
		t.Errorf("%q", got)
	}
	nothingLeft(t, root)
}

// An owner that is stale from the start is refused before it has written all of
// its output for nothing.
func TestStaleFromTheStart(t *testing.T) {
	p := New(newRoot(t))
	if err := publishFile(p, 72, "out", "b"); err != nil {
		t.Fatal(err)
	}
	err := p.File(t.Context(), "s", 71, "out", func(*os.File) error { t.Error("written in vain"); return nil })
	if !errors.Is(err, fence.ErrStale) {
		t.Error(err)
	}
}

// nothingLeft wants no stage and no file on its way to be lying around.
func nothingLeft(t *testing.T, root string) {
	t.Helper()
	err := filepath.WalkDir(filepath.Join(root, hidden), func(path string, d fs.DirEntry, err error) error {
		if strings.Contains(d.Name(), "-") {
			t.Errorf("%s is left over", short(path))
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

// A published directory is a link, relative so that the root can be moved; the
// version before is kept for readers, the ones before that are not.
func TestDirectoryIsALink(t *testing.T) {
	root := newRoot(t)
	p := New(root)
	var links []string
	for i := range 4 {
		if err := publishTree(p, 71, "deep/out", fmt.Sprint(i)); err != nil {
			t.Fatal(err)
		}
		link, err := os.Readlink(filepath.Join(root, "deep", "out"))
		if err != nil || filepath.IsAbs(link) {
			t.Fatalf("%q %v", link, err)
		}
		links = append(links, filepath.Join("deep", link))
	}
	for i, link := range links {
		_, err := os.Stat(filepath.Join(root, link))
		if kept := i >= 2; (err == nil) != kept {
			t.Errorf("version %d of 4: %v", i, err)
		}
	}
	moved := root + "-moved"
	if err := os.Rename(root, moved); err != nil {
		t.Fatal(err)
	}
	if got := content(t, moved, "deep/out"); got != "3" {
		t.Errorf("%q after the root was moved", got)
	}
}

// A directory that somebody made by hand is not ours to replace.
func TestForeignDirectoryStays(t *testing.T) {
	root := newRoot(t)
	if err := os.MkdirAll(filepath.Join(root, "out", "theirs"), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := publishTree(New(root), 71, "out", "a"); !errors.Is(err, errNotOurs) {
		t.Error(err)
	}
	if _, err := os.Stat(filepath.Join(root, "out", "theirs")); err != nil {
		t.Error(err)
	}
}

// A file becomes a directory and the other way round.
func TestKindsChange(t *testing.T) {
	root := newRoot(t)
	p := New(root)
	for i, kind := range []int{0, 1, 0, 1} {
		if err := kinds[kind].publish(p, 71, "out", fmt.Sprint(i)); err != nil {
			t.Errorf("step %d: %v", i, err)
		}
		if got := content(t, root, "out"); got != fmt.Sprint(i) {
			t.Errorf("step %d: %q", i, got)
		}
	}
}

// The job's own error comes back, and nothing has changed.
func TestOutputFails(t *testing.T) {
	root, mine := newRoot(t), errors.New("mine")
	p := New(root)
	if err := publishFile(p, 71, "out", "old"); err != nil {
		t.Fatal(err)
	}
	err := p.File(t.Context(), "s", 72, "out", func(f *os.File) error { f.WriteString("half"); return mine })
	if !errors.Is(err, mine) {
		t.Error(err)
	}
	err = p.Directory(t.Context(), "s", 72, "out", func(string) error { return mine })
	if !errors.Is(err, mine) {
		t.Error(err)
	}
	func() {
		defer func() {
			if recover() != "mine" {
				t.Error("the panic did not get through")
			}
		}()
		_ = p.File(t.Context(), "s", 72, "out", func(*os.File) error { panic("mine") })
	}()
	if got := content(t, root, "out"); got != "old" {
		t.Errorf("%q", got)
	}
	if token, err := p.Accepted(t.Context(), "s"); token != 71 || err != nil {
		t.Errorf("%d %v", token, err)
	}
	nothingLeft(t, root)
}

// A context that ends while the output is written, or while somebody else has
// the scope's lock, ends the matter.
func TestContextEnds(t *testing.T) {
	root := newRoot(t)
	p := New(root)
	ctx, cancel := context.WithCancel(t.Context())
	err := p.File(ctx, "s", 71, "out", func(*os.File) error { cancel(); return nil })
	if !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	l, err := lock(t.Context(), filepath.Join(p.scopeDir("s"), "lock"))
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	ctx, cancel = context.WithCancel(t.Context())
	ended := make(chan error)
	go func() { ended <- p.File(ctx, "s", 71, "out", func(*os.File) error { return nil }) }()
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if got := content(t, root, "out"); got != "" {
		t.Errorf("%q", got)
	}
}

// Names that lead out of the root, or into what is hidden, are none.
func TestNames(t *testing.T) {
	p := New(newRoot(t))
	for _, name := range []string{"", ".", "..", "../out", "/out", "a/../../out", "a//b", "a/", "./a", hidden, hidden + "/x", "b/.fence", "b/.Fence/x"} {
		if err := publishFile(p, 71, name, "x"); !errors.Is(err, fence.ErrInvalid) {
			t.Errorf("%q: %v", name, err)
		}
	}
	for _, name := range []string{"a b", "...", ".hidden", "b/.fences", "fence", "-rf", "\u00e9", "$HOME", "a\nb"} {
		if err := publishFile(p, 71, name, "x"); err != nil {
			t.Errorf("%q: %v", name, err)
		}
	}
}

// A token file that says nothing, or something else, is not taken for none.
func TestDamagedToken(t *testing.T) {
	root := newRoot(t)
	p := New(root)
	if err := publishFile(p, 71, "out", "a"); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(p.scopeDir("s"), "token")
	for _, bad := range []string{"", "{}", "7", `{"scope":"t","token":1}`, `{"scope":"s","token":0}`, `{"scope":"s"`} {
		if err := os.WriteFile(path, []byte(bad), 0o666); err != nil {
			t.Fatal(err)
		}
		if err := publishFile(p, 99, "out", "b"); err == nil || errors.Is(err, fence.ErrStale) {
			t.Errorf("%q: %v", bad, err)
		}
		if _, err := p.Accepted(t.Context(), "s"); err == nil {
			t.Errorf("%q: Accepted", bad)
		}
	}
	if got := content(t, root, "out"); got != "a" {
		t.Errorf("%q", got)
	}
}
