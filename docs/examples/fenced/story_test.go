package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/leasekeeper/lkactor/lockactor/fence/storetest/servers"
)

// The story, with and without the fence, in one PostgreSQL.
func TestStory(t *testing.T) {
	binary := filepath.Join(t.TempDir(), "fenced")
	if out, err := exec.Command("go", "build", "-o", binary, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	server, err := servers.Postgres()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := server.Stop(); err != nil {
			t.Error(err)
		}
	})
	begin := []string{
		"A holds exports/daily with token 1",
		"A is stopped",
		"B holds exports/daily with token 2",
		"B has written 3 rows",
		"A continues",
	}
	for _, c := range []struct {
		name string
		args []string
		end  []string
	}{
		{"fenced", nil, []string{
			"A is refused: its token is 1, and 2 has written since",
			"the table:",
			"  part 1 by B with token 2",
			"  part 2 by B with token 2",
			"  part 3 by B with token 2",
		}},
		// What the fence is for: without it the same story ends badly.
		{"unfenced", []string{"-unfenced"}, []string{
			"A has written 3 rows",
			"the table:",
			"  part 1 by A with token 1",
			"  part 2 by A with token 1",
			"  part 3 by A with token 1",
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			cmd := exec.Command(binary, append(c.args, "-dsn", servers.PostgresDSN(server.Addr))...)
			cmd.Stderr = os.Stderr
			out, err := cmd.Output()
			if err != nil {
				t.Error(err)
			}
			want := strings.Join(append(append([]string{}, begin...), c.end...), "\n") + "\n"
			if string(out) != want {
				t.Errorf("got\n%s\nwant\n%s", out, want)
			}
		})
	}
}
