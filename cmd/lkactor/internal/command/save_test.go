package command

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func contents(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// A file is replaced when the new one is whole, and not before; nothing is left over.
func TestSave(t *testing.T) {
	dir := t.TempDir()
	name, link := filepath.Join(dir, "out.svg"), filepath.Join(dir, "link.svg")
	if err := os.Symlink("out.svg", link); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte("old"), 0o640); err != nil {
		t.Fatal(err)
	}
	half := errors.New("half-way")
	long := strings.Repeat("x", 1<<20)
	err := save(link, func(w io.Writer) error {
		io.WriteString(w, long)
		if now := contents(t, name); now != "old" {
			t.Errorf("while it is written the file has %d bytes", len(now))
		}
		return half
	})
	if err != half || contents(t, name) != "old" {
		t.Errorf("%v, the file has %.10q", err, contents(t, name))
	}
	if err := save(link, func(w io.Writer) error { _, err := io.WriteString(w, "new"); return err }); err != nil || contents(t, name) != "new" {
		t.Errorf("%v, the file has %.10q", err, contents(t, name))
	}
	info, err := os.Lstat(link)
	if err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link is %v, %v", info.Mode(), err)
	}
	if info, err = os.Stat(name); err != nil || info.Mode().Perm() != 0o640 {
		t.Errorf("the file is %v, %v", info.Mode(), err)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "*.part")); len(left) > 0 {
		t.Errorf("left over: %v", left)
	}
}

// A timeline never overwrites the log that it is drawn from, by whatever name.
func TestTimelineOverItsLog(t *testing.T) {
	dir := t.TempDir()
	log := filepath.Join(dir, "log.svg")
	const text = `[["acquire",0,"a","L",5]]`
	if err := os.WriteFile(log, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	symbolic, hard := filepath.Join(dir, "symbolic.svg"), filepath.Join(dir, "hard.svg")
	if err := errors.Join(os.Symlink(log, symbolic), os.Link(log, hard)); err != nil {
		t.Fatal(err)
	}
	for _, output := range []string{log, symbolic, hard, filepath.Join(dir, ".", "log.svg")} {
		for _, input := range []string{log, "-"} {
			stdin, err := os.Open(log)
			if err != nil {
				t.Fatal(err)
			}
			code, _, stderr := invoke(t, []string{"timeline", "--format", "array", input, "-o", output}, stdin)
			stdin.Close()
			if code != 2 || !strings.Contains(stderr, "is the log itself, which would be lost") || contents(t, log) != text {
				t.Errorf("%s to %s: exit code %d, stderr %q, the log is %.40q", input, output, code, stderr, contents(t, log))
			}
		}
	}
	// A copy may be replaced.
	other := filepath.Join(dir, "other.svg")
	if err := os.WriteFile(other, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if code, _, stderr := invoke(t, []string{"timeline", "--format", "array", log, "-o", other}, nil); code != 0 || !strings.HasPrefix(contents(t, other), "<svg") {
		t.Errorf("exit code %d, stderr %q", code, stderr)
	}
}
