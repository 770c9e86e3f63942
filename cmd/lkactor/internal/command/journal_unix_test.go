//go:build unix

package command

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// A named pipe in place of a file of a journal holds nobody up: it is named and refused.
func TestJournalFilesThatAreNone(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "journal")
	serve(t, dir, someOps(), true)
	files, err := os.ReadDir(dir)
	if err != nil || len(files) < 4 {
		t.Fatalf("%v, %v", files, err)
	}
	for _, file := range files {
		path := filepath.Join(dir, file.Name())
		whole, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
		if err := syscall.Mkfifo(path, 0o600); err != nil {
			t.Fatal(err)
		}
		for _, args := range [][]string{{"verify", dir}, {"info", dir}, {"export", "--partial", dir}, {"bump", dir, "L", "70"}, {"accept-loss", dir}} {
			_, stderr := runBoth(t, ExitUnreadable, "", append([]string{"journal"}, args...)...)
			if !strings.Contains(stderr, path) || !strings.Contains(stderr, "no regular file") {
				t.Errorf("%s in place of %s: %s", args[0], file.Name(), stderr)
			}
		}
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, whole, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}
