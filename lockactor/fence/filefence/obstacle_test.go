package filefence

import (
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/leasekeeper/lkactor/lockactor/fence"
)

// tree gives everything below dir with what is in it, for comparing.
func tree(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, _ := filepath.Rel(dir, path)
		switch {
		case d.Type() == fs.ModeSymlink:
			all[name], err = os.Readlink(path)
		case d.IsDir():
			all[name] = "a directory"
		default:
			var data []byte
			data, err = os.ReadFile(path)
			all[name] = string(data)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func mustWrite(t *testing.T, path, content string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(content), 0o666); err != nil {
		t.Fatal(err)
	}
}

func mustMkdir(t *testing.T, path string) {
	t.Helper()
	if err := os.MkdirAll(path, 0o777); err != nil {
		t.Fatal(err)
	}
}

func mustLink(t *testing.T, to, link string) {
	t.Helper()
	if err := os.Symlink(to, link); err != nil {
		t.Fatal(err)
	}
}

// What can be known not to work is refused before the token is recorded, and
// changes nothing that anybody can see: neither where the name leads nor anywhere
// else.
func TestObstaclesAreMetBeforeTheRecord(t *testing.T) {
	long := strings.Repeat("n", 300)
	for _, c := range []struct {
		what, name string
		prepare    func(root, outside string)
		want       error // nil for any
	}{
		{"a directory of somebody's", "out", func(root, _ string) { mustMkdir(t, filepath.Join(root, "out", "theirs")) }, errNotOurs},
		{"an empty directory", "out", func(root, _ string) { mustMkdir(t, filepath.Join(root, "out")) }, errNotOurs},
		{"a file on the way", "a/out", func(root, _ string) { mustWrite(t, filepath.Join(root, "a"), "x") }, errNoDirectory},
		{"a link to a directory outside", "a/out", func(root, outside string) { mustLink(t, outside, filepath.Join(root, "a")) }, errLink},
		{"a relative link out of the root", "a/b/out", func(root, outside string) {
			mustMkdir(t, filepath.Join(root, "a"))
			mustLink(t, filepath.Join("..", "..", filepath.Base(outside)), filepath.Join(root, "a", "b"))
		}, errLink},
		{"a link to what is hidden", "a/out", func(root, _ string) { mustLink(t, hidden, filepath.Join(root, "a")) }, errLink},
		{"a link to the root", "a/out", func(root, _ string) { mustLink(t, ".", filepath.Join(root, "a")) }, errLink},
		{"a link to nothing", "a/out", func(root, outside string) { mustLink(t, outside+"/nothing", filepath.Join(root, "a")) }, errLink},
		{"a link to itself", "a/out", func(root, _ string) { mustLink(t, "a", filepath.Join(root, "a")) }, errLink},
		{"a link further down", "a/b/c/out", func(root, outside string) {
			mustMkdir(t, filepath.Join(root, "a", "b"))
			mustLink(t, outside, filepath.Join(root, "a", "b", "c"))
		}, errLink},
		{"a name with NUL", "out\x00", nil, fence.ErrInvalid},
		{"a name with NUL on the way", "a\x00/out", nil, fence.ErrInvalid},
		{"a name too long", long, nil, nil},
		{"a name too long below what is not there", "a/b/" + long, nil, nil},
		{"a name too long on the way", long + "/out", nil, nil},
		{"a path too long", strings.Repeat("a/", 3000) + "out", nil, nil},
	} {
		for _, kind := range kinds {
			root := newRoot(t)
			outside := filepath.Join(filepath.Dir(root), "outside")
			mustMkdir(t, outside)
			mustWrite(t, filepath.Join(outside, "kept"), "kept")
			p := New(root)
			if err := kind.publish(p, 71, "other", "old"); err != nil {
				t.Fatal(err)
			}
			if c.prepare != nil {
				c.prepare(root, outside)
			}
			before, beside := tree(t, root), tree(t, outside)
			err := kind.publish(p, 72, c.name, "new")
			if err == nil || c.want != nil && !errors.Is(err, c.want) || errors.Is(err, fence.ErrAmbiguous) {
				t.Errorf("%s, %s: %v, want %v", kind.name, c.what, err, c.want)
			}
			if token, err := p.Accepted(t.Context(), "s"); token != 71 || err != nil {
				t.Errorf("%s, %s: the token is %d %v", kind.name, c.what, token, err)
			}
			after := tree(t, root)
			for name := range after {
				_, known := before[name]
				if onTheWay := strings.HasPrefix(c.name, name+"/"); !known && (onTheWay || strings.HasPrefix(name, hidden+"/")) {
					delete(after, name) // a directory on the way may have been made, and one of ours
				}
			}
			if !maps.Equal(after, before) {
				t.Errorf("%s, %s: %q has become %q", kind.name, c.what, before, after)
			}
			if now := tree(t, outside); !maps.Equal(now, beside) {
				t.Errorf("%s, %s: outside there is %q now", kind.name, c.what, now)
			}
			nothingLeft(t, root)
		}
	}
}

// A published directory stays as it is, whatever another scope publishes: a name
// below it leads through its link.
func TestNothingIsPublishedIntoAPublishedDirectory(t *testing.T) {
	root := newRoot(t)
	p := New(root)
	if err := publishTree(p, 71, "d", "of s"); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"d/a", "d/in", "d/b/in", "d/b/c/d"} {
		for _, kind := range kinds {
			if err := kind.publish(p, 71, name, "x"); !errors.Is(err, errLink) {
				t.Errorf("%s %s, the same scope: %v", kind.name, name, err)
			}
		}
		err := p.File(t.Context(), "another", 900, name, func(f *os.File) error { _, err := f.WriteString("x"); return err })
		if !errors.Is(err, errLink) {
			t.Errorf("%s, another scope: %v", name, err)
		}
	}
	if got := content(t, root, "d"); got != "of s" {
		t.Errorf("%q", got)
	}
	if got := tree(t, root)["d/in"]; got != "" {
		t.Errorf("%q", got)
	}
}

