package main

import (
	"bytes"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"testing"
)

// startBytes is how much memory a package of ours may ask for before main: errors, short
// lists and small maps take less, tables that are computed and compiled patterns more.
const startBytes = 4096

// TestNothingIsPreparedBeforeMain wants no package of ours to set up at start what
// only some runs need: every command would wait for it, also one that replays an empty
// log. It reads what the runtime says of this very program, which links the same
// packages.
func TestNothingIsPreparedBeforeMain(t *testing.T) {
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(exe, "-test.run=^$")
	cmd.Env = append(os.Environ(), "GODEBUG=inittrace=1")
	var trace bytes.Buffer
	cmd.Stderr = &trace
	if err := cmd.Run(); err != nil {
		t.Fatalf("%v\n%s", err, trace.Bytes())
	}
	line := regexp.MustCompile(`(?m)^init (github\.com/leasekeeper/lkactor/\S+) .* (\d+) bytes, \d+ allocs$`)
	packages := line.FindAllSubmatch(trace.Bytes(), -1)
	if len(packages) == 0 {
		t.Fatalf("the runtime names none of our packages:\n%s", trace.Bytes())
	}
	for _, p := range packages {
		if size, err := strconv.Atoi(string(p[2])); err != nil || size > startBytes {
			t.Errorf("package %s asks for %s bytes before main, want at most %d", p[1], p[2], startBytes)
		}
	}
}
