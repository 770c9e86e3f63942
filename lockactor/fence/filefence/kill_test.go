//go:build unix

package filefence

import (
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"syscall"
	"testing"
)

// The test binary, started with these set, is a process that publishes once and
// kills itself at a step.
const (
	victimRoot = "FILEFENCE_VICTIM_ROOT"
	victimStep = "FILEFENCE_VICTIM_STEP"
	victimKind = "FILEFENCE_VICTIM_KIND"
)

func TestMain(m *testing.M) {
	if root := os.Getenv(victimRoot); root != "" {
		os.Exit(victim(root))
	}
	os.Exit(m.Run())
}

func victim(root string) int {
	step, _ := strconv.Atoi(os.Getenv(victimStep))
	kind, _ := strconv.Atoi(os.Getenv(victimKind))
	disk := newMortal(step, func() {
		_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
		select {} // until the signal arrives
	})
	if err := kinds[kind].publish(&Publisher{root: root, disk: disk}, 72, "deep/out", "new"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// A process is killed before each of its steps on disk, one after the other. It
// leaves the old or the new, no lock, and nothing that the next one does not
// clean up.
func TestKilledAtEveryStep(t *testing.T) {
	const maxSteps = 100
	for kind := range kinds {
		step := 0
		for ; step < maxSteps; step++ {
			root := newRoot(t)
			p := New(root)
			if err := kinds[kind].publish(p, 71, "deep/out", "old"); err != nil {
				t.Fatal(err)
			}
			killed := run(t, root, kind, step)
			where := fmt.Sprintf("%s, killed at step %d", kinds[kind].name, step)
			token, err := p.Accepted(t.Context(), "s")
			if err != nil {
				t.Fatalf("%s: %v", where, err)
			}
			switch got := content(t, root, "deep/out"); {
			case got == "old" && killed && (token == 71 || token == 72):
			case got == "new" && token == 72:
			default:
				t.Errorf("%s: %q under token %d", where, got, token)
			}
			for _, heir := range []string{"heir", "heir again"} {
				if err := kinds[kind].publish(p, 73, "deep/out", heir); err != nil {
					t.Errorf("%s: the next owner: %v", where, err)
				}
				if got := content(t, root, "deep/out"); got != heir {
					t.Errorf("%s: %q after %q was published", where, got, heir)
				}
			}
			nothingLeft(t, root)
			if !killed {
				break
			}
		}
		if step < 8 || step == maxSteps {
			t.Errorf("%s: %d steps; the killing misses the point", kinds[kind].name, step)
		}
		t.Logf("%s: killed at each of %d steps", kinds[kind].name, step)
	}
}

func run(t *testing.T, root string, kind, step int) (killed bool) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), victimRoot+"="+root, victimStep+"="+strconv.Itoa(step), victimKind+"="+strconv.Itoa(kind))
	out, err := cmd.CombinedOutput()
	if err == nil {
		return false
	}
	if status, ok := cmd.ProcessState.Sys().(syscall.WaitStatus); !ok || status.Signal() != syscall.SIGKILL {
		t.Fatalf("step %d: %v\n%s", step, err, out)
	}
	return true
}