// What is a link becomes no directory, and what is a directory no link, however
// late it turns up: also where the publisher has found a directory before.
func TestDirectoryBecomesALink(t *testing.T) {
	root := newRoot(t)
	outside := filepath.Join(filepath.Dir(root), "outside")
	mustMkdir(t, filepath.Join(outside, "b"))
	p := New(root)
	if err := publishFile(p, 71, "a/b/out", "old"); err != nil {
		t.Fatal(err)
	}
	err := p.File(t.Context(), "s", 72, "a/b/out", func(f *os.File) error {
		if err := os.RemoveAll(filepath.Join(root, "a")); err != nil {
			return err
		}
		return os.Symlink(outside, filepath.Join(root, "a"))
	})
	if !errors.Is(err, errLink) {
		t.Error(err)
	}
	if err := p.makeDurable(filepath.Join(root, "a")); !errors.Is(err, errLink) {
		t.Error(err)
	}
	if _, err := os.Lstat(filepath.Join(outside, "b", "out")); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
	if token, err := p.Accepted(t.Context(), "s"); token != 71 || err != nil {
		t.Errorf("%d %v", token, err)
	}
}

// The hidden directory is reached under no name that the disk takes for its own.
func TestHiddenByAnyName(t *testing.T) {
	root := newRoot(t)
	p := New(root)
	if err := publishFile(p, 71, "out", "x"); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{".FENCE", ".Fence/x", ".fencE/lock"} {
		if err := publishFile(p, 71, name, "x"); !errors.Is(err, fence.ErrInvalid) {
			t.Errorf("%q: %v", name, err)
		}
	}
	// As on a disk that folds more than case: another name of the same directory.
	info, err := os.Lstat(filepath.Join(root, hidden))
	if err != nil {
		t.Fatal(err)
	}
	if err := p.inTheWay(".fe\u200cnce", info, false); !errors.Is(err, errHidden) {
		t.Error(err)
	}
	if err := p.inTheWay("other", mustStat(t, filepath.Dir(root)), false); err != nil {
		t.Error(err)
	}
}

func mustStat(t *testing.T, path string) fs.FileInfo {
	t.Helper()
	info, err := os.Lstat(path)
	if err != nil {
		t.Fatal(err)
	}
	return info
}

// A root that is given relative to the working directory stays where it is when
// that changes, also for the job, which is told where to write.
func TestRelativeRoot(t *testing.T) {
	root, elsewhere := newRoot(t), t.TempDir()
	t.Chdir(filepath.Dir(root))
	p, s := New("root"), NewStore("./root")
	if err := publishFile(p, 71, "out", "old"); err != nil {
		t.Fatal(err)
	}
	t.Chdir(elsewhere)
	if err := publishFile(p, 72, "out", "new"); err != nil {
		t.Error(err)
	}
	if err := publishTree(p, 72, "deep/dir", "new"); err != nil {
		t.Error(err)
	}
	if err := s.Write(t.Context(), "s", "k", "v", 72); err != nil {
		t.Error(err)
	}
	if value, _, err := s.Read(t.Context(), "s", "k"); value != "v" || err != nil {
		t.Errorf("%q %v", value, err)
	}
	if got := content(t, root, "out") + content(t, root, "deep/dir"); got != "newnew" {
		t.Errorf("%q", got)
	}
	if got := tree(t, elsewhere); len(got) != 1 {
		t.Errorf("%q", got)
	}
}

// A root that is not there is not one in which nothing has been accepted.
func TestNoRoot(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	mustWrite(t, file, "x")
	for _, root := range []string{filepath.Join(t.TempDir(), "none"), file} {
		p, s := New(root), NewStore(root)
		if _, err := p.Accepted(t.Context(), "s"); err == nil {
			t.Errorf("%s: Accepted", root)
		}
		if _, _, err := s.Read(t.Context(), "s", "k"); err == nil {
			t.Errorf("%s: Read", root)
		}
		if err := publishFile(p, 71, "out", "x"); err == nil || errors.Is(err, fence.ErrStale) {
			t.Errorf("%s: %v", root, err)
		}
	}
}

// Tokens are under the root, and nowhere else where a link may lead.
func TestTokensAreUnderTheRoot(t *testing.T) {
	root, elsewhere := newRoot(t), newRoot(t)
	if err := publishFile(New(elsewhere), 71, "out", "x"); err != nil {
		t.Fatal(err)
	}
	mustLink(t, filepath.Join(elsewhere, hidden), filepath.Join(root, hidden))
	p := New(root)
	if _, err := p.Accepted(t.Context(), "s"); !errors.Is(err, errLink) {
		t.Errorf("Accepted: %v", err)
	}
	if _, _, err := NewStore(root).Read(t.Context(), "s", "k"); !errors.Is(err, errLink) {
		t.Errorf("Read: %v", err)
	}
	for _, kind := range kinds {
		if err := kind.publish(p, 72, "out", "x"); !errors.Is(err, errLink) {
			t.Errorf("%s: %v", kind.name, err)
		}
	}
	if token, err := New(elsewhere).Accepted(t.Context(), "s"); token != 71 || err != nil {
		t.Errorf("%d %v", token, err)
	}
}

// A job that takes its output away, or puts something else in its place, has
// published nothing: what is there then has not been made durable, or is a link to
// where anybody may write.
func TestOutputIsReplaced(t *testing.T) {
	root, elsewhere := newRoot(t), t.TempDir()
	p := New(root)
	for i, replace := range []func(path string) error{
		func(path string) error { return os.RemoveAll(path) },
		func(path string) error { return errors.Join(os.RemoveAll(path), os.Symlink(elsewhere, path)) },
		func(path string) error { return errors.Join(os.RemoveAll(path), os.Symlink("/dev/null", path)) },
		func(path string) error { return os.Rename(path, filepath.Join(elsewhere, "moved")) },
	} {
		err := p.Directory(t.Context(), "s", 71, "out", func(dir string) error { return replace(dir) })
		if err == nil {
			t.Errorf("directory, %d: no error", i)
		}
		err = p.File(t.Context(), "s", 71, "out", func(f *os.File) error { return replace(f.Name()) })
		if err == nil {
			t.Errorf("file, %d: no error", i)
		}
		os.RemoveAll(filepath.Join(elsewhere, "moved"))
	}
	err := p.Directory(t.Context(), "s", 71, "out", func(dir string) error {
		return errors.Join(os.Remove(dir), os.WriteFile(dir, []byte("a file"), 0o666))
	})
	if !errors.Is(err, errReplaced) {
		t.Errorf("a file for a directory: %v", err)
	}
	err = p.File(t.Context(), "s", 71, "out", func(f *os.File) error {
		return errors.Join(os.Remove(f.Name()), os.WriteFile(f.Name(), []byte("another"), 0o666))
	})
	if !errors.Is(err, errReplaced) {
		t.Errorf("another file: %v", err)
	}
	if _, err := os.Lstat(filepath.Join(root, "out")); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
	if token, err := p.Accepted(t.Context(), "s"); token != 0 || err != nil {
		t.Errorf("%d %v", token, err)
	}
	nothingLeft(t, root)

	// Another directory in place of the one it was given is a directory.
	err = p.Directory(t.Context(), "s", 71, "out", func(dir string) error {
		made := filepath.Join(elsewhere, "made")
		return errors.Join(os.Remove(dir), os.Mkdir(made, 0o777), os.WriteFile(filepath.Join(made, "a"), []byte("x"), 0o666), os.Rename(made, dir))
	})
	if data, _ := os.ReadFile(filepath.Join(root, "out", "a")); err != nil || string(data) != "x" {
		t.Errorf("%v %q", err, data)
	}
}

// A rename that fails for a reason that nobody could tell beforehand leaves the
// old output, nothing half done, and a token that only refuses more.
func TestRenameFails(t *testing.T) {
	for _, kind := range kinds {
		root := newRoot(t)
		p := New(root)
		if err := kind.publish(p, 71, "out", "old"); err != nil {
			t.Fatal(err)
		}
		p.disk = stubborn{target: filepath.Join(root, "out")}
		err := kind.publish(p, 72, "out", "new")
		if !errors.Is(err, errDead) || errors.Is(err, fence.ErrAmbiguous) {
			t.Errorf("%s: %v", kind.name, err)
		}
		if got := content(t, root, "out"); got != "old" {
			t.Errorf("%s: %q", kind.name, got)
		}
		nothingLeft(t, root)
		if versions, _ := filepath.Glob(filepath.Join(root, hidden, "*", "trees", "*", "*")); len(versions) > 1 {
			t.Errorf("%s: %q", kind.name, versions)
		}
		p.disk = posix{}
		var stale *fence.StaleError
		if err := kind.publish(p, 71, "out", "late"); !errors.As(err, &stale) || stale.Accepted != 72 {
			t.Errorf("%s: %v", kind.name, err)
		}
		if err := kind.publish(p, 72, "out", "new"); err != nil || content(t, root, "out") != "new" {
			t.Errorf("%s: %v", kind.name, err)
		}
	}
}

// stubborn renames nothing to target.
type stubborn struct {
	posix
	target string
}

func (s stubborn) rename(from, to string) error {
	if to == s.target {
		return errDead
	}
	return s.posix.rename(from, to)
}
